import type { V2ErrorBody } from '@taskboard/core/transport'

/** The input of an operation of API v2, with wire names. Values of the query are text. */
export interface OperationInput {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** Members of the answer that aren't read. In the board's process they are then not worked out. */
  readonly unread?: readonly string[] | undefined
  /** As the `Idempotency-Key` of API v2. */
  readonly idempotencyKey?: string | undefined
}

/** The operations of API v2 that tools and resources call. */
export type BoardOperation =
  | 'addTaskLogLine'
  | 'addTaskOutput'
  | 'answerTask'
  | 'cancelTask'
  | 'claimTask'
  | 'completeTask'
  | 'createComment'
  | 'createTask'
  | 'createTasks'
  | 'delegateTask'
  | 'failTask'
  | 'getAccount'
  | 'getApproval'
  | 'getTask'
  | 'holdTask'
  | 'listAgents'
  | 'listApprovals'
  | 'listComments'
  | 'listTasks'
  | 'moveTask'
  | 'releaseTask'
  | 'reportTaskProgress'
  | 'reportTaskUsage'
  | 'requestApproval'
  | 'updateTask'

/** An response of API v2, with wire names. */
export type Answer = Readonly<Record<string, unknown>>

/** An error as API v2 answers it. */
export interface ExplainedError extends V2ErrorBody {
  /** Seconds until the same call can pass; absent when waiting doesn't help. */
  readonly retry_after_s?: number | undefined
}

/** The board as one caller sees it: in the process of the board, or over its HTTP API. */
export interface BoardCalls {
  /** Calls an operation. Rejects with anything that `explain` accepts. */
  call(operationId: BoardOperation, input: OperationInput): Promise<Answer>
  /** The public part of any error. */
  explain(error: unknown): ExplainedError
  /** The scopes of the caller; null when they aren't known. */
  readonly scopes: readonly string[] | null
}
