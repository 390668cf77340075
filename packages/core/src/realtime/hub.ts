import { deferToEventLoop } from '../environment/index.js'
import { eventKinds, type LoggedEvent } from '../events/index.js'
import { tasksChannel, workspaceChannel } from './channels.js'
import type { Audience, Feed, Receiver } from './feed.js'
import { outgoing, type Outgoing } from './outgoing.js'
import { encodeEvent } from './server-messages.js'
import { Topic, type Batch } from './topic.js'

/** Sends new events of the log to the feeds of this process. */
export interface Hub {
  /**
   * Accepts an event, in each workspace's order. The next turn sends all events of this one: serialized once for each channel,
   * framed once, and written once to each connection.
   */
  publish(event: LoggedEvent): void
  join(feed: Feed): void
  leave(feed: Feed): void
  /** Sends at once what waits for the next turn. */
  flush(): void
}

type Topics = Partial<Record<Audience, Topic>>

const audiences: readonly Audience[] = ['workspace', 'workspace-tasks', 'tasks']

export function createHub(): Hub {
  const workspaces = new Map<string, Topics>()
  let pending: Topic[] = []

  function flush(): void {
    const topics = pending
    pending = []
    const [only] = topics
    if (only !== undefined && topics.length === 1)
      sendBatch(only, (receiver, messages) => receiver.broadcast(messages))
    else sendTogether(topics)
  }

  return {
    publish(event) {
      const topics = workspaces.get(event.workspaceId)
      const { realtime } = eventKinds[event.type]
      if (topics === undefined || realtime === null) return
      const texts = textsOf(event)
      for (const audience of audiences) {
        const topic = topics[audience]
        if (topic === undefined || (audience !== 'workspace' && realtime !== 'tasks')) continue
        if (topic.add(event.seq, texts(audience)) && pending.push(topic) === 1) deferToEventLoop(flush)
      }
    },
    join(feed) {
      let topics = workspaces.get(feed.workspaceId)
      if (topics === undefined) workspaces.set(feed.workspaceId, (topics = {}))
      const topic = (topics[feed.audience] ??= new Topic(feed.place))
      feed.place = topic.place
      topic.feeds.add(feed)
    },
    leave(feed) {
      feed.state = 'ended'
      const topics = workspaces.get(feed.workspaceId)
      const topic = topics?.[feed.audience]
      if (topics === undefined || topic === undefined) return
      topic.feeds.delete(feed)
      if (topic.feeds.size > 0) return
      delete topics[feed.audience]
      if (Object.keys(topics).length === 0) workspaces.delete(feed.workspaceId)
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

/** Passes a topic's batch to those of its feeds that are live. */
function sendBatch(topic: Topic, pass: (receiver: Receiver, messages: Outgoing, batch: Batch) => void): void {
  const batch = topic.takeBatch()
  const { firstSeq, lastSeq, messages } = batch
  for (const feed of topic.feeds) {
    feed.seen = lastSeq
    if (feed.state !== 'live' || feed.position >= lastSeq) continue
    const isNew = feed.position < firstSeq
    const own = isNew ? messages : batch.after(feed.position)
    feed.position = lastSeq
    pass(feed.receiver, own, batch)
  }
}

/** One write for each receiver. Receivers of the same messages share it. */
function sendTogether(topics: readonly Topic[]): void {
  const parts = new Map<Receiver, Outgoing[]>()
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
  messages?: Outgoing
  readonly next: Map<Outgoing, Joined>
}

/** Joins lists of messages; equal input returns the same joined list. */
function createJoin(): (list: readonly Outgoing[]) => Outgoing {
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
      only !== undefined && list.length === 1 ? only : outgoing(list.flatMap(({ texts }) => texts))
    return node.messages
  }
}
