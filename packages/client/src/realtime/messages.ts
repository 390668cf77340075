/** Where a channel is: the last `seq` seen; for `tasks` by workspace id. */
export type ChannelPosition = number | Readonly<Record<string, number>>

/** Who made a change. */
export interface RealtimeActor {
  readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
  readonly id: string | null
}

type BoardColumn = 'TODO' | 'DOING' | 'DONE'
type HoldReason = 'failed' | 'cancelled' | 'needs_input' | 'approval' | 'budget'

interface OfTask {
  readonly task_id: string
  readonly title: string
}

interface OfApproval extends OfTask {
  readonly approval_id: string
  readonly action: string
  readonly summary: string
  /** Null when `input_bytes` is above 4,096: read the approval. */
  readonly input: unknown
  /** How long the JSON text of the input is, in bytes. */
  readonly input_bytes: number
  readonly input_digest: string
  /** The first 12 digits of it, such as `3f2a-91bc-0d4e`. */
  readonly short_digest: string
}

/** The `data` of each event that has one, as in the webhook of that event. Times are ISO 8601, UTC. */
export interface RealtimeEventData {
  readonly 'task.created': OfTask & {
    readonly status: 'TODO'
    readonly description: string | null
    readonly priority: string
    readonly type: string | null
    readonly assigned_to: string | null
    readonly due_date: string | null
    readonly tags: readonly string[]
    readonly depends_on: readonly string[]
    readonly created_at: string
    readonly actor: RealtimeActor
  }
  readonly 'task.started': OfTask & {
    readonly status: 'DOING'
    readonly agent_id: string
    readonly attempt: number
    readonly started_at: string
  }
  readonly 'task.completed': OfTask & {
    readonly status: 'DONE'
    readonly started_at: string
    readonly completed_at: string
    readonly duration_seconds: number
    readonly result: string
    /** Who completed it, if that was not the agent that worked on it. */
    readonly actor?: RealtimeActor | undefined
  }
  readonly 'task.failed': OfTask & {
    readonly status: 'TODO'
    readonly reason: Exclude<HoldReason, 'cancelled'>
    readonly message: string | null
    readonly agent_id: string | null
    readonly attempts: number
    readonly failed_at: string
  }
  readonly 'task.moved': OfTask & {
    readonly status: BoardColumn
    readonly from: BoardColumn
    readonly to: BoardColumn
    readonly actor: RealtimeActor
  }
  readonly 'task.commented': OfTask & {
    readonly comment_id: string
    readonly kind: 'comment' | 'question' | 'answer' | 'decision'
    readonly author: RealtimeActor & { readonly name: string | null }
    readonly body: string
    readonly created_at: string
  }
  readonly 'task.updated': OfTask & {
    readonly status: BoardColumn
    /** The names of the fields that changed. */
    readonly fields: readonly string[]
    readonly actor: RealtimeActor
  }
  readonly 'task.cancelled': OfTask & {
    readonly status: 'TODO'
    readonly message: string | null
    readonly actor: RealtimeActor
  }
  readonly 'task.released': OfTask & {
    readonly status: 'TODO'
    readonly reason: HoldReason
    readonly actor: RealtimeActor
  }
  readonly 'task.deleted': OfTask & { readonly status: BoardColumn; readonly actor: RealtimeActor }
  readonly 'approval.requested': OfApproval & {
    readonly agent_id: string
    readonly requested_at: string
    readonly expires_at: string
  }
  readonly 'approval.decided': OfApproval & {
    readonly decision: 'approved' | 'rejected'
    readonly comment: string | null
    readonly decided_by: RealtimeActor & { readonly name: string | null }
    readonly decided_at: string
  }
}

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

/** A message of a subscription. Ignore types that you do not know: later versions of the server add some. */
export type RealtimeMessage =
  | RealtimeEvent
  | (Positioned & { readonly type: 'task.progress'; readonly task_id: string; readonly progress: number })
  | (Positioned & {
      readonly type: 'agent.status'
      readonly agent_id: string
      readonly status: 'available' | 'busy' | 'offline'
    })
  /** A line of a task's log as it is written. It has no `seq`, is not sent again, and some may be missing. */
  | (OnChannel & {
      readonly type: 'task.log'
      readonly task_id: string
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly message: string
      readonly timestamp: string
    })
  /** The events from one `seq` to the other, both included, are no longer available: read the state by the API. */
  | (OnChannel & { readonly type: 'gap'; readonly from: number; readonly to: number })
  /**
   * The channel is connected, for the first time or again: what follows is after `seq`. `resumed`: nothing is missing since the
   * last message, or since the option `since`. When it is false, the channel begins with the present: read the state by the API.
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
