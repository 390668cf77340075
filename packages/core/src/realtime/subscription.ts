import type { Principal } from '../access/index.js'
import type { Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { EventStore } from '../events/index.js'
import type { Channel } from './channels.js'
import type { Since } from './client-messages.js'
import type { Receiver } from './feed.js'
import type { Hub } from './hub.js'
import type { Newcomers } from './newcomers.js'
import type { Outgoing } from './outgoing.js'
import type { LogEnd, RealtimeStore } from './realtime-store.js'

export interface SubscriptionParts {
  readonly environment: Environment
  readonly store: Pick<RealtimeStore, 'readLogEnds'>
  readonly events: Pick<EventStore, 'readEvents'>
  readonly hub: Hub
  readonly newcomers: Newcomers
  /** How many events back `since` reaches. */
  readonly replayLimit: number
}

/** Who is told. It is kept as long as the subscription; what else a request has is not. */
export interface Subscriber extends Receiver {
  /** Where several are told over one connection: what they have in common, so that one catches up after the other. */
  readonly turnsOf?: object
  /** Sends to this one alone, and resolves when it has taken it. */
  sendAlone(messages: Outgoing): Promise<void>
  /** Called when the log cannot be read later on. */
  failed(error: unknown, channel: string): void
}

/** Who subscribes to what. */
export interface SubscriptionRequest {
  readonly channel: Channel
  readonly principal: Principal
  readonly subscriber: Subscriber
  readonly since: Since[string] | undefined
  /** Called before the first message, with where those begin. */
  readonly confirm: (seq: number | Readonly<Record<string, number>>) => void
}

/** A channel of one connection. */
export interface Subscription {
  readonly channelName: string
  end(): void
}

/** The ends of the logs of one workspace, or of all within reach. */
export function readEnds(
  { environment, store }: SubscriptionParts,
  principal: Principal,
  workspaceId: string | null,
): Promise<readonly LogEnd[]> {
  return store.readLogEnds(principal, workspaceId, { now: environment.storageNow() })
}

/** @throws TaskboardError `INVALID_FIELD` (`since`). */
export function requirePlace(position: number, { workspaceId, seq }: LogEnd): number {
  if (position <= seq) return position
  throw refusedSince(`since is ahead of the log of ${workspaceId}`)
}

export function refusedSince(message: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', message, { field: 'since' })
}
