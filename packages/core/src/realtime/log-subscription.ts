import type { Topic } from './topics.js'
import type { EncodedFrames } from './encoded-frames.js'

/** Subscriptions that receive the same messages: a workspace's channel with or without agent reports, and `tasks`. */
export type Audience = 'workspace' | 'workspace-tasks' | 'tasks'

/** Where messages come from, and who receives them. */
export interface SubscriptionTarget {
  readonly workspaceId: string
  readonly audience: Audience
  readonly topic: Topic
}

/** Receives messages that go to many. */
export interface Receiver {
  broadcast(messages: EncodedFrames): void
}

/**
 * One workspace's messages on one channel of one connection. When live, it receives each event as it comes. Before that it
 * catches up from the log, which is its only buffer: of live events it only keeps the last `seq`.
 */
export class LogSubscription {
  readonly receiver: Receiver
  /** One object for all log subscriptions of a target, once they have joined the hub. */
  target: SubscriptionTarget
  state: 'catching-up' | 'live' | 'ended' = 'catching-up'
  /** The `seq` of the last event that was sent, or that came before the subscription. */
  position = 0
  /** The last `seq` of the live messages that passed by. */
  seen = 0

  constructor(receiver: Receiver, target: SubscriptionTarget) {
    this.receiver = receiver
    this.target = target
  }

  get workspaceId(): string {
    return this.target.workspaceId
  }

  get audience(): Audience {
    return this.target.audience
  }

  get topic(): Topic {
    return this.target.topic
  }
}
