import { followWorkspace, type ConnectionCut } from '../src/follow-workspace.js'
import type { RealtimeMessage } from '../src/realtime-message.js'
import type { ServerAccess } from '../src/server-access.js'

/** The realtime client with the messages that it received. */
export interface Follower {
  readonly messages: readonly RealtimeMessage[]
  /** How its connections ended, so far. */
  readonly cuts: readonly ConnectionCut[]
  /** The first message that is so, now or later. Rejects when the client ends before. */
  heard(isSo: (message: RealtimeMessage) => boolean): Promise<RealtimeMessage>
  /** Resolves when a connection has ended. */
  cut(): Promise<ConnectionCut>
  /** Settles as the client does. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

const SHORT = { firstDelayMs: 20, longestDelayMs: 20 }

/** Starts to follow a workspace, with short delays. */
export function startFollower(access: ServerAccess, workspaceId: string, since?: number): Follower {
  const messages: RealtimeMessage[] = []
  const cuts: ConnectionCut[] = []
  const waiting = new Set<() => void>()
  const stopping = new AbortController()
  let isOver = false
  const wakeAll = (): void => waiting.forEach((wake) => wake())

  async function follow(): Promise<void> {
    try {
      await followWorkspace({
        access,
        workspaceId,
        ...(since !== undefined && { since }),
        waits: SHORT,
        signal: stopping.signal,
        onMessage(message) {
          messages.push(message)
          wakeAll()
        },
        onCut(cut) {
          cuts.push(cut)
          wakeAll()
        },
      })
    } finally {
      isOver = true
      wakeAll()
    }
  }

  async function found<T>(list: readonly T[], isSo: (one: T) => boolean): Promise<T> {
    for (;;) {
      const one = list.find(isSo)
      if (one !== undefined) return one
      if (isOver) throw new Error(`the client has ended; it heard ${JSON.stringify(messages)}`)
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          waiting.delete(wake)
          resolve()
        }
        waiting.add(wake)
      })
    }
  }

  const ended = follow()
  ended.catch(() => undefined)
  return {
    messages,
    cuts,
    heard: (isSo) => found(messages, isSo),
    cut: () => found(cuts, () => true),
    ended,
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
