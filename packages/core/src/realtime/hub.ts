import { deferToEventLoop } from '../environment/index.js'
import { realtimeOf, type LoggedEvent, type WatchedLine } from '../events/index.js'
import { tasksChannel, workspaceChannel } from './channels.js'
import type { Audience, LogSubscription, SubscriptionTarget, Receiver } from './log-subscription.js'
import { encodeFrames, type EncodedFrames } from './encoded-frames.js'
import { encodeEvent, encodeLine } from './server-messages.js'

/** Messages of one topic that go out together. */
interface Batch {
  readonly messages: EncodedFrames
  readonly firstSeq: number
  readonly lastSeq: number
  /** The messages after `seq`, for a log subscription that got some of them from the log. */
  after(seq: number): EncodedFrames
}

/** The messages of one audience of a workspace, and its log subscriptions. */
class Topic {
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
  /** Sends at once what waits for the next turn. */
  flush(): void
}

type Topics = Partial<Record<Audience, Topic>>

/** How many lines one turn sends at most. */
const MOST_LINES = 1_000

const audiences: readonly Audience[] = ['workspace', 'workspace-tasks', 'tasks']

export function createHub(): Hub {
  const workspaces = new Map<string, Topics>()
  let pending: Topic[] = []
  let lines: WatchedLine[] = []

  function flush(): void {
    flushEvents()
    if (lines.length > 0) flushLines()
  }

  function flushLines(): void {
    const texts = new Map<Topic, string[]>()
    for (const line of lines.splice(0)) {
      const topics = workspaces.get(line.workspaceId)
      for (const audience of audiences) {
        const topic = topics?.[audience]
        if (topic === undefined) continue
        const text = encodeLine(topic.target.channel.name, line)
        const known = texts.get(topic)
        if (known === undefined) texts.set(topic, [text])
        else known.push(text)
      }
    }
    for (const [{ subscriptions }, ofTopic] of texts) {
      const frames = encodeFrames(ofTopic)
      for (const { state, receiver } of subscriptions) if (state === 'live') receiver.broadcast(frames)
    }
  }

  function flushEvents(): void {
    const topics = pending
    pending = []
    if (topics.length === 0) return
    const [only] = topics
    if (only !== undefined && topics.length === 1)
      sendBatch(only, (receiver, messages) => receiver.broadcast(messages))
    else sendTogether(topics)
  }

  return {
    publish(event) {
      const topics = workspaces.get(event.workspaceId)
      const realtime = realtimeOf(event)
      if (topics === undefined || realtime === null) return
      const texts = textsOf(event)
      for (const audience of audiences) {
        const topic = topics[audience]
        if (topic === undefined || (audience !== 'workspace' && realtime !== 'tasks')) continue
        if (topic.add(event.seq, texts(audience)) && pending.push(topic) === 1) deferToEventLoop(flush)
      }
    },
    publishLine(line) {
      if (!workspaces.has(line.workspaceId) || lines.length >= MOST_LINES) return
      if (lines.push(line) === 1) deferToEventLoop(flush)
    },
    join(logSubscription) {
      let topics = workspaces.get(logSubscription.workspaceId)
      if (topics === undefined) workspaces.set(logSubscription.workspaceId, (topics = {}))
      const topic = (topics[logSubscription.audience] ??= new Topic(logSubscription.target))
      logSubscription.target = topic.target
      topic.subscriptions.add(logSubscription)
    },
    leave(logSubscription) {
      logSubscription.state = 'ended'
      const topics = workspaces.get(logSubscription.workspaceId)
      const topic = topics?.[logSubscription.audience]
      if (topics === undefined || topic === undefined) return
      topic.subscriptions.delete(logSubscription)
      if (topic.subscriptions.size > 0) return
      delete topics[logSubscription.audience]
      if (Object.keys(topics).length === 0) workspaces.delete(logSubscription.workspaceId)
    },
    flush,
  }
}

/** The event's text for each audience. Both audiences of a workspace's channel share one text. */
function textsOf(event: LoggedEvent): (audience: Audience) => string {
  const encoded = encodeEvent(event)
  let ofWorkspace: string | undefined
  return (audience) => {
    if (audience === 'tasks') return encoded(tasksChannel.name)
    return (ofWorkspace ??= encoded(workspaceChannel(event.workspaceId).name))
  }
}

/** Passes a topic's batch to those of its log subscriptions that are live. */
function sendBatch(
  topic: Topic,
  pass: (receiver: Receiver, messages: EncodedFrames, batch: Batch) => void,
): void {
  const batch = topic.takeBatch()
  const { firstSeq, lastSeq, messages } = batch
  for (const logSubscription of topic.subscriptions) {
    logSubscription.seen = lastSeq
    if (logSubscription.state !== 'live' || logSubscription.position >= lastSeq) continue
    const isNew = logSubscription.position < firstSeq
    const own = isNew ? messages : batch.after(logSubscription.position)
    logSubscription.position = lastSeq
    pass(logSubscription.receiver, own, batch)
  }
}

/** One write for each receiver. Receivers of the same messages share it. */
function sendTogether(topics: readonly Topic[]): void {
  const parts = new Map<Receiver, EncodedFrames[]>()
  for (const topic of topics) {
    sendBatch(topic, (receiver, messages) => {
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
