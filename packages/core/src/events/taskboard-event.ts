import type { EventDraft, EventType, LoggedEvent } from './catalogue.js'

/** An event as the host's code sees it: camelCase facts, times in epoch milliseconds. */
export type TaskboardEvent<T extends EventType = EventType> = Extract<EventDraft, { type: T }> &
  Pick<LoggedEvent, 'id' | 'workspaceId' | 'seq' | 'at'>

/** Leaves out the fields that only the log needs. */
export function toTaskboardEvent(logged: LoggedEvent): TaskboardEvent {
  const { payloadVersion: _, ...event } = logged
  return event
}
