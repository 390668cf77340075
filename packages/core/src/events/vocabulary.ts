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
   * The name of this actor for people, in 1 to 256 characters on one line; kept with its texts, decisions and tasks. Null or absent: the name of its
   * record, if there is one.
   */
  readonly name?: string | null | undefined
  /** Of an API key, the user who made it, so that the key doesn't decide what its owner's credentials ask for. Null or absent: no one is known. */
  readonly owner?: string | null | undefined
}

/** The author of a text, decision or claim, with the name at that time; null for a name that no one gave. */
export interface NamedActor extends Actor {
  readonly name: string | null
}

/** The actor of an event, without members beyond its type. */
export function plainActor({ kind, id }: Actor): Actor {
  return { kind, id }
}

/** The kind of a comment: a remark, an agent's question, the answer to it, or a decision about an approval. */
export const commentKinds = ['comment', 'question', 'answer', 'decision'] as const
export type CommentKind = (typeof commentKinds)[number]

export const approvalDecisions = ['approved', 'rejected'] as const
export type ApprovalDecision = (typeof approvalDecisions)[number]

export const agentStatuses = ['available', 'busy', 'offline'] as const

/**
 * `busy` while a task is under the agent's lease. Else `available` while someone works for it: a runtime for its type or for `'*'`, in any
 * process, or a worker outside of the runtimes. Such a worker counts if it claimed for it in the last 60 s (option
 * `remoteWorkerTimeoutMs`). Else `offline`. A runtime whose process crashed counts as present for up to 90 s.
 */
export type AgentStatus = (typeof agentStatuses)[number]
