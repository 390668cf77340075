import type { RealtimeEventData } from '../wire.js'

/** Where a channel is: the last `seq` seen; for `tasks` by workspace id. */
export type ChannelPosition = number | Readonly<Record<string, number>>

/** Who made a change. */
export type RealtimeActor = RealtimeEventData['task.created']['actor']

interface OnChannel {
  readonly channel: string
  readonly workspace_id: string
}

/** Where an event is in the log of its workspace. On one channel and for one workspace, `seq` only grows. */
interface Positioned extends OnChannel {
  readonly seq: number
  /** ISO 8601 UTC, when it happened. */
  readonly timestamp: string
}

/** An event with the data of its webhook. */
export type RealtimeEvent<T extends keyof RealtimeEventData = keyof RealtimeEventData> = {
  readonly [K in T]: Positioned & { readonly type: K; readonly data: RealtimeEventData[K] }
}[T]

/** A message of a subscription. Ignore types that you don't know: later versions of the server add some. */
export type RealtimeMessage =
  | RealtimeEvent
  | (Positioned & { readonly type: 'task.progress'; readonly task_id: string; readonly progress: number })
  | (Positioned & {
      readonly type: 'agent.status'
      readonly agent_id: string
      readonly status: 'available' | 'busy' | 'offline'
    })
  /** A line of a task's log as it is written. It has no `seq`, isn't sent again, and some may be missing. */
  | (OnChannel & {
      readonly type: 'task.log'
      readonly task_id: string
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly message: string
      readonly timestamp: string
    })
  /** The events from one `seq` to the other, both included, are no longer available: read the state through the API. */
  | (OnChannel & { readonly type: 'gap'; readonly from: number; readonly to: number })
  /**
   * The channel is connected, for the first time or again: what follows is after `seq`. `resumed`: no message is missing since the last
   * message, or since the option `since`. When it is false, the channel begins with the present: read the state through the API.
   */
  | {
      readonly type: 'subscribed'
      readonly channel: string
      readonly seq: ChannelPosition
      readonly resumed: boolean
    }

/** Any message of the server, before its type is known. */
export interface ServerMessage {
  readonly type: string
  readonly channel?: string
  readonly workspace_id?: string
  readonly seq?: ChannelPosition
  readonly from?: number
  readonly to?: number
  readonly request_id?: string
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly details?: { readonly field?: string }
    readonly request_id?: string
  }
}
