// Made by scripts/generate-wire.ts from the OpenAPI document, and not changed by hand.

/* oxlint-disable max-lines */

export interface ErrorBody {
  readonly error: {
    readonly code:
      | 'AUTHENTICATION_FAILED'
      | 'AUTHORIZATION_FAILED'
      | 'INVALID_REQUEST'
      | 'RESOURCE_NOT_FOUND'
      | 'METHOD_NOT_ALLOWED'
      | 'PAYLOAD_TOO_LARGE'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'CONFLICT'
      | 'RATE_LIMIT_EXCEEDED'
      | 'QUOTA_EXCEEDED'
      | 'SERVICE_UNAVAILABLE'
      | 'INTERNAL_ERROR'
    readonly message: string
    readonly details: {
      /** The first invalid field; empty when there is none. */
      readonly field: string
      readonly issue: string
    }
    readonly request_id: string
    readonly timestamp: string
  }
}

export interface Tokens {
  /** A JSON Web Token, for the Authorization header. */
  readonly access_token: string
  /** Valid for one refresh. */
  readonly refresh_token: string
  /** How long the access token is valid, in seconds. */
  readonly expires_in: number
  readonly token_type: 'Bearer'
}

export interface Member {
  readonly id: string
  readonly email: string
  readonly scopes: readonly (
    | 'tasks:read'
    | 'tasks:write'
    | 'approvals:write'
    | 'agents:read'
    | 'agents:write'
    | 'analytics:read'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'chat:write'
    | 'account:read'
    | 'account:write'
  )[]
  readonly is_caller: boolean
  readonly created_at: string
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly tier: 'professional' | 'enterprise' | 'custom'
  readonly created_at: string
  readonly caller: {
    readonly id: string
    readonly kind: 'user' | 'api_key'
    readonly scopes: readonly (
      | 'tasks:read'
      | 'tasks:write'
      | 'approvals:write'
      | 'agents:read'
      | 'agents:write'
      | 'analytics:read'
      | 'webhooks:read'
      | 'webhooks:write'
      | 'chat:write'
      | 'account:read'
      | 'account:write'
    )[]
  }
  readonly workspaces: readonly Workspace[]
  readonly limits: {
    /** Null: unlimited. */
    readonly requests_per_hour: number | null
    /** Null: unlimited. */
    readonly burst_per_minute: number | null
    /** Null: unlimited. */
    readonly websocket_connections: number | null
  }
  readonly usage: Usage
}

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly is_default: boolean
  readonly created_at: string
}

export interface Usage {
  readonly tasks_per_month: {
    /** Null while they are not limited and not counted. */
    readonly used: number | null
    /** Null: unlimited. */
    readonly limit: number | null
    readonly resets_at: string
  }
  readonly agents: {
    readonly used: number
    /** Null: unlimited. */
    readonly limit: number | null
  }
  readonly api_keys: {
    readonly used: number
    /** Null: unlimited. */
    readonly limit: number | null
  }
  readonly webhooks: {
    readonly used: number
    /** Null: unlimited. */
    readonly limit: number | null
  }
  readonly notification_channels: {
    readonly used: number
    /** Null: unlimited. */
    readonly limit: number | null
  }
}

export interface CreatedApiKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly (
    | 'tasks:read'
    | 'tasks:write'
    | 'approvals:write'
    | 'agents:read'
    | 'agents:write'
    | 'analytics:read'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'chat:write'
    | 'account:read'
    | 'account:write'
  )[]
  /** Null for a key that reaches the whole account. */
  readonly workspace_id: string | null
  readonly created_at: string
  readonly expires_at: string | null
  /** Returned only once. */
  readonly key: string
}

export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly (
    | 'tasks:read'
    | 'tasks:write'
    | 'approvals:write'
    | 'agents:read'
    | 'agents:write'
    | 'analytics:read'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'chat:write'
    | 'account:read'
    | 'account:write'
  )[]
  /** Null for a key that reaches the whole account. */
  readonly workspace_id: string | null
  readonly created_at: string
  readonly expires_at: string | null
  /** The first characters of the key. */
  readonly prefix: string
  readonly revoked_at: string | null
}

export interface CreatedTask {
  readonly id: string
  readonly title: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'blocked'
  /** In percent. */
  readonly progress: number
  readonly created_at: string
  /** When agents are expected to complete it; null while there is no estimate. */
  readonly estimated_completion: string | null
  readonly agent: TaskAgent | null
}

/** The agent that works the task, else the one that completed it, else the assigned one. */
export interface TaskAgent {
  readonly id: string
  readonly name: string
  readonly status: 'available' | 'busy' | 'offline'
}

export interface Task {
  readonly id: string
  readonly workspace_id: string
  readonly parent_id: string | null
  readonly title: string
  readonly description: string | null
  readonly type: string | null
  readonly priority: 'urgent' | 'high' | 'medium' | 'low'
  readonly assigned_to: string | null
  readonly deadline: string | null
  readonly not_before: string | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
  readonly depends_on: readonly string[]
  readonly budget: Budget | null
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'blocked'
  readonly column: 'todo' | 'doing' | 'done'
  /** Why agents cannot take a task in todo. */
  readonly hold: {
    readonly reason: 'failed' | 'cancelled' | 'needs_input' | 'approval' | 'budget'
    readonly message: string | null
    readonly since: string
  } | null
  /** In percent. */
  readonly progress: number
  readonly agent: TaskAgent | null
  /** Who moved the task to doing or done, or completed it, without an agent; null in todo and for the work of an agent. */
  readonly taken_by: NamedActor | null
  /** The number of tasks in depends_on that are not done. */
  readonly open_dependencies: number
  readonly result: string | null
  readonly attempts: number
  readonly created_at: string
  readonly updated_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
}

export interface Budget {
  readonly tokens: number | null
  readonly cost_usd: number | null
}

export interface NamedActor {
  readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
  readonly id: string | null
  /** As it was at that time; null for none. */
  readonly name: string | null
}

export interface ListedTask {
  readonly id: string
  readonly workspace_id: string
  readonly parent_id: string | null
  readonly title: string
  readonly description: string | null
  readonly type: string | null
  readonly priority: 'urgent' | 'high' | 'medium' | 'low'
  readonly assigned_to: string | null
  readonly deadline: string | null
  readonly not_before: string | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
  readonly depends_on: readonly string[]
  readonly budget: Budget | null
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'blocked'
  readonly column: 'todo' | 'doing' | 'done'
  /** Why agents cannot take a task in todo. */
  readonly hold: {
    readonly reason: 'failed' | 'cancelled' | 'needs_input' | 'approval' | 'budget'
    readonly message: string | null
    readonly since: string
  } | null
  /** In percent. */
  readonly progress: number
  readonly agent: TaskAgent | null
  /** Who moved the task to doing or done, or completed it, without an agent; null in todo and for the work of an agent. */
  readonly taken_by: NamedActor | null
  /** The number of tasks in depends_on that are not done. */
  readonly open_dependencies: number
  readonly result: string | null
  readonly attempts: number
  readonly created_at: string
  readonly updated_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
  /** The sum of all reports on it, with include=usage. */
  readonly usage?: TaskUsage
}

export interface TaskUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  /** The part of input_tokens that a cache had. */
  readonly cached_input_tokens: number
  readonly cost_usd: number
}

export interface TaskDetail {
  readonly id: string
  readonly workspace_id: string
  readonly parent_id: string | null
  readonly title: string
  readonly description: string | null
  readonly type: string | null
  readonly priority: 'urgent' | 'high' | 'medium' | 'low'
  readonly assigned_to: string | null
  readonly deadline: string | null
  readonly not_before: string | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
  readonly depends_on: readonly string[]
  readonly budget: Budget | null
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'blocked'
  readonly column: 'todo' | 'doing' | 'done'
  /** Why agents cannot take a task in todo. */
  readonly hold: {
    readonly reason: 'failed' | 'cancelled' | 'needs_input' | 'approval' | 'budget'
    readonly message: string | null
    readonly since: string
  } | null
  /** In percent. */
  readonly progress: number
  readonly agent: TaskAgent | null
  /** Who moved the task to doing or done, or completed it, without an agent; null in todo and for the work of an agent. */
  readonly taken_by: NamedActor | null
  /** The number of tasks in depends_on that are not done. */
  readonly open_dependencies: number
  readonly result: string | null
  readonly attempts: number
  readonly created_at: string
  readonly updated_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
  /** The newest 100 lines, oldest first. */
  readonly logs: readonly TaskLogLine[]
  readonly outputs: readonly TaskOutput[]
  /** The sum of all reports on it. */
  readonly usage: TaskUsage
}

export interface TaskLogLine {
  readonly timestamp: string
  readonly message: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
}

export interface TaskOutput {
  readonly type: string
  readonly name: string
  readonly url: string
  /** In bytes; null when unknown. */
  readonly size: number | null
}

export interface TaskAttempt {
  /** The name is null once the agent was deleted. */
  readonly agent: {
    readonly id: string
    readonly name: string | null
  }
  readonly started_at: string
  readonly ended_at: string | null
  readonly outcome:
    'completed' | 'failed' | 'retried' | 'held' | 'expired' | 'revoked' | 'returned' | 'postponed' | null
  readonly reason: string | null
}

export interface TaskScore {
  /** The sum of each weight times its value, to four decimals. */
  readonly score: number
  readonly factors: {
    /** The priority flag: low 0 to urgent 1. */
    readonly flag: {
      /** The share of the score, 0 to 1. The four weights add up to 1. */
      readonly weight: number
      /** 0 to 1. */
      readonly value: number
    }
    /** How close the deadline is; 0 without one, 1 when it has passed. */
    readonly due: {
      /** The share of the score, 0 to 1. The four weights add up to 1. */
      readonly weight: number
      /** 0 to 1. */
      readonly value: number
    }
    /** How long the task has existed. */
    readonly age: {
      /** The share of the score, 0 to 1. The four weights add up to 1. */
      readonly weight: number
      /** 0 to 1. */
      readonly value: number
    }
    /** 1 unless a dependency is not done. */
    readonly free: {
      /** The share of the score, 0 to 1. The four weights add up to 1. */
      readonly weight: number
      /** 0 to 1. */
      readonly value: number
    }
  }
  /** Why no agent can take the task now. Empty when one can as soon as its turn comes, and outside of todo. */
  readonly waits_for: readonly {
    /** `no_agent`: the workspace has none that may take the task. `paused`, `offline`, `resting`, `budget`: so are the agents that may take it, each of them; `budget` without agents is that of the workspace. */
    readonly reason:
      'hold' | 'not_before' | 'dependencies' | 'no_agent' | 'budget' | 'paused' | 'offline' | 'resting'
    /** When it ends by itself, for the first of the agents; null when it does not. */
    readonly until: string | null
    /** How many tasks, or agents. */
    readonly count: number | null
    /** The first five of the agents. */
    readonly agents: readonly {
      readonly id: string
      readonly name: string
    }[]
  }[]
  readonly as_of: string
}

export interface ClaimedTask {
  readonly id: string
  readonly workspace_id: string
  readonly parent_id: string | null
  readonly title: string
  readonly description: string | null
  readonly type: string | null
  readonly priority: 'urgent' | 'high' | 'medium' | 'low'
  readonly assigned_to: string | null
  readonly deadline: string | null
  readonly not_before: string | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
  readonly depends_on: readonly string[]
  readonly budget: Budget | null
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'blocked'
  readonly column: 'todo' | 'doing' | 'done'
  /** Why agents cannot take a task in todo. */
  readonly hold: {
    readonly reason: 'failed' | 'cancelled' | 'needs_input' | 'approval' | 'budget'
    readonly message: string | null
    readonly since: string
  } | null
  /** In percent. */
  readonly progress: number
  readonly agent: TaskAgent | null
  /** Who moved the task to doing or done, or completed it, without an agent; null in todo and for the work of an agent. */
  readonly taken_by: NamedActor | null
  /** The number of tasks in depends_on that are not done. */
  readonly open_dependencies: number
  readonly result: string | null
  readonly attempts: number
  readonly created_at: string
  readonly updated_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly fencing_token: number
  readonly lease_expires_at: string
  /** The last question of an agent on the task; null when there is none. */
  readonly question: Comment | null
  /** The answer to the last question on the task; null when there is none. */
  readonly answer: Comment | null
}

export interface Comment {
  readonly id: string
  readonly task_id: string
  readonly author: NamedActor
  readonly kind: 'comment' | 'question' | 'answer' | 'decision'
  readonly body: string
  readonly created_at: string
}

export interface WorkedTask {
  readonly id: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'blocked'
  /** In percent. */
  readonly progress: number
  readonly fencing_token: number
  /** Null once the agent no longer has the task. */
  readonly lease_expires_at: string | null
  /** When a failed task can be taken again. */
  readonly not_before: string | null
}

export interface RecordedUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  /** The part of input_tokens that a cache had. */
  readonly cached_input_tokens: number
  readonly cost_usd: number
  readonly id: string
  readonly task_id: string
  readonly agent_id: string | null
  readonly fencing_token: number | null
  readonly model: string
  readonly at: string
  /** The sum of all reports on the task. */
  readonly total: TaskUsage
  /** Whose budget has nothing left after it. The task is then on hold as budget. */
  readonly spent: 'task' | 'agent' | 'workspace' | null
}

export interface Approval {
  readonly id: string
  readonly workspace_id: string
  readonly task_id: string
  readonly action: string
  readonly summary: string
  /** What the action works on: any JSON. */
  readonly input: unknown
  /** The SHA-256 of the canonical JSON of the input. */
  readonly input_digest: string
  /** The first 12 digits of input_digest, such as 3f2a-91bc-0d4e. Show it with the input, and pass it with the decision. */
  readonly short_digest: string
  readonly status: 'pending' | 'approved' | 'rejected' | 'used' | 'expired'
  readonly agent_id: string
  readonly requested_by: {
    readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
    readonly id: string | null
  }
  /** What asked, and may use it: an agent in the host's process, the credential that requested_by names, or the host's own code. */
  readonly asker: 'runtime' | 'credential' | 'host'
  readonly requested_at: string
  readonly expires_at: string
  readonly decided_by: NamedActor | null
  readonly decided_at: string | null
  readonly comment: string | null
  readonly used_at: string | null
}

export interface Schedule {
  readonly id: string
  readonly workspace_id: string
  readonly cron: string
  readonly time_zone: string
  readonly task: ScheduledTask
  readonly overlap: 'skip' | 'allow'
  readonly enabled: boolean
  /** The next occurrence; null while it is disabled. */
  readonly next_at: string | null
  /** The last occurrence that made or skipped a task. */
  readonly last_at: string | null
  readonly last_task_id: string | null
  /** Why the last occurrence made no task, although it should have. */
  readonly last_error: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface ScheduledTask {
  readonly title: string
  readonly description: string | null
  readonly type: string | null
  readonly priority: 'urgent' | 'high' | 'medium' | 'low'
  readonly assigned_to: string | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
  readonly budget: Budget | null
}

export interface Agent {
  readonly id: string
  readonly workspace_id: string
  readonly name: string
  readonly type: string
  readonly status: 'available' | 'busy' | 'offline'
  readonly model: string | null
  readonly system_prompt: string | null
  readonly capabilities: readonly string[]
  readonly tools: readonly string[]
  readonly paused: boolean
  readonly max_concurrent: number | null
  /** The tasks that it works on, and those that only it can take. */
  readonly current_workload: number
  /** The completed share of its last hundred attempts that it ended itself; 1 before the first. */
  readonly success_rate: number
  /** Whether no runtime of the host runs its tasks at present: your own program claims them. */
  readonly is_remote: boolean
  /** Until when it takes no task because its budget, or that of its workspace, is spent; null while neither is. */
  readonly budget_spent_until: string | null
  /** Until when it takes no task because the provider of its model could not work; null otherwise. */
  readonly resting_until: string | null
  readonly created_at: string
}

export interface MonthlyBudget {
  readonly workspace_id: string
  /** Null for the budget of the workspace itself. */
  readonly agent_id: string | null
  readonly budget: Budget | null
  /** The start of the calendar month, UTC. */
  readonly month: string
  readonly used: {
    readonly tokens: number
    readonly cost_usd: number
  }
  /** While true, no claim gives a task to the agent, or within the workspace. */
  readonly is_spent: boolean
}

export interface TaskAnalytics {
  readonly period: {
    readonly from: string
    readonly to: string
  }
  readonly metrics: {
    /** The number of tasks created. */
    readonly total_tasks: number
    /** The number of tasks completed and not reopened since. */
    readonly completed_tasks: number
    /** The completed share of the tasks that were completed or failed for good; 0 when there are none. */
    readonly success_rate: number
    /** In seconds; 0 when there is nothing to measure. */
    readonly avg_completion_time: number
    readonly time_saved_hours: number
  }
  readonly daily_breakdown: readonly {
    /** The first day of the day, week or month. */
    readonly date: string
    readonly tasks_completed: number
    /** In seconds; 0 when there is nothing to measure. */
    readonly avg_completion_time: number
    /** In hours. */
    readonly time_saved: number
  }[]
}

export interface UsageSum {
  readonly input_tokens: number
  readonly output_tokens: number
  /** The part of input_tokens that a cache had. */
  readonly cached_input_tokens: number
  readonly cost_usd: number
  /** A day as 2026-11-22, the id of an agent, a type or a model. Empty for none. */
  readonly key: string
  readonly reports: number
}

export interface Webhook {
  readonly id: string
  readonly workspace_id: string
  readonly url: string
  readonly events: readonly (
    | 'task.created'
    | 'task.started'
    | 'task.completed'
    | 'task.failed'
    | 'task.moved'
    | 'task.commented'
    | 'task.updated'
    | 'task.cancelled'
    | 'task.released'
    | 'task.deleted'
    | 'approval.requested'
    | 'approval.decided'
    | 'agent.alert'
    | 'email.received'
    | 'order.new'
  )[]
  /** Whether deliveries carry a signature. */
  readonly signed: boolean
  readonly enabled: boolean
  readonly disabled_reason: 'gone' | 'failing' | 'host' | null
  readonly failing_since: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface Delivery {
  readonly id: string
  readonly event: {
    readonly type:
      | 'task.created'
      | 'task.started'
      | 'task.completed'
      | 'task.failed'
      | 'task.moved'
      | 'task.commented'
      | 'task.updated'
      | 'task.cancelled'
      | 'task.released'
      | 'task.deleted'
      | 'approval.requested'
      | 'approval.decided'
      | 'agent.alert'
      | 'email.received'
      | 'order.new'
    readonly at: string
  }
  /** skipped: it was created or fell due while the webhook was disabled. Resend it to send it. */
  readonly status: 'pending' | 'succeeded' | 'failed' | 'skipped'
  readonly attempt_count: number
  readonly attempts: readonly {
    readonly at: string
    readonly duration_ms: number
    /** The receiver's status; null when there was none. */
    readonly status: number | null
    readonly error: string | null
    /** The first 1 KiB of the receiver’s answer. */
    readonly response: string | null
  }[]
  readonly next_attempt_at: string | null
  readonly created_at: string
}

export interface NotificationChannel {
  readonly id: string
  readonly workspace_id: string
  readonly type: string
  readonly name: string
  /** With `********` for each secret. The type says which members there are. */
  readonly config: Readonly<Record<string, unknown>>
  readonly events: readonly (
    | 'task.created'
    | 'task.started'
    | 'task.completed'
    | 'task.failed'
    | 'task.moved'
    | 'task.commented'
    | 'task.updated'
    | 'task.cancelled'
    | 'task.released'
    | 'task.deleted'
    | 'approval.requested'
    | 'approval.decided'
    | 'agent.alert'
  )[]
  /** Null while deliveries succeed. */
  readonly failing_since: string | null
  /** Why the last delivery failed; null when it succeeded, or after a change. */
  readonly last_error: string | null
  readonly last_delivered_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface BoardError {
  readonly success: false
  /** For people; it may change. */
  readonly error: string
  readonly code:
    | 'UNAUTHORIZED'
    | 'FORBIDDEN'
    | 'INVALID_ACTION'
    | 'MISSING_FIELD'
    | 'INVALID_FIELD'
    | 'INVALID_JSON'
    | 'TASK_NOT_FOUND'
    | 'NOT_FOUND'
    | 'METHOD_NOT_ALLOWED'
    | 'PAYLOAD_TOO_LARGE'
    | 'UNSUPPORTED_MEDIA_TYPE'
    | 'CONFLICT'
    | 'RATE_LIMITED'
    | 'QUOTA_EXCEEDED'
    | 'AGENT_UNAVAILABLE'
    | 'SERVICE_UNAVAILABLE'
    | 'INTERNAL_ERROR'
}

export interface BoardTask {
  readonly id: string
  readonly title: string
  readonly description: string | null
  readonly priority: 'urgent' | 'high' | 'medium' | 'low'
  /** As of the answer, rounded to four decimals. */
  readonly priority_score: number
  readonly status: 'TODO' | 'DOING' | 'DONE'
  readonly created_at: string
  readonly due_date: string | null
  readonly tags: readonly string[]
  /** Why agents cannot take the task; only present on a held task. */
  readonly hold?: {
    readonly reason: 'failed' | 'cancelled' | 'needs_input' | 'approval' | 'budget'
    readonly message: string | null
  }
}

/** For `action=add`. */
export interface BoardAdd {
  /** 1 to 200 characters. */
  readonly title: string
  readonly description?: string | null | undefined
  /** Any text. While the workspace has agents of this type, only they can take the task; otherwise any agent can. */
  readonly type?: string | null | undefined
  readonly priority?: 'urgent' | 'high' | 'medium' | 'low' | null | undefined
  /** The only agent that can take the task. */
  readonly assigned_to?: string | null | undefined
  /** No agent takes the task before this time. */
  readonly not_before?: string | null | undefined
  readonly tags?: readonly string[] | null | undefined
  /** At most 16,384 characters as JSON. */
  readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
  /** Tasks that must be done before agents can take it. */
  readonly depends_on?: readonly string[] | null | undefined
  readonly budget?:
    | {
        /** Input and output together: a whole number from 1. */
        readonly tokens?: number | null | undefined
        /** From 0.000001, in whole millionths. */
        readonly cost_usd?: number | null | undefined
      }
    | null
    | undefined
  readonly due_date?: string | null | undefined
}

/** For `action=move`. */
export interface BoardMove {
  readonly task_id: string
  readonly to: 'todo' | 'doing' | 'done'
}

/** For `action=chat`. */
export interface BoardChat {
  readonly message: string
  readonly user?: string | null | undefined
}

export interface BoardTaskWritten {
  readonly success: true
  readonly task: CreatedBoardTask
}

export interface CreatedBoardTask {
  readonly id: string
  readonly title: string
  readonly status: 'TODO' | 'DOING' | 'DONE'
  /** As of the answer, rounded to four decimals. */
  readonly priority_score: number
  readonly created_at: string
}

export interface BoardChatReply {
  readonly success: true
  readonly reply: string
  readonly timestamp: string
}

export interface BoardWebhook {
  readonly url: string
  readonly events: readonly (
    | 'task.created'
    | 'task.started'
    | 'task.completed'
    | 'task.failed'
    | 'task.moved'
    | 'task.commented'
    | 'task.updated'
    | 'task.cancelled'
    | 'task.released'
    | 'task.deleted'
    | 'approval.requested'
    | 'approval.decided'
    | 'agent.alert'
    | 'email.received'
    | 'order.new'
  )[]
  readonly secret?: string | null | undefined
}

/** Of `listBoardTasks`. */
export interface ListBoardTasksQuery {
  readonly action: 'todo' | 'doing' | 'done'
  readonly limit?: number | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listBoardTasks`. */
export interface ListBoardTasksAnswer {
  readonly success: true
  readonly tasks: readonly BoardTask[]
  readonly count: number
  /** Only present when there are more tasks. */
  readonly next_cursor?: string
}

/** Of `writeToBoard`. */
export interface WriteToBoardQuery {
  readonly action: 'add' | 'move' | 'chat'
}

/** Of `registerWebhook`. */
export interface RegisterWebhookAnswer {
  readonly success: true
  readonly webhook: {
    readonly id: string
    readonly url: string
    readonly events: readonly (
      | 'task.created'
      | 'task.started'
      | 'task.completed'
      | 'task.failed'
      | 'task.moved'
      | 'task.commented'
      | 'task.updated'
      | 'task.cancelled'
      | 'task.released'
      | 'task.deleted'
      | 'approval.requested'
      | 'approval.decided'
      | 'agent.alert'
      | 'email.received'
      | 'order.new'
    )[]
    readonly enabled: boolean
    readonly signed: boolean
    readonly created_at: string
  }
}

/** Of `login`. */
export interface LoginBody {
  readonly email: string
  readonly password: string
  readonly mfa_code?: string | null | undefined
}

/** Of `refreshTokens`. */
export interface RefreshTokensBody {
  /** The one from the latest login or refresh. */
  readonly refresh_token: string
}

/** Of `logout`. */
export interface LogoutBody {
  readonly refresh_token?: string | null | undefined
}

/** Of `beginMfa`. */
export type BeginMfaBody = Readonly<Record<string, never>>

/** Of `beginMfa`. */
export interface BeginMfaAnswer {
  /** For display as a QR code. */
  readonly otpauth_uri: string
  /** The same secret, for manual entry. */
  readonly secret: string
}

/** Of `removeMfa`. */
export interface RemoveMfaBody {
  /** A one-time password. A recovery code also works to end the enrolment. */
  readonly mfa_code: string
}

/** Of `confirmMfa`. */
export interface ConfirmMfaBody {
  /** A one-time password. A recovery code also works to end the enrolment. */
  readonly mfa_code: string
}

/** Of `confirmMfa`. */
export interface ConfirmMfaAnswer {
  readonly recovery_codes: readonly string[]
}

/** Of `listMembers`. */
export interface ListMembersAnswer {
  readonly members: readonly Member[]
}

/** Of `createMember`. */
export interface CreateMemberBody {
  readonly email: string
  /** 12 to 256 characters. */
  readonly password: string
  readonly scopes?:
    | readonly (
        | 'tasks:read'
        | 'tasks:write'
        | 'approvals:write'
        | 'agents:read'
        | 'agents:write'
        | 'analytics:read'
        | 'webhooks:read'
        | 'webhooks:write'
        | 'chat:write'
        | 'account:read'
        | 'account:write'
      )[]
    | null
    | undefined
}

/** Of `changePassword`. */
export interface ChangePasswordBody {
  readonly current_password: string
  /** 12 to 256 characters. */
  readonly password: string
}

/** Of `createWorkspace`. */
export interface CreateWorkspaceBody {
  /** 1 to 100 characters. */
  readonly name: string
}

/** Of `updateWorkspace`. */
export interface UpdateWorkspaceBody {
  /** 1 to 100 characters. */
  readonly name: string
}

/** Of `createApiKey`. */
export interface CreateApiKeyBody {
  /** 1 to 100 characters. */
  readonly name: string
  readonly scopes: readonly (
    | 'tasks:read'
    | 'tasks:write'
    | 'approvals:write'
    | 'agents:read'
    | 'agents:write'
    | 'analytics:read'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'chat:write'
    | 'account:read'
    | 'account:write'
  )[]
  readonly expires_at?: string | null | undefined
  readonly workspace_id?: string | null | undefined
}

/** Of `listApiKeys`. */
export interface ListApiKeysQuery {
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listApiKeys`. */
export interface ListApiKeysAnswer {
  readonly api_keys: readonly ApiKey[]
  readonly next_cursor: string | null
}

/** Of `rotateApiKey`. */
export interface RotateApiKeyBody {
  readonly overlap_s?: number | null | undefined
}

/** Of `rotateApiKey`. */
export interface RotateApiKeyAnswer {
  readonly id: string
  readonly name: string
  readonly scopes: readonly (
    | 'tasks:read'
    | 'tasks:write'
    | 'approvals:write'
    | 'agents:read'
    | 'agents:write'
    | 'analytics:read'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'chat:write'
    | 'account:read'
    | 'account:write'
  )[]
  /** Null for a key that reaches the whole account. */
  readonly workspace_id: string | null
  readonly created_at: string
  readonly expires_at: string | null
  /** Returned only once. */
  readonly key: string
  readonly replaced: {
    readonly id: string
    readonly expires_at: string | null
  }
}

/** Of `createTask`. */
export interface CreateTaskBody {
  /** 1 to 200 characters. */
  readonly title: string
  readonly description?: string | null | undefined
  /** Any text. While the workspace has agents of this type, only they can take the task; otherwise any agent can. */
  readonly type?: string | null | undefined
  readonly priority?: 'urgent' | 'high' | 'medium' | 'low' | null | undefined
  /** The only agent that can take the task. */
  readonly assigned_to?: string | null | undefined
  readonly deadline?: string | null | undefined
  /** No agent takes the task before this time. */
  readonly not_before?: string | null | undefined
  readonly tags?: readonly string[] | null | undefined
  /** At most 16,384 characters as JSON. */
  readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
  /** Tasks that must be done before agents can take it. */
  readonly depends_on?: readonly string[] | null | undefined
  readonly budget?:
    | {
        /** Input and output together: a whole number from 1. */
        readonly tokens?: number | null | undefined
        /** From 0.000001, in whole millionths. */
        readonly cost_usd?: number | null | undefined
      }
    | null
    | undefined
  /** The task that this one becomes a part of. It can have 50 subtasks that are not done, and there are at most 5 levels. */
  readonly parent_id?: string | null | undefined
  readonly workspace_id?: string | null | undefined
}

/** Of `listTasks`. */
export interface ListTasksQuery {
  /** Words, of at most 200 characters in all. Each begins a word of the title or the description, in any case, with or without accents. */
  readonly q?: string | undefined
  readonly status?: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'blocked' | undefined
  readonly column?: 'todo' | 'doing' | 'done' | undefined
  /** Only tasks on hold for this reason. */
  readonly hold?: 'failed' | 'cancelled' | 'needs_input' | 'approval' | 'budget' | undefined
  readonly type?: string | undefined
  /** Only tasks with this tag. */
  readonly tag?: string | undefined
  readonly priority?: 'urgent' | 'high' | 'medium' | 'low' | undefined
  /** Only tasks that this agent is assigned to, works or completed. */
  readonly agent_id?: string | undefined
  /** Only tasks that this agent alone can take. */
  readonly assigned_to?: string | undefined
  /** Only the subtasks of this task. */
  readonly parent_id?: string | undefined
  readonly workspace_id?: string | undefined
  /** Created at or after this time. */
  readonly created_after?: string | undefined
  /** Created before this time. */
  readonly created_before?: string | undefined
  /** Due at or after this time. */
  readonly due_after?: string | undefined
  /** Due before this time. */
  readonly due_before?: string | undefined
  /** created: newest first. updated: latest change first. due: earliest deadline first, tasks without one last. priority_score: only tasks in todo, highest score first, tasks on hold last. */
  readonly sort?: 'created' | 'updated' | 'due' | 'priority_score' | undefined
  /** usage: each task with the sum of what was reported on it. */
  readonly include?: 'usage' | undefined
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listTasks`. */
export interface ListTasksAnswer {
  readonly tasks: readonly ListedTask[]
  readonly next_cursor: string | null
}

/** Of `createTasks`. */
export interface CreateTasksBody {
  readonly tasks: readonly {
    /** 1 to 200 characters. */
    readonly title: string
    readonly description?: string | null | undefined
    /** Any text. While the workspace has agents of this type, only they can take the task; otherwise any agent can. */
    readonly type?: string | null | undefined
    readonly priority?: 'urgent' | 'high' | 'medium' | 'low' | null | undefined
    /** The only agent that can take the task. */
    readonly assigned_to?: string | null | undefined
    readonly deadline?: string | null | undefined
    /** No agent takes the task before this time. */
    readonly not_before?: string | null | undefined
    readonly tags?: readonly string[] | null | undefined
    /** At most 16,384 characters as JSON. */
    readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
    /** Tasks that must be done before agents can take it. A number is the position of an earlier task in the list, from 0. */
    readonly depends_on?: readonly (string | number)[] | null | undefined
    readonly budget?:
      | {
          /** Input and output together: a whole number from 1. */
          readonly tokens?: number | null | undefined
          /** From 0.000001, in whole millionths. */
          readonly cost_usd?: number | null | undefined
        }
      | null
      | undefined
    /** The task that this one becomes a part of. It can have 50 subtasks that are not done, and there are at most 5 levels. */
    readonly parent_id?: string | null | undefined
  }[]
  readonly workspace_id?: string | null | undefined
}

/** Of `createTasks`. */
export interface CreateTasksAnswer {
  readonly tasks: readonly Task[]
}

/** Of `updateTask`. */
export interface UpdateTaskBody {
  /** 1 to 200 characters. */
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  /** Any text. While the workspace has agents of this type, only they can take the task; otherwise any agent can. */
  readonly type?: string | null | undefined
  readonly priority?: 'urgent' | 'high' | 'medium' | 'low' | null | undefined
  /** The only agent that can take the task. */
  readonly assigned_to?: string | null | undefined
  readonly deadline?: string | null | undefined
  /** No agent takes the task before this time. */
  readonly not_before?: string | null | undefined
  readonly tags?: readonly string[] | null | undefined
  /** At most 16,384 characters as JSON. */
  readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
  /** Tasks that must be done before agents can take it. */
  readonly depends_on?: readonly string[] | null | undefined
  readonly budget?:
    | {
        /** Input and output together: a whole number from 1. */
        readonly tokens?: number | null | undefined
        /** From 0.000001, in whole millionths. */
        readonly cost_usd?: number | null | undefined
      }
    | null
    | undefined
}

/** Of `listTaskLogLines`. */
export interface ListTaskLogLinesQuery {
  /** The most entries to return: 1 to 100, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listTaskLogLines`. */
export interface ListTaskLogLinesAnswer {
  readonly logs: readonly TaskLogLine[]
  readonly next_cursor: string | null
}

/** Of `addTaskLogLine`. */
export interface AddTaskLogLineBody {
  /** The token from the claim. An outdated token is refused with 409. */
  readonly fencing_token: number
  /** The length of the lease in seconds, from now. Default: the length from the claim. */
  readonly lease_s?: number | undefined
  readonly message: string
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | undefined
}

/** Of `addTaskLogLine`. */
export interface AddTaskLogLineAnswer {
  readonly message: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
}

/** Of `listAttempts`. */
export interface ListAttemptsAnswer {
  readonly attempts: readonly TaskAttempt[]
}

/** Of `moveTask`. */
export interface MoveTaskBody {
  readonly to: 'todo' | 'doing' | 'done'
}

/** Of `cancelTask`. */
export interface CancelTaskBody {
  readonly message?: string | null | undefined
}

/** Of `releaseTask`. */
export interface ReleaseTaskBody {
  readonly fencing_token?: number | undefined
}

/** Of `claimTask`. */
export interface ClaimTaskBody {
  readonly agent_id: string
  /** The length of the lease in seconds, from the claim and from each write without its own lease_s. Default 60. */
  readonly lease_s?: number | undefined
  /** To claim this task alone: 409 with the reason when the agent cannot take it. If the agent already has it, the earlier run ends, and its attempt does not count. */
  readonly task_id?: string | undefined
}

/** Of `claimTask`. */
export interface ClaimTaskAnswer {
  readonly task: ClaimedTask | null
}

/** Of `heartbeatTask`. */
export interface HeartbeatTaskBody {
  /** The token from the claim. An outdated token is refused with 409. */
  readonly fencing_token: number
  /** The length of the lease in seconds, from now. Default: the length from the claim. */
  readonly lease_s?: number | undefined
}

/** Of `reportTaskProgress`. */
export interface ReportTaskProgressBody {
  /** The token from the claim. An outdated token is refused with 409. */
  readonly fencing_token: number
  /** The length of the lease in seconds, from now. Default: the length from the claim. */
  readonly lease_s?: number | undefined
  readonly progress: number
}

/** Of `addTaskOutput`. */
export interface AddTaskOutputBody {
  /** The token from the claim. An outdated token is refused with 409. */
  readonly fencing_token: number
  /** The length of the lease in seconds, from now. Default: the length from the claim. */
  readonly lease_s?: number | undefined
  readonly type: string
  readonly name: string
  readonly url: string
  readonly size?: number | null | undefined
}

/** Of `delegateTask`. */
export interface DelegateTaskBody {
  /** The token from the claim. An outdated token is refused with 409. */
  readonly fencing_token: number
  /** The length of the lease in seconds, from now. Default: the length from the claim. */
  readonly lease_s?: number | undefined
  readonly tasks: readonly {
    /** 1 to 200 characters. */
    readonly title: string
    readonly description?: string | null | undefined
    /** Any text. While the workspace has agents of this type, only they can take the task; otherwise any agent can. */
    readonly type?: string | null | undefined
    readonly priority?: 'urgent' | 'high' | 'medium' | 'low' | null | undefined
    /** The only agent that can take the task. */
    readonly assigned_to?: string | null | undefined
    readonly deadline?: string | null | undefined
    /** No agent takes the task before this time. */
    readonly not_before?: string | null | undefined
    readonly tags?: readonly string[] | null | undefined
    /** At most 16,384 characters as JSON. */
    readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
    /** Tasks that must be done before agents can take it. A number is the position of an earlier task in the list, from 0. */
    readonly depends_on?: readonly (string | number)[] | null | undefined
    readonly budget?:
      | {
          /** Input and output together: a whole number from 1. */
          readonly tokens?: number | null | undefined
          /** From 0.000001, in whole millionths. */
          readonly cost_usd?: number | null | undefined
        }
      | null
      | undefined
  }[]
  readonly wait?: boolean | undefined
}

/** Of `delegateTask`. */
export interface DelegateTaskAnswer {
  readonly tasks: readonly Task[]
}

/** Of `reportTaskUsage`. */
export interface ReportTaskUsageBody {
  readonly fencing_token?: number | null | undefined
  /** The length of the lease in seconds, from now. Default: the length from the claim. */
  readonly lease_s?: number | undefined
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_input_tokens?: number | null | undefined
  readonly cost_usd?: number | null | undefined
}

/** Of `completeTask`. */
export interface CompleteTaskBody {
  /** The token from the claim. An outdated token is refused with 409. */
  readonly fencing_token?: number | undefined
  readonly result?: string | undefined
  /** Whether to complete the task also while an agent works on it. Not with a fencing_token. */
  readonly take_over?: boolean | undefined
}

/** Of `failTask`. */
export interface FailTaskBody {
  /** The token from the claim. An outdated token is refused with 409. */
  readonly fencing_token: number
  readonly reason: string
  readonly retry?: boolean | undefined
  /** After how many seconds the task can be taken again. For outages and rate limits, which are not the fault of the task. */
  readonly retry_after_s?: number | undefined
}

/** Of `listComments`. */
export interface ListCommentsQuery {
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listComments`. */
export interface ListCommentsAnswer {
  readonly comments: readonly Comment[]
  readonly next_cursor: string | null
}

/** Of `createComment`. */
export interface CreateCommentBody {
  /** 1 to 20,000 characters. */
  readonly body: string
}

/** Of `answerTask`. */
export interface AnswerTaskBody {
  /** 1 to 20,000 characters. */
  readonly body: string
}

/** Of `holdTask`. */
export interface HoldTaskBody {
  /** The token from the claim. An outdated token is refused with 409. */
  readonly fencing_token: number
  readonly reason: 'failed' | 'cancelled' | 'needs_input' | 'approval' | 'budget'
  readonly message?: string | null | undefined
}

/** Of `requestApproval`. */
export interface RequestApprovalBody {
  /** The token from the claim. An outdated token is refused with 409. */
  readonly fencing_token: number
  /** 1 to 100 characters, not tool:…. */
  readonly action: string
  /** What the action does, for people: 1 to 2,000 characters. It decides nothing. */
  readonly summary: string
  /** All that the action works on: any JSON of at most 64 KiB and 16 levels, with numbers up to 9007199254740991. Default null. */
  readonly input?: unknown
}

/** Of `requestApproval`. */
export interface RequestApprovalAnswer {
  readonly outcome: 'approved' | 'rejected' | 'pending'
  readonly approval: Approval
}

/** Of `listApprovals`. */
export interface ListApprovalsQuery {
  readonly status?: 'pending' | 'approved' | 'rejected' | 'used' | 'expired' | undefined
  readonly task_id?: string | undefined
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listApprovals`. */
export interface ListApprovalsAnswer {
  readonly approvals: readonly Approval[]
  readonly next_cursor: string | null
}

/** Of `decideApproval`. */
export interface DecideApprovalBody {
  readonly decision: 'approved' | 'rejected'
  /** At most 19,800 characters. */
  readonly comment?: string | null | undefined
  /** The short_digest or input_digest that the person was shown. The decision is refused with 409 when the input has another. */
  readonly digest?: string | null | undefined
}

/** Of `createSchedule`. */
export interface CreateScheduleBody {
  /** Minute, hour, day of the month, month and day of the week, or a name such as @daily. */
  readonly cron: string
  /** The time zone of the expression, as Europe/Berlin. Default UTC. */
  readonly time_zone?: string | null | undefined
  /** Whether an occurrence is skipped while the task of the one before is open. Default skip. */
  readonly overlap?: 'skip' | 'allow' | null | undefined
  /** Default true. */
  readonly enabled?: boolean | null | undefined
  /** The task that each occurrence adds. */
  readonly task: {
    /** 1 to 200 characters. */
    readonly title: string
    readonly description?: string | null | undefined
    /** Any text. While the workspace has agents of this type, only they can take the task; otherwise any agent can. */
    readonly type?: string | null | undefined
    readonly priority?: 'urgent' | 'high' | 'medium' | 'low' | null | undefined
    /** The only agent that can take the task. */
    readonly assigned_to?: string | null | undefined
    readonly tags?: readonly string[] | null | undefined
    /** At most 16,384 characters as JSON. */
    readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
    readonly budget?:
      | {
          /** Input and output together: a whole number from 1. */
          readonly tokens?: number | null | undefined
          /** From 0.000001, in whole millionths. */
          readonly cost_usd?: number | null | undefined
        }
      | null
      | undefined
  }
  readonly workspace_id?: string | null | undefined
}

/** Of `listSchedules`. */
export interface ListSchedulesQuery {
  readonly workspace_id?: string | undefined
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listSchedules`. */
export interface ListSchedulesAnswer {
  readonly schedules: readonly Schedule[]
  readonly next_cursor: string | null
}

/** Of `updateSchedule`. */
export interface UpdateScheduleBody {
  /** Minute, hour, day of the month, month and day of the week, or a name such as @daily. */
  readonly cron?: string | undefined
  /** The time zone of the expression, as Europe/Berlin. Default UTC. */
  readonly time_zone?: string | null | undefined
  /** Whether an occurrence is skipped while the task of the one before is open. Default skip. */
  readonly overlap?: 'skip' | 'allow' | null | undefined
  /** Default true. */
  readonly enabled?: boolean | null | undefined
  /** The task that each occurrence adds. */
  readonly task?:
    | {
        /** 1 to 200 characters. */
        readonly title: string
        readonly description?: string | null | undefined
        /** Any text. While the workspace has agents of this type, only they can take the task; otherwise any agent can. */
        readonly type?: string | null | undefined
        readonly priority?: 'urgent' | 'high' | 'medium' | 'low' | null | undefined
        /** The only agent that can take the task. */
        readonly assigned_to?: string | null | undefined
        readonly tags?: readonly string[] | null | undefined
        /** At most 16,384 characters as JSON. */
        readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
        readonly budget?:
          | {
              /** Input and output together: a whole number from 1. */
              readonly tokens?: number | null | undefined
              /** From 0.000001, in whole millionths. */
              readonly cost_usd?: number | null | undefined
            }
          | null
          | undefined
      }
    | undefined
}

/** Of `listAgents`. */
export interface ListAgentsQuery {
  readonly workspace_id?: string | undefined
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listAgents`. */
export interface ListAgentsAnswer {
  readonly agents: readonly Agent[]
  readonly next_cursor: string | null
}

/** Of `createAgent`. */
export interface CreateAgentBody {
  /** 1 to 100 characters. */
  readonly name: string
  /** Any text. It selects the runtime that works the agent’s tasks; use `custom` for your own program. */
  readonly type: string
  /** The identifier of a model, at most 200 characters. */
  readonly model?: string | null | undefined
  /** At most 100,000 characters. */
  readonly system_prompt?: string | null | undefined
  /** At most 100, each of 1 to 100 characters. */
  readonly capabilities?: readonly string[] | null | undefined
  /** At most 100, each of 1 to 100 characters. */
  readonly tools?: readonly string[] | null | undefined
  /** While it is paused it takes no task. What it works goes on. */
  readonly paused?: boolean | null | undefined
  /** How many tasks it works at once, 1 to 100,000; null: as its runtime does. */
  readonly max_concurrent?: number | null | undefined
  readonly workspace_id?: string | null | undefined
}

/** Of `updateAgent`. */
export interface UpdateAgentBody {
  /** 1 to 100 characters. */
  readonly name?: string | undefined
  /** Any text. It selects the runtime that works the agent’s tasks; use `custom` for your own program. */
  readonly type?: string | undefined
  /** The identifier of a model, at most 200 characters. */
  readonly model?: string | null | undefined
  /** At most 100,000 characters. */
  readonly system_prompt?: string | null | undefined
  /** At most 100, each of 1 to 100 characters. */
  readonly capabilities?: readonly string[] | null | undefined
  /** At most 100, each of 1 to 100 characters. */
  readonly tools?: readonly string[] | null | undefined
  /** While it is paused it takes no task. What it works goes on. */
  readonly paused?: boolean | null | undefined
  /** How many tasks it works at once, 1 to 100,000; null: as its runtime does. */
  readonly max_concurrent?: number | null | undefined
}

/** Of `sendChatMessage`. */
export interface SendChatMessageBody {
  /** 1 to 20,000 characters. */
  readonly message: string
  /** Who asks, as the agent sees it. */
  readonly user?: string | null | undefined
  readonly workspace_id?: string | null | undefined
}

/** Of `sendChatMessage`. */
export interface SendChatMessageAnswer {
  readonly reply: string
  readonly timestamp: string
}

/** Of `listBudgets`. */
export interface ListBudgetsQuery {
  readonly workspace_id?: string | undefined
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listBudgets`. */
export interface ListBudgetsAnswer {
  readonly budgets: readonly MonthlyBudget[]
  readonly next_cursor: string | null
}

/** Of `setAgentBudget`. */
export interface SetAgentBudgetBody {
  /** Required. For each calendar month, UTC; null for any amount. */
  readonly budget?:
    | {
        /** Input and output together: a whole number from 1. */
        readonly tokens?: number | null | undefined
        /** From 0.000001, in whole millionths. */
        readonly cost_usd?: number | null | undefined
      }
    | null
    | undefined
}

/** Of `setWorkspaceBudget`. */
export interface SetWorkspaceBudgetBody {
  /** Required. For each calendar month, UTC; null for any amount. */
  readonly budget?:
    | {
        /** Input and output together: a whole number from 1. */
        readonly tokens?: number | null | undefined
        /** From 0.000001, in whole millionths. */
        readonly cost_usd?: number | null | undefined
      }
    | null
    | undefined
}

/** Of `getTaskAnalytics`. */
export interface GetTaskAnalyticsQuery {
  /** The first day. */
  readonly from?: string | undefined
  /** The last day. */
  readonly to?: string | undefined
  readonly group_by?: 'day' | 'week' | 'month' | undefined
  /** Without it, all workspaces within reach. */
  readonly workspace_id?: string | undefined
}

/** Of `getUsage`. */
export interface GetUsageQuery {
  /** The first day. */
  readonly from: string
  /** The last day. */
  readonly to: string
  readonly group_by: 'day' | 'agent' | 'type' | 'model'
  /** Without it, all workspaces within reach. */
  readonly workspace_id?: string | undefined
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `getUsage`. */
export interface GetUsageAnswer {
  readonly usage: readonly UsageSum[]
  readonly next_cursor: string | null
}

/** Of `createWebhook`. */
export interface CreateWebhookBody {
  readonly url: string
  readonly events: readonly (
    | 'task.created'
    | 'task.started'
    | 'task.completed'
    | 'task.failed'
    | 'task.moved'
    | 'task.commented'
    | 'task.updated'
    | 'task.cancelled'
    | 'task.released'
    | 'task.deleted'
    | 'approval.requested'
    | 'approval.decided'
    | 'agent.alert'
    | 'email.received'
    | 'order.new'
  )[]
  readonly secret?: string | null | undefined
  readonly workspace_id?: string | null | undefined
}

/** Of `listWebhooks`. */
export interface ListWebhooksQuery {
  readonly workspace_id?: string | undefined
}

/** Of `listWebhooks`. */
export interface ListWebhooksAnswer {
  readonly webhooks: readonly Webhook[]
}

/** Of `updateWebhook`. */
export interface UpdateWebhookBody {
  readonly url?: string | undefined
  readonly events?:
    | readonly (
        | 'task.created'
        | 'task.started'
        | 'task.completed'
        | 'task.failed'
        | 'task.moved'
        | 'task.commented'
        | 'task.updated'
        | 'task.cancelled'
        | 'task.released'
        | 'task.deleted'
        | 'approval.requested'
        | 'approval.decided'
        | 'agent.alert'
        | 'email.received'
        | 'order.new'
      )[]
    | undefined
  readonly enabled?: boolean | undefined
}

/** Of `rotateWebhookSecret`. */
export interface RotateWebhookSecretBody {
  readonly secret?: string | null | undefined
  readonly overlap_s?: number | undefined
}

/** Of `rotateWebhookSecret`. */
export interface RotateWebhookSecretAnswer {
  readonly webhook: Webhook
  readonly secret: string
}

/** Of `testWebhook`. */
export type TestWebhookBody = Readonly<Record<string, never>>

/** Of `listDeliveries`. */
export interface ListDeliveriesQuery {
  readonly status?: 'pending' | 'succeeded' | 'failed' | 'skipped' | undefined
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listDeliveries`. */
export interface ListDeliveriesAnswer {
  readonly deliveries: readonly Delivery[]
  readonly next_cursor: string | null
}

/** Of `resendDeliveries`. */
export interface ResendDeliveriesBody {
  readonly delivery_id?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Of `resendDeliveries`. */
export interface ResendDeliveriesAnswer {
  readonly resent: number
}

/** Of `createNotificationChannel`. */
export interface CreateNotificationChannelBody {
  readonly type: string
  readonly name: string
  readonly config: Readonly<Record<string, unknown>>
  readonly events: readonly (
    | 'task.created'
    | 'task.started'
    | 'task.completed'
    | 'task.failed'
    | 'task.moved'
    | 'task.commented'
    | 'task.updated'
    | 'task.cancelled'
    | 'task.released'
    | 'task.deleted'
    | 'approval.requested'
    | 'approval.decided'
    | 'agent.alert'
  )[]
  readonly workspace_id?: string | null | undefined
}

/** Of `listNotificationChannels`. */
export interface ListNotificationChannelsQuery {
  readonly workspace_id?: string | undefined
  /** The most entries to return: 1 to 1000, by default 100. */
  readonly limit?: number | string | undefined
  /** The next_cursor of the previous page. */
  readonly cursor?: string | undefined
}

/** Of `listNotificationChannels`. */
export interface ListNotificationChannelsAnswer {
  readonly notification_channels: readonly NotificationChannel[]
  readonly next_cursor: string | null
}

/** Of `listNotificationChannelTypes`. */
export interface ListNotificationChannelTypesAnswer {
  readonly notification_channel_types: readonly {
    /** The `type` of its channels. */
    readonly name: string
    /** The members of `config` that are never returned. */
    readonly secrets: readonly string[]
  }[]
}

/** Of `updateNotificationChannel`. */
export interface UpdateNotificationChannelBody {
  readonly name?: string | undefined
  readonly config?: Readonly<Record<string, unknown>> | undefined
  readonly events?:
    | readonly (
        | 'task.created'
        | 'task.started'
        | 'task.completed'
        | 'task.failed'
        | 'task.moved'
        | 'task.commented'
        | 'task.updated'
        | 'task.cancelled'
        | 'task.released'
        | 'task.deleted'
        | 'approval.requested'
        | 'approval.decided'
        | 'agent.alert'
      )[]
    | undefined
}

/** Of `testNotificationChannel`. */
export type TestNotificationChannelBody = Readonly<Record<string, never>>

/** Of `testNotificationChannel`. */
export interface TestNotificationChannelAnswer {
  readonly delivered: boolean
  /** Why it was not delivered, without secrets. */
  readonly error: string | null
  readonly duration_ms: number
}

/** The bodies of webhooks, by event type. */
export interface WebhookEvents {
  /** A task was added to the board. */
  'task.created': {
    readonly event: 'task.created'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly status: 'TODO'
      readonly description: string | null
      readonly priority: string
      readonly type: string | null
      readonly assigned_to: string | null
      readonly due_date: string | null
      readonly tags: readonly string[]
      readonly depends_on: readonly string[]
      readonly created_at: string
      readonly actor: {
        readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
        readonly id: string | null
      }
    }
  }
  /** The agent moved a task to DOING. */
  'task.started': {
    readonly event: 'task.started'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly status: 'DOING'
      readonly agent_id: string
      readonly attempt: number
      readonly started_at: string
    }
  }
  /** An agent or a person completed a task. */
  'task.completed': {
    readonly event: 'task.completed'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly status: 'DONE'
      readonly started_at: string
      readonly completed_at: string
      readonly duration_seconds: number
      readonly result: string
      readonly actor?: {
        readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
        readonly id: string | null
      }
    }
  }
  /** A task failed or was blocked. */
  'task.failed': {
    readonly event: 'task.failed'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly status: 'TODO'
      readonly reason: 'failed' | 'needs_input' | 'approval' | 'budget'
      readonly message: string | null
      readonly agent_id: string | null
      readonly attempts: number
      readonly failed_at: string
    }
  }
  /** A person or the system moved a task to another column. */
  'task.moved': {
    readonly event: 'task.moved'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly status: 'TODO' | 'DOING' | 'DONE'
      readonly from: 'TODO' | 'DOING' | 'DONE'
      readonly to: 'TODO' | 'DOING' | 'DONE'
      readonly actor: {
        readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
        readonly id: string | null
      }
    }
  }
  /** A person or an agent commented on a task, asked a question, answered one or decided an approval. */
  'task.commented': {
    readonly event: 'task.commented'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly comment_id: string
      readonly kind: 'comment' | 'question' | 'answer' | 'decision'
      readonly author: {
        readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
        readonly id: string | null
        readonly name: string | null
      }
      readonly body: string
      readonly created_at: string
    }
  }
  /** Fields of a task were changed. */
  'task.updated': {
    readonly event: 'task.updated'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly status: 'TODO' | 'DOING' | 'DONE'
      readonly fields: readonly string[]
      readonly actor: {
        readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
        readonly id: string | null
      }
    }
  }
  /** A task was cancelled. */
  'task.cancelled': {
    readonly event: 'task.cancelled'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly status: 'TODO'
      readonly message: string | null
      readonly actor: {
        readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
        readonly id: string | null
      }
    }
  }
  /** A hold on a task ended: agents can claim it again. */
  'task.released': {
    readonly event: 'task.released'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly status: 'TODO'
      readonly reason: 'failed' | 'cancelled' | 'needs_input' | 'approval' | 'budget'
      readonly actor: {
        readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
        readonly id: string | null
      }
    }
  }
  /** A task was deleted. */
  'task.deleted': {
    readonly event: 'task.deleted'
    readonly timestamp: string
    readonly data: {
      readonly task_id: string
      readonly title: string
      readonly status: 'TODO' | 'DOING' | 'DONE'
      readonly actor: {
        readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
        readonly id: string | null
      }
    }
  }
  /** An agent asked for approval of what it wants to do. */
  'approval.requested': {
    readonly event: 'approval.requested'
    readonly timestamp: string
    readonly data: {
      readonly approval_id: string
      readonly task_id: string
      readonly title: string
      readonly action: string
      readonly summary: string
      readonly input: unknown
      readonly input_bytes: number
      readonly input_digest: string
      readonly short_digest: string
      readonly agent_id: string
      readonly requested_at: string
      readonly expires_at: string
    }
  }
  /** A person approved or rejected what an agent wants to do. */
  'approval.decided': {
    readonly event: 'approval.decided'
    readonly timestamp: string
    readonly data: {
      readonly approval_id: string
      readonly task_id: string
      readonly title: string
      readonly action: string
      readonly summary: string
      readonly input: unknown
      readonly input_bytes: number
      readonly input_digest: string
      readonly short_digest: string
      readonly decision: 'approved' | 'rejected'
      readonly comment: string | null
      readonly decided_by: {
        readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
        readonly id: string | null
        readonly name: string | null
      }
      readonly decided_at: string
    }
  }
  /** The agent flagged something for attention. */
  'agent.alert': {
    readonly event: 'agent.alert'
    readonly timestamp: string
    readonly data: {
      readonly message: string
      readonly agent_id?: string | null
      readonly task_id?: string | null
      readonly webhook_id?: string | null
      readonly reason?: string | null
    }
  }
  /** The mailbox integration detected a new email. */
  'email.received': {
    readonly event: 'email.received'
    readonly timestamp: string
    readonly data: Readonly<Record<string, unknown>>
  }
  /** The connected shop received a new order. */
  'order.new': {
    readonly event: 'order.new'
    readonly timestamp: string
    readonly data: Readonly<Record<string, unknown>>
  }
}

/** Every operation, by its `operationId`. */
export interface Operations {
  /** Lists a column: TODO by score, DOING by start, DONE newest first. Requires a key with the scope of the action: `todo` `tasks:read`, `doing` `tasks:read`, `done` `tasks:read`. */
  listBoardTasks: {
    params: []
    query: ListBoardTasksQuery
    body: never
    answer: ListBoardTasksAnswer
  }
  /** Adds a task, moves a task or asks the agent, depending on `action`. The body depends on the action: BoardAdd, BoardMove or BoardChat. Requires a key with the scope of the action: `add` `tasks:write`, `move` `tasks:write`, `chat` `chat:write`. */
  writeToBoard: {
    params: []
    query: WriteToBoardQuery
    body: BoardAdd | BoardMove | BoardChat
    answer: BoardTaskWritten | BoardChatReply
  }
  /** Registers an endpoint for events of the key’s workspace. Requires a key with the scope `webhooks:write`. Without a secret, deliveries carry no signature. */
  registerWebhook: {
    params: []
    query: never
    body: BoardWebhook
    answer: RegisterWebhookAnswer
  }
  /** Begins a session. Users with a second factor add a one-time password or a recovery code. Without it, a correct password gets a 401 about mfa_code. Too many wrong guesses lock the address for this client for 15 minutes. Requires no credential. */
  login: {
    params: []
    query: never
    body: LoginBody
    answer: Tokens
  }
  /** Exchanges a refresh token for the next pair. Each is valid once. A repeat within ten seconds fails without further effect; a later repeat ends the session. Requires no credential. */
  refreshTokens: {
    params: []
    query: never
    body: RefreshTokensBody
    answer: Tokens
  }
  /** Ends a session. Ends the session of the refresh token, or without one that of the access token in the Authorization header. A repeat has no effect. Requires no credential. */
  logout: {
    params: []
    query: never
    body: LogoutBody | undefined
    answer: undefined
  }
  /** Creates a secret for an authenticator app. It takes effect when you confirm it with a code. Requires an access token with the scope `account:write`. */
  beginMfa: {
    params: []
    query: never
    body: BeginMfaBody | undefined
    answer: BeginMfaAnswer
  }
  /** Ends the enrolment. Requires an access token with the scope `account:write`. */
  removeMfa: {
    params: []
    query: never
    body: RemoveMfaBody
    answer: undefined
  }
  /** Enrols the user, and returns the recovery codes only once. Requires an access token with the scope `account:write`. */
  confirmMfa: {
    params: []
    query: never
    body: ConfirmMfaBody
    answer: ConfirmMfaAnswer
  }
  /** The users of the account, oldest first. Only for callers that reach the whole account. Requires a credential with the scope `account:read`. */
  listMembers: {
    params: []
    query: never
    body: never
    answer: ListMembersAnswer
  }
  /** Creates a user of the account. The user can have at most the scopes of its creator, and has all of these by default. The e-mail address must be new on the whole board. Requires an access token with the scope `account:write`. */
  createMember: {
    params: []
    query: never
    body: CreateMemberBody
    answer: Member
  }
  /** Deletes a user of the account. All sessions of the user end. API keys stay. Users cannot delete themselves, so an account keeps one, nor users with scopes that they lack. Requires an access token with the scope `account:write`. */
  deleteMember: {
    params: [user_id: string]
    query: never
    body: never
    answer: undefined
  }
  /** Changes the password of the user. All sessions of the user end, this one too: log in again. Ten wrong passwords lock this for 15 minutes. Requires an access token. */
  changePassword: {
    params: []
    query: never
    body: ChangePasswordBody
    answer: undefined
  }
  /** The account, its workspaces, the caller’s scopes, and the usage of the subscription. Requires a credential with the scope `account:read`. */
  getAccount: {
    params: []
    query: never
    body: never
    answer: Account
  }
  /** Creates a workspace with its own board. Only for callers that reach the whole account. A key for one workspace does not. Requires a credential with the scope `account:write`. */
  createWorkspace: {
    params: []
    query: never
    body: CreateWorkspaceBody
    answer: Workspace
  }
  /** One workspace. Requires a credential with the scope `account:read`. */
  getWorkspace: {
    params: [workspace_id: string]
    query: never
    body: never
    answer: Workspace
  }
  /** Renames a workspace. Requires a credential with the scope `account:write`. */
  updateWorkspace: {
    params: [workspace_id: string]
    query: never
    body: UpdateWorkspaceBody
    answer: Workspace
  }
  /** Deletes a workspace with its board, and the keys that are bound to it. Only for callers that reach the whole account. At once nothing finds the workspace any more; its tasks are deleted in the background. The last workspace of an account cannot be deleted. Users and keys whose default it was get the account’s oldest other one. Requires a credential with the scope `account:write`. */
  deleteWorkspace: {
    params: [workspace_id: string]
    query: never
    body: never
    answer: undefined
  }
  /** Creates an API key, returned only once. It can have at most the scopes of its creator. It is for one workspace, or else for the whole account. A repeat with the same Idempotency-Key gets a 409 with the id. Requires an access token with the scope `account:write`. */
  createApiKey: {
    params: []
    query: never
    body: CreateApiKeyBody
    answer: CreatedApiKey
  }
  /** The API keys within reach, newest first, including ended ones. Requires a credential with the scope `account:read`. */
  listApiKeys: {
    params: []
    query: ListApiKeysQuery | undefined
    body: never
    answer: ListApiKeysAnswer
  }
  /** Revokes an API key. Requires a credential with the scope `account:write`. */
  revokeApiKey: {
    params: [key_id: string]
    query: never
    body: never
    answer: undefined
  }
  /** Replaces a key by a new one with the same rights, returned only once. The old key stays valid for overlap_s seconds, by default one day, at most seven days. Requires an access token with the scope `account:write`. */
  rotateApiKey: {
    params: [key_id: string]
    query: never
    body: RotateApiKeyBody | undefined
    answer: RotateApiKeyAnswer
  }
  /** Adds a task for the agents of its workspace. Requires a credential with the scope `tasks:write`. */
  createTask: {
    params: []
    query: never
    body: CreateTaskBody
    answer: CreatedTask
  }
  /** The tasks of all workspaces within reach that match every given filter, newest first or by sort. Requires a credential with the scope `tasks:read`. */
  listTasks: {
    params: []
    query: ListTasksQuery | undefined
    body: never
    answer: ListTasksAnswer
  }
  /** Adds up to 500 tasks, all or none. All in one workspace. In depends_on, a number is the position of an earlier task in the list. Requires a credential with the scope `tasks:write`. */
  createTasks: {
    params: []
    query: never
    body: CreateTasksBody
    answer: CreateTasksAnswer
  }
  /** One task, with its log and its outputs. Of its log it has the newest 100 lines. GET /v2/tasks/{task_id}/logs has all that are kept. Requires a credential with the scope `tasks:read`. */
  getTask: {
    params: [task_id: string]
    query: never
    body: never
    answer: TaskDetail
  }
  /** Changes the given fields; null clears a field. Requires a credential with the scope `tasks:write`. */
  updateTask: {
    params: [task_id: string]
    query: never
    body: UpdateTaskBody | undefined
    answer: TaskDetail
  }
  /** Deletes a task with its log and outputs. Refused with 409 while other tasks depend on it. An agent that works it gets a 404 for its next write. Requires a credential with the scope `tasks:write`. */
  deleteTask: {
    params: [task_id: string]
    query: never
    body: never
    answer: undefined
  }
  /** The log of a task, oldest line first. The newest 1,000 lines are kept. Requires a credential with the scope `tasks:read`. */
  listTaskLogLines: {
    params: [task_id: string]
    query: ListTaskLogLinesQuery | undefined
    body: never
    answer: ListTaskLogLinesAnswer
  }
  /** Adds a line to the log of a claimed task. Requires a credential with the scope `tasks:write`. */
  addTaskLogLine: {
    params: [task_id: string]
    query: never
    body: AddTaskLogLineBody
    answer: AddTaskLogLineAnswer
  }
  /** How the attempts at a task ended, oldest first. The newest 100, without the one in progress. Requires a credential with the scope `tasks:read`. */
  listAttempts: {
    params: [task_id: string]
    query: never
    body: never
    answer: ListAttemptsAnswer
  }
  /** Moves a task to any column; revokes it from the agent that works it. Requires a credential with the scope `tasks:write`. */
  moveTask: {
    params: [task_id: string]
    query: never
    body: MoveTaskBody
    answer: TaskDetail
  }
  /** Cancels a task; revokes it from the agent that works it. Refused with 409 once it is completed. Release the task to make it ready again. Requires a credential with the scope `tasks:write`. */
  cancelTask: {
    params: [task_id: string]
    query: never
    body: CancelTaskBody | undefined
    answer: TaskDetail
  }
  /** Releases a held task: agents can take it again, with fresh attempts. With the fencing_token of a claim, the agent that works on the task gives it back: it is ready at once, and the attempt does not count. Requires a credential with the scope `tasks:write`. */
  releaseTask: {
    params: [task_id: string]
    query: never
    body: ReleaseTaskBody | undefined
    answer: TaskDetail
  }
  /** Why a task is where it is: what it waits for, its score now, and the four factors. Agents take the task with the highest score that is free, not on hold, and for them. Requires a credential with the scope `tasks:read`. */
  getTaskScore: {
    params: [task_id: string]
    query: never
    body: never
    answer: TaskScore
  }
  /** Claims the best ready task for an agent outside of the host. The agent has a lease of lease_s seconds on the task. Each of its writes renews the lease. After the lease another agent can take the task. Null when no task is ready. With task_id it claims that task alone. Requires a credential with the scope `tasks:write`. */
  claimTask: {
    params: []
    query: never
    body: ClaimTaskBody
    answer: ClaimTaskAnswer
  }
  /** Renews the lease of a claimed task. Requires a credential with the scope `tasks:write`. */
  heartbeatTask: {
    params: [task_id: string]
    query: never
    body: HeartbeatTaskBody
    answer: WorkedTask
  }
  /** Reports the progress of a claimed task. Requires a credential with the scope `tasks:write`. */
  reportTaskProgress: {
    params: [task_id: string]
    query: never
    body: ReportTaskProgressBody
    answer: WorkedTask
  }
  /** Adds a reference to an output of a claimed task. The bytes are stored elsewhere. A task has at most 100 outputs. Requires a credential with the scope `tasks:write`. */
  addTaskOutput: {
    params: [task_id: string]
    query: never
    body: AddTaskOutputBody
    answer: TaskOutput
  }
  /** Creates subtasks of a claimed task. All or none. With wait, the task returns to todo and can be taken again when all of them are done; that attempt does not count. Requires a credential with the scope `tasks:write`. */
  delegateTask: {
    params: [task_id: string]
    query: never
    body: DelegateTaskBody
    answer: DelegateTaskAnswer
  }
  /** Records what work on a task has used. With the fencing_token of a claim it is a report of the agent, and renews its lease. Without one it counts for the attempt in progress, and needs the scope agents:write too. For a model that the host has a price for, the cost is the larger of cost_usd and the one by that price. One report has at most 100 dollars and 10,000,000 tokens, unless the host says otherwise. Requires a credential with the scope `tasks:write`. */
  reportTaskUsage: {
    params: [task_id: string]
    query: never
    body: ReportTaskUsageBody
    answer: RecordedUsage
  }
  /** Completes a task with its result. With the fencing_token of a claim, the agent that works on the task completes it. Without one, a person completes it, in any column. While an agent works on the task, a person needs take_over, which ends the run of the agent. Requires a credential with the scope `tasks:write`. */
  completeTask: {
    params: [task_id: string]
    query: never
    body: CompleteTaskBody | undefined
    answer: WorkedTask
  }
  /** Fails a claimed task. It is retried after a backoff while attempts remain and retry is not false. Otherwise it is held. With retry_after_s the attempt does not count: the agent cannot work now, and takes no task until then. Requires a credential with the scope `tasks:write`. */
  failTask: {
    params: [task_id: string]
    query: never
    body: FailTaskBody
    answer: WorkedTask
  }
  /** The comments on a task, oldest first. Requires a credential with the scope `tasks:read`. */
  listComments: {
    params: [task_id: string]
    query: ListCommentsQuery | undefined
    body: never
    answer: ListCommentsAnswer
  }
  /** Comments on a task. Nobody can edit a comment. It is deleted with its task. Requires a credential with the scope `tasks:write`. */
  createComment: {
    params: [task_id: string]
    query: never
    body: CreateCommentBody
    answer: Comment
  }
  /** Answers an agent's question and releases its task. Refused with 409 unless the task is on hold as needs_input. Agents can take it again, and the next one finds the answer. Requires a credential with the scope `tasks:write`. */
  answerTask: {
    params: [task_id: string]
    query: never
    body: AnswerTaskBody
    answer: Comment
  }
  /** Puts a claimed task on hold. The agent no longer has the task. With the reason needs_input the message is required: it is a question, a comment of the task, and the attempt does not count. Requires a credential with the scope `tasks:write`. */
  holdTask: {
    params: [task_id: string]
    query: never
    body: HoldTaskBody
    answer: WorkedTask
  }
  /** Asks for permission to do one thing, once, under a claim. An action must not begin with tool:, which is for the tools of agents in the host's process. approved: this very action with this very input was approved for this task and this credential, and this request has used that up. Do it now, once: if this answer is lost, it must be approved again. rejected: the comment of the approval says why. pending: the task is on hold as approval and the agent no longer has it; after the decision, the next claim asks again. Requires a credential with the scope `tasks:write`. */
  requestApproval: {
    params: [task_id: string]
    query: never
    body: RequestApprovalBody
    answer: RequestApprovalAnswer
  }
  /** The approvals of all workspaces within reach, newest first. Requires a credential with the scope `tasks:read`. */
  listApprovals: {
    params: []
    query: ListApprovalsQuery | undefined
    body: never
    answer: ListApprovalsAnswer
  }
  /** One approval, with the input of its action. Requires a credential with the scope `tasks:read`. */
  getApproval: {
    params: [approval_id: string]
    query: never
    body: never
    answer: Approval
  }
  /** Approves or rejects what an agent wants to do, and releases its task. Decides once: refused with 409 when it was decided before or has expired, and with 403 for the credential that asked. Show the person the input, and pass the digest that they saw. Requires a credential with the scope `approvals:write`. */
  decideApproval: {
    params: [approval_id: string]
    query: never
    body: DecideApprovalBody
    answer: Approval
  }
  /** Adds a task again and again, at the times of a cron expression. Occurrences that are missed while no process of the host runs are made once, as one. A workspace has at most 1,000 schedules. Requires a credential with the scope `tasks:write`. */
  createSchedule: {
    params: []
    query: never
    body: CreateScheduleBody
    answer: Schedule
  }
  /** Schedules, oldest first. Of all workspaces within reach, or of one. Requires a credential with the scope `tasks:read`. */
  listSchedules: {
    params: []
    query: ListSchedulesQuery | undefined
    body: never
    answer: ListSchedulesAnswer
  }
  /** One schedule. Requires a credential with the scope `tasks:read`. */
  getSchedule: {
    params: [schedule_id: string]
    query: never
    body: never
    answer: Schedule
  }
  /** Changes the given settings. The task is replaced as a whole. With another expression or time zone, the next occurrence is the first one from now. Requires a credential with the scope `tasks:write`. */
  updateSchedule: {
    params: [schedule_id: string]
    query: never
    body: UpdateScheduleBody | undefined
    answer: Schedule
  }
  /** Deletes a schedule; the tasks that it added stay. Requires a credential with the scope `tasks:write`. */
  deleteSchedule: {
    params: [schedule_id: string]
    query: never
    body: never
    answer: undefined
  }
  /** Agents, oldest first. Of all workspaces within reach, or of one. Requires a credential with the scope `agents:read`. */
  listAgents: {
    params: []
    query: ListAgentsQuery | undefined
    body: never
    answer: ListAgentsAnswer
  }
  /** Creates an agent in a workspace. The runtime that the host registers for its type works its tasks, or your own program does by claiming them. Requires a credential with the scope `agents:write`. */
  createAgent: {
    params: []
    query: never
    body: CreateAgentBody
    answer: Agent
  }
  /** One agent. Requires a credential with the scope `agents:read`. */
  getAgent: {
    params: [agent_id: string]
    query: never
    body: never
    answer: Agent
  }
  /** Changes the given fields; null clears a field that can be empty. The change applies to runs that begin later. Requires a credential with the scope `agents:write`. */
  updateAgent: {
    params: [agent_id: string]
    query: never
    body: UpdateAgentBody | undefined
    answer: Agent
  }
  /** Deletes an agent without open tasks. Refused with 409 while it works a task, or while a task that is not completed is assigned to it. Requires a credential with the scope `agents:write`. */
  deleteAgent: {
    params: [agent_id: string]
    query: never
    body: never
    answer: undefined
  }
  /** Asks the chat agent of a workspace. Waits for the reply. 503 when no agent of the workspace can chat, or when it does not reply. A message is not kept: send what the agent must know. Requires a credential with the scope `chat:write`. */
  sendChatMessage: {
    params: []
    query: never
    body: SendChatMessageBody
    answer: SendChatMessageAnswer
  }
  /** The monthly budgets of a workspace and of its agents. The budget of the workspace comes first, also when it has none. Requires a credential with the scope `agents:read`. */
  listBudgets: {
    params: []
    query: ListBudgetsQuery | undefined
    body: never
    answer: ListBudgetsAnswer
  }
  /** Sets the monthly budget of an agent. Requires a credential with the scope `agents:write`. */
  setAgentBudget: {
    params: [agent_id: string]
    query: never
    body: SetAgentBudgetBody | undefined
    answer: MonthlyBudget
  }
  /** Sets the monthly budget of a workspace. Requires a credential with the scope `account:write`. */
  setWorkspaceBudget: {
    params: [workspace_id: string]
    query: never
    body: SetWorkspaceBudgetBody | undefined
    answer: MonthlyBudget
  }
  /** Numbers of tasks, and how long they took. Days are in UTC, and weeks begin on Monday. The default period is the last thirty days up to today; the longest is 400 days. Requires a credential with the scope `analytics:read`. */
  getTaskAnalytics: {
    params: []
    query: GetTaskAnalyticsQuery | undefined
    body: never
    answer: TaskAnalytics
  }
  /** What agents have used, as they reported it. Days are in UTC. The longest period is 366 days. Days and groups without a report are left out. Requires a credential with the scope `analytics:read`. */
  getUsage: {
    params: []
    query: GetUsageQuery
    body: never
    answer: GetUsageAnswer
  }
  /** Registers an endpoint for events of a workspace. Without a secret, deliveries carry no signature. No answer contains the secret. Requires a credential with the scope `webhooks:write`. */
  createWebhook: {
    params: []
    query: never
    body: CreateWebhookBody
    answer: Webhook
  }
  /** The webhooks of a workspace, oldest first. Requires a credential with the scope `webhooks:read`. */
  listWebhooks: {
    params: []
    query: ListWebhooksQuery | undefined
    body: never
    answer: ListWebhooksAnswer
  }
  /** One webhook. Requires a credential with the scope `webhooks:read`. */
  getWebhook: {
    params: [webhook_id: string]
    query: never
    body: never
    answer: Webhook
  }
  /** Changes the given fields; enabling clears the failures. Requires a credential with the scope `webhooks:write`. */
  updateWebhook: {
    params: [webhook_id: string]
    query: never
    body: UpdateWebhookBody | undefined
    answer: Webhook
  }
  /** Deletes a webhook with its log. Requires a credential with the scope `webhooks:write`. */
  deleteWebhook: {
    params: [webhook_id: string]
    query: never
    body: never
    answer: undefined
  }
  /** Rotates the secret of a webhook; the new one is returned only once. The old secret also signs for overlap_s seconds, by default one day. Requires a credential with the scope `webhooks:write`. */
  rotateWebhookSecret: {
    params: [webhook_id: string]
    query: never
    body: RotateWebhookSecretBody | undefined
    answer: RotateWebhookSecretAnswer
  }
  /** Sends a sample event to this webhook only. The log has the result under the returned id. Requires a credential with the scope `webhooks:write`. */
  testWebhook: {
    params: [webhook_id: string]
    query: never
    body: TestWebhookBody | undefined
    answer: Delivery
  }
  /** The log of a webhook, newest first. Requires a credential with the scope `webhooks:read`. */
  listDeliveries: {
    params: [webhook_id: string]
    query: ListDeliveriesQuery | undefined
    body: never
    answer: ListDeliveriesAnswer
  }
  /** Sends finished deliveries again, with the same id and body. One by delivery_id, or all created in [from, to) that failed or were skipped. Requires a credential with the scope `webhooks:write`. */
  resendDeliveries: {
    params: [webhook_id: string]
    query: never
    body: ResendDeliveriesBody
    answer: ResendDeliveriesAnswer
  }
  /** Sets up a channel that notifies people of events of a workspace. The host registers the types of channels. An unknown type is refused with the ones that there are. No answer contains a secret of the configuration. Requires a credential with the scope `webhooks:write`. */
  createNotificationChannel: {
    params: []
    query: never
    body: CreateNotificationChannelBody
    answer: NotificationChannel
  }
  /** The notification channels of a workspace, oldest first. Requires a credential with the scope `webhooks:read`. */
  listNotificationChannels: {
    params: []
    query: ListNotificationChannelsQuery | undefined
    body: never
    answer: ListNotificationChannelsAnswer
  }
  /** The types that the host has registered, of which notification channels can be set up. Requires a credential with the scope `webhooks:read`. */
  listNotificationChannelTypes: {
    params: []
    query: never
    body: never
    answer: ListNotificationChannelTypesAnswer
  }
  /** One notification channel. Requires a credential with the scope `webhooks:read`. */
  getNotificationChannel: {
    params: [channel_id: string]
    query: never
    body: never
    answer: NotificationChannel
  }
  /** Changes the given fields, and retries what waits for the channel. A config replaces the old one. Secrets that it does not name, or has as `********`, stay as they are. Requires a credential with the scope `webhooks:write`. */
  updateNotificationChannel: {
    params: [channel_id: string]
    query: never
    body: UpdateNotificationChannelBody | undefined
    answer: NotificationChannel
  }
  /** Deletes a notification channel with what it has not delivered. Requires a credential with the scope `webhooks:write`. */
  deleteNotificationChannel: {
    params: [channel_id: string]
    query: never
    body: never
    answer: undefined
  }
  /** Delivers a sample to this notification channel at once. Answers when it was delivered or has failed, within 30 s. A success also retries what waits for the channel. A channel can be tested five times an hour. Requires a credential with the scope `webhooks:write`. */
  testNotificationChannel: {
    params: [channel_id: string]
    query: never
    body: TestNotificationChannelBody | undefined
    answer: TestNotificationChannelAnswer
  }
  /** This API as an OpenAPI 3.1 document. Requires no credential. */
  getOpenApi: {
    params: []
    query: never
    body: never
    answer: Readonly<Record<string, unknown>>
  }
  /** This API as a reference page. Requires no credential. */
  getReference: {
    params: []
    query: never
    body: never
    answer: string
  }
}

/** The method, the path and what the client has to know of every operation: see `operation.ts`. */

export const operations = {
  listBoardTasks: 'GET /api/board query repeatable',
  writeToBoard: 'POST /api/board query body key',
  registerWebhook: 'POST /api/webhooks/create body key',
  login: 'POST /v2/auth/login body public',
  refreshTokens: 'POST /v2/auth/refresh body public',
  logout: 'POST /v2/auth/logout body repeatable public',
  beginMfa: 'POST /v2/account/mfa body',
  removeMfa: 'DELETE /v2/account/mfa body',
  confirmMfa: 'POST /v2/account/mfa/confirm body',
  listMembers: 'GET /v2/account/members repeatable',
  createMember: 'POST /v2/account/members body',
  deleteMember: 'DELETE /v2/account/members/{user_id} repeatable',
  changePassword: 'POST /v2/account/password body',
  getAccount: 'GET /v2/account repeatable',
  createWorkspace: 'POST /v2/workspaces body',
  getWorkspace: 'GET /v2/workspaces/{workspace_id} repeatable',
  updateWorkspace: 'PATCH /v2/workspaces/{workspace_id} body repeatable',
  deleteWorkspace: 'DELETE /v2/workspaces/{workspace_id} repeatable',
  createApiKey: 'POST /v2/account/api-keys body key',
  listApiKeys: 'GET /v2/account/api-keys query repeatable',
  revokeApiKey: 'DELETE /v2/account/api-keys/{key_id} repeatable',
  rotateApiKey: 'POST /v2/account/api-keys/{key_id}/rotate body key',
  createTask: 'POST /v2/tasks body key',
  listTasks: 'GET /v2/tasks query repeatable',
  createTasks: 'POST /v2/tasks/batch body key',
  getTask: 'GET /v2/tasks/{task_id} repeatable',
  updateTask: 'PATCH /v2/tasks/{task_id} body repeatable',
  deleteTask: 'DELETE /v2/tasks/{task_id} repeatable',
  listTaskLogLines: 'GET /v2/tasks/{task_id}/logs query repeatable',
  addTaskLogLine: 'POST /v2/tasks/{task_id}/logs body',
  listAttempts: 'GET /v2/tasks/{task_id}/attempts repeatable',
  moveTask: 'POST /v2/tasks/{task_id}/move body repeatable',
  cancelTask: 'POST /v2/tasks/{task_id}/cancel body repeatable',
  releaseTask: 'POST /v2/tasks/{task_id}/release body',
  getTaskScore: 'GET /v2/tasks/{task_id}/score repeatable',
  claimTask: 'POST /v2/tasks/claim body',
  heartbeatTask: 'POST /v2/tasks/{task_id}/heartbeat body repeatable',
  reportTaskProgress: 'POST /v2/tasks/{task_id}/progress body repeatable',
  addTaskOutput: 'POST /v2/tasks/{task_id}/outputs body',
  delegateTask: 'POST /v2/tasks/{task_id}/delegate body key',
  reportTaskUsage: 'POST /v2/tasks/{task_id}/usage body key',
  completeTask: 'POST /v2/tasks/{task_id}/complete body repeatable',
  failTask: 'POST /v2/tasks/{task_id}/fail body',
  listComments: 'GET /v2/tasks/{task_id}/comments query repeatable',
  createComment: 'POST /v2/tasks/{task_id}/comments body key',
  answerTask: 'POST /v2/tasks/{task_id}/answer body key',
  holdTask: 'POST /v2/tasks/{task_id}/hold body',
  requestApproval: 'POST /v2/tasks/{task_id}/approvals body',
  listApprovals: 'GET /v2/approvals query repeatable',
  getApproval: 'GET /v2/approvals/{approval_id} repeatable',
  decideApproval: 'POST /v2/approvals/{approval_id}/decision body',
  createSchedule: 'POST /v2/schedules body key',
  listSchedules: 'GET /v2/schedules query repeatable',
  getSchedule: 'GET /v2/schedules/{schedule_id} repeatable',
  updateSchedule: 'PATCH /v2/schedules/{schedule_id} body repeatable',
  deleteSchedule: 'DELETE /v2/schedules/{schedule_id} repeatable',
  listAgents: 'GET /v2/agents query repeatable',
  createAgent: 'POST /v2/agents body key',
  getAgent: 'GET /v2/agents/{agent_id} repeatable',
  updateAgent: 'PATCH /v2/agents/{agent_id} body repeatable',
  deleteAgent: 'DELETE /v2/agents/{agent_id} repeatable',
  sendChatMessage: 'POST /v2/chat body',
  listBudgets: 'GET /v2/budgets query repeatable',
  setAgentBudget: 'PATCH /v2/agents/{agent_id}/budget body repeatable',
  setWorkspaceBudget: 'PATCH /v2/workspaces/{workspace_id}/budget body repeatable',
  getTaskAnalytics: 'GET /v2/analytics/tasks query repeatable',
  getUsage: 'GET /v2/analytics/usage query repeatable',
  createWebhook: 'POST /v2/webhooks body key',
  listWebhooks: 'GET /v2/webhooks query repeatable',
  getWebhook: 'GET /v2/webhooks/{webhook_id} repeatable',
  updateWebhook: 'PATCH /v2/webhooks/{webhook_id} body repeatable',
  deleteWebhook: 'DELETE /v2/webhooks/{webhook_id} repeatable',
  rotateWebhookSecret: 'POST /v2/webhooks/{webhook_id}/rotate-secret body',
  testWebhook: 'POST /v2/webhooks/{webhook_id}/test body',
  listDeliveries: 'GET /v2/webhooks/{webhook_id}/deliveries query repeatable',
  resendDeliveries: 'POST /v2/webhooks/{webhook_id}/resend body',
  createNotificationChannel: 'POST /v2/notification-channels body key',
  listNotificationChannels: 'GET /v2/notification-channels query repeatable',
  listNotificationChannelTypes: 'GET /v2/notification-channel-types repeatable',
  getNotificationChannel: 'GET /v2/notification-channels/{channel_id} repeatable',
  updateNotificationChannel: 'PATCH /v2/notification-channels/{channel_id} body repeatable',
  deleteNotificationChannel: 'DELETE /v2/notification-channels/{channel_id} repeatable',
  testNotificationChannel: 'POST /v2/notification-channels/{channel_id}/test body',
  getOpenApi: 'GET /v2/openapi.json repeatable public',
  getReference: 'GET /v2/reference repeatable public',
} as const satisfies Readonly<Record<keyof Operations, string>>
