import { realtimeOf, type LoggedEvent } from '../events/index.js'
import type { LogSubscription } from './log-subscription.js'
import { encodeFrames } from './encoded-frames.js'
import { encodeEvent, encodeGap } from './server-messages.js'
import type { Subscriber, SubscriptionDeps } from './subscription.js'

/** How many more events back a subscription reaches. All of its log subscriptions share it. */
interface Budget {
  left: number
}

const PAGE = 100
/** The most that waits for a slow peer while it catches up. */
const SEND_CHARACTERS = 131_072

/**
 * Starts log subscriptions whose positions are set. Those that aren't behind are live immediately; the others catch up from the log,
 * one at a time. `ends` has the last `seq` of each workspace's log, read after the log subscriptions joined the hub.
 */
export function startLogSubscriptions(
  logSubscriptions: readonly LogSubscription[],
  ends: ReadonlyMap<string, number>,
  subscriber: Subscriber,
  { events, replayLimit }: Pick<SubscriptionDeps, 'events' | 'replayLimit'>,
): void {
  const behind: LogSubscription[] = []
  for (const logSubscription of logSubscriptions) {
    const isBehind =
      logSubscription.position < Math.max(logSubscription.seen, ends.get(logSubscription.workspaceId) ?? 0)
    if (isBehind) behind.push(logSubscription)
    else if (logSubscription.state === 'catching-up') logSubscription.state = 'live'
  }
  const [first] = behind
  if (first === undefined) return
  const budget = { left: replayLimit }
  inTurn(subscriber, first.topic.name, async () => {
    for (const logSubscription of behind)
      await catchUp(logSubscription, ends.get(logSubscription.workspaceId) ?? 0, budget, {
        events,
        subscriber,
      })
  })
}

/** The last catch-up of each subscriber, or of all that share its turns. */
const turns = new WeakMap<object, Promise<void>>()

/**
 * One channel at a time. Many at the same time would multiply the messages that wait for the peer and close it as too slow. They would send
 * all their reads to the storage immediately.
 */
function inTurn(subscriber: Subscriber, topic: string, work: () => Promise<void>): void {
  inBackground(subscriber, topic, async () => {
    const { turnsOf = subscriber } = subscriber
    const turn = (turns.get(turnsOf) ?? Promise.resolve()).then(work)
    turns.set(
      turnsOf,
      turn.catch(() => undefined),
    )
    await turn
  })
}

/** Work that no one awaits. A failure is reported to the subscriber. */
export function inBackground(subscriber: Subscriber, topic: string, work: () => Promise<void>): void {
  work().catch((error: unknown) => subscriber.failed(error, topic))
}

/** The part of a log subscription that is no longer available: from its position to where the budget reaches back from `end`. */
function skipTo(logSubscription: LogSubscription, end: number, budget: Budget): string | null {
  const from = Math.max(logSubscription.position, end - budget.left)
  budget.left -= Math.max(0, end - from)
  return moveTo(logSubscription, from)
}

/** Advances the position and returns the text of the gap. */
function moveTo(logSubscription: LogSubscription, position: number): string | null {
  if (position <= logSubscription.position) return null
  const gap = encodeGap(
    logSubscription.topic.name,
    logSubscription.workspaceId,
    logSubscription.position + 1,
    position,
  )
  logSubscription.position = position
  return gap
}

/**
 * Sends a log subscription the log between its position and the present, and makes it live. `end` is the log's last `seq`, read
 * after the log subscription joined the hub. Events that are deleted, or further back than the budget, are sent as gaps.
 */
async function catchUp(
  logSubscription: LogSubscription,
  end: number,
  budget: Budget,
  deps: Pick<SubscriptionDeps, 'events'> & { readonly subscriber: Subscriber },
): Promise<void> {
  const gap = skipTo(logSubscription, end, budget)
  let texts = gap === null ? [] : [gap]
  for (let known = end; ; known = Math.max(end, logSubscription.seen)) {
    while (logSubscription.state === 'catching-up' && logSubscription.position < known) {
      const query = {
        workspaceId: logSubscription.workspaceId,
        afterSeq: logSubscription.position,
        limit: PAGE,
      }
      const page = await deps.events.readEvents(query, { now: null })
      for (const text of textsOf(logSubscription, page, known)) {
        // The log subscription may have ended during any wait, and its topic may have a new subscription.
        if (hasEnded(logSubscription)) return
        texts.push(text)
        if (sizeOf(texts) < SEND_CHARACTERS) continue
        await deps.subscriber.sendAlone(encodeFrames(texts))
        texts = []
      }
      if (texts.length > 0) await deps.subscriber.sendAlone(encodeFrames(texts))
      texts = []
    }
    if (hasEnded(logSubscription)) return
    if (texts.length > 0) await deps.subscriber.sendAlone(encodeFrames(texts))
    texts = []
    if (hasEnded(logSubscription)) return
    // Nothing is awaited from here on, so no event passes by between the check and the change.
    if (logSubscription.position < logSubscription.seen) continue
    logSubscription.state = 'live'
    return
  }
}

/** A call, because the compiler keeps a narrowed state across an await. */
function hasEnded({ state }: LogSubscription): boolean {
  return state === 'ended'
}

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

/** A page's texts, with gaps for missing events. The log goes at least as far as `known`. */
function* textsOf(
  logSubscription: LogSubscription,
  page: readonly LoggedEvent[],
  known: number,
): Generator<string> {
  for (const event of page) {
    const gap = moveTo(logSubscription, event.seq - 1)
    if (gap !== null) yield gap
    logSubscription.position = event.seq
    if (isSent(logSubscription, event)) yield encodeEvent(event)(logSubscription.topic.name)
  }
  if (page.length > 0) return
  const gap = moveTo(logSubscription, known)
  if (gap !== null) yield gap
}

function isSent({ audience }: LogSubscription, event: LoggedEvent): boolean {
  const realtime = realtimeOf(event)
  return realtime === 'tasks' || (realtime === 'agents' && audience === 'workspace')
}
