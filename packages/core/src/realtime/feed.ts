import type { Channel } from './channels.js'
import type { Outgoing } from './outgoing.js'

/** Whose messages meet in one list: a workspace's channel with or without what agents report, and `tasks`. */
export type Audience = 'workspace' | 'workspace-tasks' | 'tasks'

/** Where messages come from, and for whom they are. */
export interface Place {
  readonly workspaceId: string
  readonly audience: Audience
  readonly channel: Channel
}

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
  /** One object for all feeds of a place, once they have joined the hub. */
  place: Place
  state: 'catching-up' | 'live' | 'ended' = 'catching-up'
  /** The `seq` of the last event that was told, or that came before the subscription. */
  position = 0
  /** The `seq` up to which live messages have passed by. */
  seen = 0

  constructor(receiver: Receiver, place: Place) {
    this.receiver = receiver
    this.place = place
  }

  get workspaceId(): string {
    return this.place.workspaceId
  }

  get audience(): Audience {
    return this.place.audience
  }

  get channel(): Channel {
    return this.place.channel
  }
}
