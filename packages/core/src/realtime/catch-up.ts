import { eventKinds, type LoggedEvent } from '../events/index.js'
import type { Feed } from './feed.js'
import { outgoing } from './outgoing.js'
import { encodeEvent, encodeGap } from './server-messages.js'
import type { Subscriber, SubscriptionParts } from './subscription.js'

/** How many more events back a subscription reaches. All of its feeds share it. */
interface Budget {
  left: number
}

const PAGE = 100
/** The most that waits for a slow peer while it catches up. */
const SEND_CHARACTERS = 131_072

/**
 * Starts feeds whose positions are set. Feeds that are not behind are live at once; the others catch up from the log, one at a
 * time. `ends` has the last `seq` of each workspace's log, read after the feeds joined the hub.
 */
export function startFeeds(
  feeds: readonly Feed[],
  ends: ReadonlyMap<string, number>,
  subscriber: Subscriber,
  { events, replayLimit }: Pick<SubscriptionParts, 'events' | 'replayLimit'>,
): void {
  const behind: Feed[] = []
  for (const feed of feeds) {
    const isBehind = feed.position < Math.max(feed.seen, ends.get(feed.workspaceId) ?? 0)
    if (isBehind) behind.push(feed)
    else if (feed.state === 'catching-up') feed.state = 'live'
  }
  const [first] = behind
  if (first === undefined) return
  const budget = { left: replayLimit }
  inTurn(subscriber, first.channel.name, async () => {
    for (const feed of behind)
      await catchUp(feed, ends.get(feed.workspaceId) ?? 0, budget, { events, subscriber })
  })
}

/** The last catch-up of each subscriber, or of all that share its turns. */
const turns = new WeakMap<object, Promise<void>>()

/**
 * One channel at a time: many at once would multiply what waits for the peer, close it as too slow, and send all their reads
 * to the storage at once.
 */
function inTurn(subscriber: Subscriber, channel: string, work: () => Promise<void>): void {
  inBackground(subscriber, channel, async () => {
    const { turnsOf = subscriber } = subscriber
    const turn = (turns.get(turnsOf) ?? Promise.resolve()).then(work)
    turns.set(
      turnsOf,
      turn.catch(() => undefined),
    )
    await turn
  })
}

/** Work that nobody awaits. A failure is reported to the subscriber. */
export function inBackground(subscriber: Subscriber, channel: string, work: () => Promise<void>): void {
  work().catch((error: unknown) => subscriber.failed(error, channel))
}

/** The part of a feed that is no longer available: from its position to where the budget reaches back from `end`. */
function skipTo(feed: Feed, end: number, budget: Budget): string | null {
  const from = Math.max(feed.position, end - budget.left)
  budget.left -= Math.max(0, end - from)
  return moveTo(feed, from)
}

/** Advances the position and returns the text of the gap. */
function moveTo(feed: Feed, position: number): string | null {
  if (position <= feed.position) return null
  const gap = encodeGap(feed.channel.name, feed.workspaceId, feed.position + 1, position)
  feed.position = position
  return gap
}

/**
 * Sends a feed the log between its position and the present, and makes it live. `end` is the log's last `seq`, read after the
 * feed joined the hub. Events that are deleted, or further back than the budget, are sent as gaps.
 */
async function catchUp(
  feed: Feed,
  end: number,
  budget: Budget,
  parts: Pick<SubscriptionParts, 'events'> & { readonly subscriber: Subscriber },
): Promise<void> {
  const gap = skipTo(feed, end, budget)
  let texts = gap === null ? [] : [gap]
  for (let known = end; ; known = Math.max(end, feed.seen)) {
    while (feed.state === 'catching-up' && feed.position < known) {
      const query = { workspaceId: feed.workspaceId, afterSeq: feed.position, limit: PAGE }
      const page = await parts.events.readEvents(query, { now: null })
      for (const text of textsOf(feed, page, known)) {
        // The feed may have ended during any wait, and its channel may have a new subscription.
        if (hasEnded(feed)) return
        texts.push(text)
        if (sizeOf(texts) < SEND_CHARACTERS) continue
        await parts.subscriber.sendAlone(outgoing(texts))
        texts = []
      }
      if (texts.length > 0) await parts.subscriber.sendAlone(outgoing(texts))
      texts = []
    }
    if (hasEnded(feed)) return
    if (texts.length > 0) await parts.subscriber.sendAlone(outgoing(texts))
    texts = []
    if (hasEnded(feed)) return
    // Nothing is awaited from here on, so no event passes by between the check and the change.
    if (feed.position < feed.seen) continue
    feed.state = 'live'
    return
  }
}

/** A call, because the compiler keeps a narrowed state across an await. */
function hasEnded({ state }: Feed): boolean {
  return state === 'ended'
}

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

/** A page's texts, with gaps for what is missing. The log goes at least as far as `known`. */
function* textsOf(feed: Feed, page: readonly LoggedEvent[], known: number): Generator<string> {
  for (const event of page) {
    const gap = moveTo(feed, event.seq - 1)
    if (gap !== null) yield gap
    feed.position = event.seq
    if (isSent(feed, event)) yield encodeEvent(event)(feed.channel.name)
  }
  if (page.length > 0) return
  const gap = moveTo(feed, known)
  if (gap !== null) yield gap
}

function isSent({ audience }: Feed, { type }: LoggedEvent): boolean {
  const { realtime } = eventKinds[type]
  return realtime === 'tasks' || (realtime === 'agents' && audience === 'workspace')
}
