import type { Reach } from '../access/index.js'
import type { CallContext } from '../environment/index.js'
import type { ActingAs, Actor } from './task.js'
import type { Approval, ApprovalRequest, ApprovalStatus, Verdict } from './approval.js'
import type { Asker } from './asker.js'
import type { ClaimProof } from './task-store.js'

/** Which approvals to read: those that match every filter, newest first. */
export interface ApprovalQuery {
  /** Where to look: in one workspace, or in all of those within reach. */
  readonly within: string | Reach
  /** Only the one with this id. */
  readonly approvalId: string | null
  readonly taskId: string | null
  readonly status: ApprovalStatus | null
  readonly limit: number
  /** The last id of the page before; null for the first page. */
  readonly afterId: string | null
}

export interface ApprovalPage {
  readonly approvals: readonly Approval[]
  /** Null on the last page. */
  readonly nextAfterId: string | null
}

/**
 * What a request found. `approved`: it was approved for this task, and this call has used it up. `rejected`: it was rejected. `pending`: it
 * waits for a decision, the task is on hold as `approval`, and the claim is over.
 */
export interface ApprovalAnswer {
  readonly outcome: 'approved' | 'rejected' | 'pending'
  readonly approval: Approval
}

/** Approvals of what agents want to do. */
export interface ApprovalStore<Tx = unknown> {
  /**
   * A run asks for permission to do one thing, by the semantics of `outcomeOfRequest`. It uses up an approval of the same task, asker,
   * action and digest, or reports a rejection. Otherwise, it records a pending approval with `approval.requested`, puts the task on hold
   * and ends the claim. Each is one commit. Of several calls one at most uses an approval, and a process that dies behind the commit has
   * used it. A retry of a call whose response was lost gets the pending approval again, but never a used one.
   * @throws `TASK_NOT_FOUND`; `CONFLICT` (`fencingToken`) when the lease is no longer held.
   */
  requestApproval(
    asked: {
      readonly proof: ClaimProof
      readonly request: ApprovalRequest
      readonly requestedBy: Actor
      readonly asker: Asker
      readonly expireAfterMs: number
    },
    call: CallContext<Tx>,
  ): Promise<ApprovalAnswer>
  /**
   * Decides a pending approval, with `approval.decided` and a comment of the kind `decision`, and releases its task from the hold
   * `approval`, in one commit. Of several concurrent decisions one is made. A decider without a name gets the stored one.
   * Whether the account requires another person is what its setting is in that commit.
   * @throws as `outcomeOfDecision` does; `NOT_FOUND` for an approval that the workspace doesn't have.
   */
  decideApproval(
    decision: {
      readonly workspaceId: string
      readonly approvalId: string
      readonly verdict: Verdict
      readonly decidedBy: ActingAs
    },
    call: CallContext<Tx>,
  ): Promise<Approval>
  /** Reads approvals, in descending order of their ids. Beyond reach: none, as where none exist. */
  listApprovals(query: ApprovalQuery, call: CallContext<Tx>): Promise<ApprovalPage>
}
