/**
 * How processes learn of commits. `own`: there is one process, which hears of all, and never polls. `all`: several processes hear of all, and
 * poll once an hour. `some`: several processes miss some, hear of others twice, and poll.
 */
export type Notifications = 'own' | 'all' | 'some'

/** What a history is about. Drawn from its seed, and the same while it shrinks. */
export interface Setup {
  readonly notifications: Notifications
  /** How many tasks each process works at once, by the type of agents. */
  readonly processes: readonly (readonly { readonly type: string; readonly concurrency: number }[])[]
  readonly workspaces: number
  readonly leaseMs: number
  /** In percent, how often the receiver of each workspace fails. */
  readonly receiverFailures: readonly number[]
  readonly maxAttempts: number
  readonly requestsPerMinute: number
  readonly retryDelaysMs: readonly number[]
}

export const agentTypes = ['writer', 'printer'] as const
