import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@taskboard/client'
import { WebSocket } from 'ws'
import type { Running } from './load.js'
import type { Journal } from './observations.js'
import type { OpenBoard } from './open-board.js'

/** A reader of the realtime channel of one process. Resolves when it is subscribed. */
export async function startChannelReader(
  name: string,
  parts: {
    readonly baseUrl: string
    readonly key: string
    readonly workspaceId: string
    readonly journal: Journal
  },
): Promise<Running> {
  const { baseUrl, key, workspaceId, journal } = parts
  const client = createClient({
    baseUrl,
    key,
    WebSocket,
    realtime: { firstDelayMs: 100, longestDelayMs: 1_000, pingMs: 1_000, answerMs: 1_000 },
  })
  const stopping = new AbortController()
  const messages = client.realtime.subscribe(`workspace.${workspaceId}`, {
    signal: stopping.signal,
    bufferLimit: 100_000,
  })
  let hasBegun: () => void = () => undefined
  const begun = new Promise<void>((resolve) => (hasBegun = resolve))
  let isFirst = true
  const ended = (async () => {
    for await (const message of messages) {
      if (message.type === 'subscribed') {
        if (isFirst) journal.record({ kind: 'began', reader: name, seq: Number(message.seq) })
        else if (!message.resumed)
          journal.record({ kind: 'missed', reader: name, what: 'the channel did not resume' })
        isFirst = false
        hasBegun()
      } else if (message.type === 'gap')
        journal.record({ kind: 'missed', reader: name, what: `gap ${message.from} to ${message.to}` })
      else if ('seq' in message && typeof message.seq === 'number')
        journal.record({ kind: 'saw', reader: name, by: 'channel', workspaceId, seq: message.seq })
    }
  })().catch((error: unknown) => {
    journal.record({ kind: 'missed', reader: name, what: String(error) })
    hasBegun()
  })
  await begun
  return {
    async stop() {
      stopping.abort()
      await ended
    },
  }
}

const PAGE = 200
const PAUSE_MS = 50

/** A reader of the feed, from its end on, while nothing happens yet. Resolves when it knows where that is. */
export async function startFeedReader(
  { storage: { events } }: OpenBoard,
  workspaceId: string,
  journal: Journal,
): Promise<Running> {
  const call = { now: null }
  let position = await events.feedEnd({ after: null }, call)
  const before = await events.readEvents({ workspaceId, afterSeq: 0, limit: PAGE }, call)
  journal.record({ kind: 'began', reader: 'feed', seq: before.at(-1)?.seq ?? 0 })
  const stopping = new AbortController()
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      const page = await events.readFeed({ position, limit: PAGE }, call).catch(() => null)
      if (page === null || page.events.length === 0) await sleep(PAUSE_MS)
      if (page === null) continue
      for (const event of page.events)
        journal.record({
          kind: 'saw',
          reader: 'feed',
          by: 'feed',
          workspaceId: event.workspaceId,
          seq: event.seq,
        })
      ;({ position } = page)
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
