import type { Channel } from './channels.js'
import type { Outgoing } from './outgoing.js'

/** Whose messages meet in one list: a workspace's channel with or without what agents report, and `tasks`. */
export type Audience = 'workspace' | 'workspace-tasks' | 'tasks'

/** Takes what is told to many. */
export interface Receiver {
  broadcast(messages: Outgoing): void
}

/**
 * One workspace's messages on one channel of one connection. Live, it is told of each event as it comes; before that it catches
 * up from the log, which is its only buffer: of what is live meanwhile it notes how far that has come, no more.
 */
export class Feed {
  readonly receiver: Receiver
  readonly workspaceId: string
  readonly audience: Audience
  /** One object for all feeds of a channel, once it has joined the hub. */
  channel: Channel
  state: 'catching-up' | 'live' | 'ended' = 'catching-up'
  /** The `seq` of the last event that was told, or that came before the subscription. */
  position = 0
  /** The `seq` up to which live messages have passed by. */
  seen = 0

  constructor(receiver: Receiver, workspaceId: string, audience: Audience, channel: Channel) {
    this.receiver = receiver
    this.workspaceId = workspaceId
    this.audience = audience
    this.channel = channel
  }
}
