import { TaskboardError } from '../errors/index.js'
import type { EventType } from './catalogue.js'
import type { NotificationTarget } from './notification-store.js'
import type { TaskboardEvent } from './taskboard-event.js'

/** The events that notification channels are told of: each change of a task's state, and alerts. */
export const notifiedEventTypes = [
  'task.created',
  'task.started',
  'task.completed',
  'task.failed',
  'task.moved',
  'agent.alert',
] as const satisfies readonly EventType[]

/** What a channel is to tell a workspace's people. */
export interface Notification {
  readonly workspaceId: string
  /** What this workspace configured: an address, a room. */
  readonly settings: NotificationTarget['settings']
  /** A repeat carries the same `event.id`. */
  readonly event: TaskboardEvent
  /** The event in one line of plain text. */
  readonly text: string
}

/** A way to tell people: mail, chat, a pager. The host registers channels, each workspace chooses and sets up its own. */
export interface NotificationChannel {
  /** Names it in a workspace's configuration: unique, and to be kept, because it is stored. */
  readonly name: string
  /**
   * Tells of one event. Resolving means that it was told; rejecting, or taking longer than the time-out, makes the notifier
   * come again. May be called more than once for an event, and for several workspaces at a time; for one workspace the
   * events come in order, one after the other. `signal` aborts when nobody waits for the answer any more.
   */
  send(notification: Notification, options: { readonly signal: AbortSignal }): Promise<void>
}

/** The channels by name. @throws TaskboardError `INVALID_CONFIG` for a name that is blank or given twice. */
export function channelsByName(
  channels: readonly NotificationChannel[],
): ReadonlyMap<string, NotificationChannel> {
  const byName = new Map<string, NotificationChannel>()
  for (const channel of channels) {
    if (channel.name.trim() === '' || byName.has(channel.name)) {
      throw new TaskboardError('INVALID_CONFIG', 'notification channels need names of their own', {
        field: 'notifications',
      })
    }
    byName.set(channel.name, channel)
  }
  return byName
}
