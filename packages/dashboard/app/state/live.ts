import { batch, effect, signal } from '@preact/signals'
import type { RealtimeMessage } from '@taskboard/client'
import { client, shownWorkspaceId } from './api.js'
import { phase, recheckAccount } from './start.js'

/** `ended`: another connection wouldn't help. */
export type Connection = 'connecting' | 'open' | 'offline' | 'ended'
const NOTICE_MS = 500
const TOGETHER_MS = 50
const MOST_TOGETHER = 500
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Whether the page hears of changes as they happen. */
export const connection = signal<Connection>('connecting')

/** Resolves to true once the server responds again, to false when it hasn't within a time. */
export async function isBack(withinMs: number): Promise<boolean> {
  // The socket may not have noticed yet that the server was away.
  await pause(NOTICE_MS)
  if (connection.peek() === 'open') return true
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(false), withinMs)
    const stop = connection.subscribe((state) => state === 'open' && end(true))
    function end(isOpen: boolean): void {
      clearTimeout(timer)
      stop()
      resolve(isOpen)
    }
  })
}

type Listener = (message: RealtimeMessage) => void
const listeners = new Set<Listener>()

/** Calls `listener` for each message of the workspace that is shown, until the returned function is called. */
export function onMessage(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whether messages may be missing before this one: what is shown has to be read again. */
export function isLoss(message: RealtimeMessage): boolean {
  return message.type === 'gap' || (message.type === 'subscribed' && !message.resumed)
}

/** Whether a message is of one of these types. */
export function isOf({ type }: RealtimeMessage, ...types: readonly RealtimeMessage['type'][]): boolean {
  return types.includes(type)
}

/** The id of the task that a message is about; null for others. */
export function taskIdOf(message: RealtimeMessage): string | null {
  if ('data' in message && 'task_id' in message.data) return message.data.task_id
  return 'task_id' in message ? message.task_id : null
}

async function follow(workspaceId: string, abort: AbortSignal): Promise<void> {
  const messages = client.realtime.subscribe([`workspace.${workspaceId}`], {
    signal: abort,
    onState(state) {
      if (!abort.aborted && state !== 'closed') connection.value = state
    },
  })
  let waiting: RealtimeMessage[] = []
  let isTaken = Promise.resolve()
  async function take(): Promise<void> {
    await pause(TOGETHER_MS)
    const taken = waiting
    waiting = []
    if (!abort.aborted) hear(taken)
  }
  for await (const message of messages) {
    waiting.push(message)
    if (waiting.length === 1) isTaken = take()
    // Beyond that the client's own buffer is the limit, and what it leaves out comes as a gap.
    if (waiting.length >= MOST_TOGETHER) await isTaken
  }
}

/** However many come at the same time, the page is drawn once. */
function hear(messages: readonly RealtimeMessage[]): void {
  batch(() => {
    for (const message of messages) for (const listener of listeners) listener(message)
  })
}

effect(() => {
  const id = shownWorkspaceId.value
  if (phase.value !== 'ready' || id === undefined) return undefined
  const abort = new AbortController()
  follow(id, abort.signal).catch(() => {
    if (abort.signal.aborted) return
    connection.value = 'ended'
    // The workspace was deleted, or may no longer be read.
    recheckAccount()
  })
  return () => abort.abort()
})
