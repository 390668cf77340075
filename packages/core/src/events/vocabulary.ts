/** The three columns of every board. */
export const columns = ['TODO', 'DOING', 'DONE'] as const
export type Column = (typeof columns)[number]

/** Why a task in TODO is kept from agents. All but `cancelled` are raised with `task.failed`. `budget`: what it may use is spent. */
export const holdReasons = ['failed', 'cancelled', 'needs_input', 'approval', 'budget'] as const
export type HoldReason = (typeof holdReasons)[number]

export const actorKinds = ['user', 'api_key', 'agent', 'host', 'system'] as const

/** Who made a change. */
export interface Actor {
  readonly kind: (typeof actorKinds)[number]
  readonly id: string | null
}

/** Who acts, as a caller says it. */
export interface ActingAs extends Actor {
  /**
   * What people call this actor, in 1 to 256 characters on one line; kept with what it writes, decides and takes. Null or absent: the name of its
   * record, if there is one.
   */
  readonly name?: string | null | undefined
  /** Of an API key, the user who made it, so that the key does not decide what its owner's credentials ask for. Null or absent: nobody is known. */
  readonly owner?: string | null | undefined
}

/** Who wrote, decided or took something, with the name at that time; null for a name that nobody gave. */
export interface NamedActor extends Actor {
  readonly name: string | null
}

/** The actor of an event, without members that its object may have beyond those of the type. */
export function plainActor({ kind, id }: Actor): Actor {
  return { kind, id }
}

/** What a comment is: a remark, an agent's question, the answer to it, or a decision about an approval. */
export const commentKinds = ['comment', 'question', 'answer', 'decision'] as const
export type CommentKind = (typeof commentKinds)[number]

export const approvalDecisions = ['approved', 'rejected'] as const
export type ApprovalDecision = (typeof approvalDecisions)[number]

export const agentStatuses = ['available', 'busy', 'offline'] as const

/**
 * `busy` while a task is under the agent's lease. Else `available` while somebody works for it: a runtime for its type or for `'*'`,
 * in any process, or a worker outside of the runtimes that claimed for it in the last 60 s (option `remoteWorkerTimeoutMs`). Else
 * `offline`. A runtime whose process crashed counts as present for up to 90 s.
 */
export type AgentStatus = (typeof agentStatuses)[number]
