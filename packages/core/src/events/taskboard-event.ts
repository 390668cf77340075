import type { EventData, EventType, LoggedEvent } from './catalog.js'

/** An event as the host's code sees it: data in camelCase, times in epoch milliseconds. */
export type TaskboardEvent<T extends EventType = EventType> = {
  [K in T]: Pick<LoggedEvent, 'id' | 'workspaceId' | 'seq' | 'at'> & {
    readonly type: K
    readonly data: EventData[K]
  }
}[T]

/** Leaves out the fields that only the log needs. */
export function toTaskboardEvent({ id, workspaceId, seq, at, type, data }: LoggedEvent): TaskboardEvent {
  return { id, workspaceId, seq, at, type, data } as TaskboardEvent
}
