import { deferToEventLoop } from '../environment/index.js'
import { realtimeOf, type LoggedEvent, type WatchedLine } from '../events/index.js'
import { tasksTopic, workspaceTopic } from './topics.js'
import type { Audience, LogSubscription, SubscriptionTarget, Receiver } from './log-subscription.js'
import { encodeFrames, type EncodedFrames } from './encoded-frames.js'
import { encodeEvent, encodeLine } from './server-messages.js'

/** Messages of one fanout that go out together. */
interface Batch {
  readonly messages: EncodedFrames
  readonly firstSeq: number
  readonly lastSeq: number
  /** The messages after `seq`, for a log subscription that got some of them from the log. */
  after(seq: number): EncodedFrames
}

/** The messages of one audience of a workspace, and its log subscriptions. */
class Fanout {
  readonly target: SubscriptionTarget
  readonly subscriptions = new Set<LogSubscription>()
  #texts: string[] = []
  #seqs: number[] = []

  constructor(place: SubscriptionTarget) {
    this.target = place
  }

  /** Adds a message to the next batch; true for the first one of it. */
  add(seq: number, text: string): boolean {
    this.#seqs.push(seq)
    return this.#texts.push(text) === 1
  }

  takeBatch(): Batch {
    const texts = this.#texts
    const seqs = this.#seqs
    this.#texts = []
    this.#seqs = []
    return {
      messages: encodeFrames(texts),
      firstSeq: seqs[0] ?? 0,
      lastSeq: seqs.at(-1) ?? 0,
      after: (seq) => encodeFrames(texts.slice(seqs.findIndex((each) => each > seq))),
    }
  }
}

/** Sends new events of the log to the log subscriptions of this process. */
export interface Hub {
  /**
   * Accepts an event, in each workspace's order. The next turn sends all events of this one: serialized once for each channel,
   * framed once, and written once to each connection.
   */
  publish(event: LoggedEvent): void
  /** Accepts a line of a task's log. The next turn sends it to the log subscriptions that are live by then, after its events. */
  publishLine(line: WatchedLine): void
  join(logSubscription: LogSubscription): void
  leave(logSubscription: LogSubscription): void
  /** Sends at the same time what waits for the next turn. */
  flush(): void
}

type Fanouts = Partial<Record<Audience, Fanout>>

/** How many lines one turn sends at most. */
const MOST_LINES = 1_000

const audiences: readonly Audience[] = ['workspace', 'workspace-tasks', 'tasks']

export function createHub(): Hub {
  const workspaces = new Map<string, Fanouts>()
  let pending: Fanout[] = []
  let lines: WatchedLine[] = []

  function flush(): void {
    flushEvents()
    if (lines.length > 0) flushLines()
  }

  function flushLines(): void {
    const texts = new Map<Fanout, string[]>()
    for (const line of lines.splice(0)) {
      const fanouts = workspaces.get(line.workspaceId)
      for (const audience of audiences) {
        const fanout = fanouts?.[audience]
        if (fanout === undefined) continue
        const text = encodeLine(fanout.target.topic.name, line)
        const known = texts.get(fanout)
        if (known === undefined) texts.set(fanout, [text])
        else known.push(text)
      }
    }
    for (const [{ subscriptions }, ofFanout] of texts) {
      const frames = encodeFrames(ofFanout)
      for (const { state, receiver } of subscriptions) if (state === 'live') receiver.broadcast(frames)
    }
  }

  function flushEvents(): void {
    const fanouts = pending
    pending = []
    if (fanouts.length === 0) return
    const [only] = fanouts
    if (only !== undefined && fanouts.length === 1)
      sendBatch(only, (receiver, messages) => receiver.broadcast(messages))
    else sendTogether(fanouts)
  }

  return {
    publish(event) {
      const fanouts = workspaces.get(event.workspaceId)
      const realtime = realtimeOf(event)
      if (fanouts === undefined || realtime === null) return
      const texts = textsOf(event)
      for (const audience of audiences) {
        const fanout = fanouts[audience]
        if (fanout === undefined || (audience !== 'workspace' && realtime !== 'tasks')) continue
        if (fanout.add(event.seq, texts(audience)) && pending.push(fanout) === 1) deferToEventLoop(flush)
      }
    },
    publishLine(line) {
      if (!workspaces.has(line.workspaceId) || lines.length >= MOST_LINES) return
      if (lines.push(line) === 1) deferToEventLoop(flush)
    },
    join(logSubscription) {
      let fanouts = workspaces.get(logSubscription.workspaceId)
      if (fanouts === undefined) workspaces.set(logSubscription.workspaceId, (fanouts = {}))
      const fanout = (fanouts[logSubscription.audience] ??= new Fanout(logSubscription.target))
      logSubscription.target = fanout.target
      fanout.subscriptions.add(logSubscription)
    },
    leave(logSubscription) {
      logSubscription.state = 'ended'
      const fanouts = workspaces.get(logSubscription.workspaceId)
      const fanout = fanouts?.[logSubscription.audience]
      if (fanouts === undefined || fanout === undefined) return
      fanout.subscriptions.delete(logSubscription)
      if (fanout.subscriptions.size > 0) return
      delete fanouts[logSubscription.audience]
      if (Object.keys(fanouts).length === 0) workspaces.delete(logSubscription.workspaceId)
    },
    flush,
  }
}

/** The event's text for each audience. Both audiences of a workspace's channel share one text. */
function textsOf(event: LoggedEvent): (audience: Audience) => string {
  const encoded = encodeEvent(event)
  let ofWorkspace: string | undefined
  return (audience) => {
    if (audience === 'tasks') return encoded(tasksTopic.name)
    return (ofWorkspace ??= encoded(workspaceTopic(event.workspaceId).name))
  }
}

/** Passes a fanout's batch to its live log subscriptions. */
function sendBatch(
  fanout: Fanout,
  pass: (receiver: Receiver, messages: EncodedFrames, batch: Batch) => void,
): void {
  const batch = fanout.takeBatch()
  const { firstSeq, lastSeq, messages } = batch
  for (const logSubscription of fanout.subscriptions) {
    logSubscription.seen = lastSeq
    if (logSubscription.state !== 'live' || logSubscription.position >= lastSeq) continue
    const isNew = logSubscription.position < firstSeq
    const own = isNew ? messages : batch.after(logSubscription.position)
    logSubscription.position = lastSeq
    pass(logSubscription.receiver, own, batch)
  }
}

/** One write for each receiver. Receivers of the same messages share it. */
function sendTogether(fanouts: readonly Fanout[]): void {
  const parts = new Map<Receiver, EncodedFrames[]>()
  for (const fanout of fanouts) {
    sendBatch(fanout, (receiver, messages) => {
      const known = parts.get(receiver)
      if (known === undefined) parts.set(receiver, [messages])
      else known.push(messages)
    })
  }
  const joined = createJoin()
  for (const [receiver, list] of parts) receiver.broadcast(joined(list))
}

interface Joined {
  messages?: EncodedFrames
  readonly next: Map<EncodedFrames, Joined>
}

/** Joins lists of messages; equal input returns the same joined list. */
function createJoin(): (list: readonly EncodedFrames[]) => EncodedFrames {
  const root: Joined = { next: new Map() }
  return (list) => {
    let node = root
    for (const part of list) {
      let next = node.next.get(part)
      if (next === undefined) node.next.set(part, (next = { next: new Map() }))
      node = next
    }
    const [only] = list
    node.messages ??=
      only !== undefined && list.length === 1 ? only : encodeFrames(list.flatMap(({ texts }) => texts))
    return node.messages
  }
}
