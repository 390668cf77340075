import type { LoggedEvent } from '../events/index.js'
import type { Feed } from './feed.js'
import { outgoing } from './outgoing.js'
import { encodeEvent, encodeGap, isAgentEvent, isTaskEvent } from './server-messages.js'
import type { Subscriber, SubscriptionParts } from './subscription.js'

/** How many events back a subscription still reaches; all of its feeds draw on it. */
interface Budget {
  left: number
}

const PAGE = 100
/** As much waits for a peer that reads slowly while it catches up. */
const SEND_CHARACTERS = 131_072

/**
 * Begins to tell feeds, whose positions are set: those that are not behind are live at once, and the others catch up from the log
 * one after the other. `ends` has the logs' last `seq` by workspace, as read after the feeds had joined the hub.
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

/** What each subscriber, or those that share its turns, catch up with last. */
const turns = new WeakMap<object, Promise<void>>()

/**
 * Catching up on many channels at once would put as much before the peer as for one of them, times their number, and end it
 * for reading slowly; and it would ask the storage for all of that at once.
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

/** Work that nobody waits for; the subscriber is told when it fails. */
export function inBackground(subscriber: Subscriber, channel: string, work: () => Promise<void>): void {
  work().catch((error: unknown) => subscriber.failed(error, channel))
}

/** What can no longer be had of a feed: from its position to where the budget reaches back from `end`. */
function skipTo(feed: Feed, end: number, budget: Budget): string | null {
  const from = Math.max(feed.position, end - budget.left)
  budget.left -= Math.max(0, end - from)
  return moveTo(feed, from)
}

/** Moves the position on; the text of the gap that this makes. */
function moveTo(feed: Feed, position: number): string | null {
  if (position <= feed.position) return null
  const gap = encodeGap(feed.channel.name, feed.workspaceId, feed.position + 1, position)
  feed.position = position
  return gap
}

/**
 * Tells a feed what is in the log between its position and the present, and makes it live. `end` is the log's last `seq` as it
 * was read after the feed had joined the hub. What is not there any more, or is further back than the budget, is told as gaps.
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
      const page = await parts.events.readEvents(feed.workspaceId, feed.position, PAGE)
      for (const text of textsOf(feed, page, known)) {
        // It may have ended with each wait, and its channel may have been subscribed to again since.
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
    // Nothing is awaited from here on, so nothing passes by between the look and the change.
    if (feed.position < feed.seen) continue
    feed.state = 'live'
    return
  }
}

/** A call, since what the compiler knows of a state does not end with a wait. */
function hasEnded({ state }: Feed): boolean {
  return state === 'ended'
}

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

/** A page's texts with what is missing in it; `known` is how far the log certainly goes. */
function* textsOf(feed: Feed, page: readonly LoggedEvent[], known: number): Generator<string> {
  for (const event of page) {
    const gap = moveTo(feed, event.seq - 1)
    if (gap !== null) yield gap
    feed.position = event.seq
    if (isTold(feed, event)) yield encodeEvent(event)(feed.channel.name)
  }
  if (page.length > 0) return
  const gap = moveTo(feed, known)
  if (gap !== null) yield gap
}

function isTold({ audience }: Feed, { type }: LoggedEvent): boolean {
  return isTaskEvent(type) || (audience === 'workspace' && isAgentEvent(type))
}
