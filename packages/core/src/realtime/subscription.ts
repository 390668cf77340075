import type { Principal } from '../access/index.js'
import type { Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { EventStore } from '../events/index.js'
import type { Topic } from './topics.js'
import type { Since } from './client-messages.js'
import type { Receiver } from './log-subscription.js'
import type { Hub } from './hub.js'
import type { WorkspaceDiscovery } from './workspace-discovery.js'
import type { EncodedFrames } from './encoded-frames.js'
import type { LogEnd, RealtimeStore } from './realtime-store.js'

export interface SubscriptionDeps {
  readonly environment: Environment
  readonly store: Pick<RealtimeStore, 'readLogEnds'>
  readonly events: Pick<EventStore, 'readEvents'>
  readonly hub: Hub
  readonly discovery: WorkspaceDiscovery
  /** How many events back `since` reaches. */
  readonly replayLimit: number
}

/** Who receives the messages. Kept as long as the subscription, unlike the rest of a request. */
export interface Subscriber extends Receiver {
  /** Shared by the subscribers of one connection, so that they catch up one at a time. */
  readonly turnsOf?: object
  /** Sends to this subscriber only, and resolves when it has taken the messages. */
  sendAlone(messages: EncodedFrames): Promise<void>
  /** Called when a later read of the log fails. */
  failed(error: unknown, channel: string): void
}

/** Who subscribes to what. */
export interface SubscriptionRequest {
  readonly topic: Topic
  readonly principal: Principal
  readonly subscriber: Subscriber
  readonly since: Since[string] | undefined
  /** Called before the first message, with the position where messages begin. */
  readonly confirm: (seq: number | Readonly<Record<string, number>>) => void
}

/** A channel of one connection. */
export interface Subscription {
  readonly topicName: string
  end(): void
}

/** The log ends of one workspace, or of all workspaces within reach. */
export function readEnds(
  { environment, store }: SubscriptionDeps,
  principal: Principal,
  workspaceId: string | null,
): Promise<readonly LogEnd[]> {
  return store.readLogEnds({ reach: principal, workspaceId }, environment.call())
}

/** @throws TaskboardError `INVALID_FIELD` (`since`). */
export function requirePosition(position: number, { workspaceId, seq }: LogEnd): number {
  if (position <= seq) return position
  throw refusedSince(`since is ahead of the log of ${workspaceId}`)
}

export function refusedSince(message: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', message, { field: 'since' })
}
