import { TaskboardError } from '../errors/index.js'
import type { LoggedEvent } from './catalog.js'
import type { NotificationTarget } from './notification-store.js'
import type { TaskboardEvent } from './taskboard-event.js'

/** A notification for a workspace's people. */
export interface Notification {
  readonly workspaceId: string
  /** The settings of this workspace: an address, a room. */
  readonly settings: NotificationTarget['settings']
  /** A retry carries the same `event.id`. */
  readonly event: TaskboardEvent
  /** The event in one line of plain text. */
  readonly text: string
  /** The page of its task in the dashboard; null for an event of no task, or without `publicUrl`. */
  readonly url: string | null
}

/** The page that an event is about; null when there is none. */
export type EventLink = (event: LoggedEvent) => string | null

/** A way to notify people: mail, chat, a pager. The host registers channels; each workspace chooses and configures its own. */
export interface NotificationChannel {
  /** Its name in a workspace's configuration: unique, and stored, so keep it. */
  readonly name: string
  /**
   * Sends one event. Resolve when it was sent. If you reject, or take longer than the timeout, the notifier retries. It may call this
   * more than once for an event, and for several workspaces at a time. For one workspace the events come in order, one after the
   * other. `signal` aborts when no one waits for the answer any more.
   */
  send(notification: Notification, options: { readonly signal: AbortSignal }): Promise<void>
}

/** The channels by name. @throws TaskboardError `INVALID_CONFIG` for a blank or repeated name. */
export function channelsByName(
  channels: readonly NotificationChannel[],
): ReadonlyMap<string, NotificationChannel> {
  const byName = new Map<string, NotificationChannel>()
  for (const channel of channels) {
    if (channel.name.trim() === '' || byName.has(channel.name)) {
      throw new TaskboardError(
        'INVALID_CONFIG',
        'each notification channel requires a distinct name that is not blank',
        {
          field: 'notifications',
        },
      )
    }
    byName.set(channel.name, channel)
  }
  return byName
}
