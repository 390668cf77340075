import type { EventData, EventType, LoggedEvent } from './catalogue.js'

type Place = Pick<LoggedEvent, 'id' | 'workspaceId' | 'seq' | 'at'>

/** An event as the host's code sees it: data in camelCase, times in epoch milliseconds. */
export type TaskboardEvent<T extends EventType = EventType> = {
  [K in T]: Place & {
    readonly type: K
    readonly data: EventData[K]
  }
}[T]

/** Leaves out the fields that only the log needs. */
export function toTaskboardEvent(logged: LoggedEvent): TaskboardEvent {
  return new HostEvent(logged) as TaskboardEvent
}

class HostEvent implements Place {
  readonly id: string
  readonly workspaceId: string
  readonly seq: number
  readonly at: number
  readonly type: EventType
  readonly data: LoggedEvent['data']

  constructor({ id, workspaceId, seq, at, type, data }: LoggedEvent) {
    this.id = id
    this.workspaceId = workspaceId
    this.seq = seq
    this.at = at
    this.type = type
    this.data = data
  }
}
