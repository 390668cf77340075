import type { CallContext } from '../environment/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'
import type { Comment, CommentDraft } from './comment.js'
import type { TaskTarget } from './task-store.js'

/** A page of a task's comments. */
export interface CommentQuery extends TaskTarget {
  readonly limit: number
  /** How many comments, from the oldest one, to leave out: 0 for the first page, else `nextAfter` of the page before. */
  readonly after: number
}

export interface CommentPage {
  /** Oldest first. */
  readonly comments: readonly Comment[]
  /** Null on the last page. */
  readonly nextAfter: number | null
}

/** The conversations of tasks. Verbs throw `TASK_NOT_FOUND` for a task that the workspace doesn't have. */
export interface CommentStore<Tx = unknown> {
  /**
   * Adds a comment, with `task.commented`, and does to the task what `outcomeOfComment` says, all in one commit. The comments of a task
   * have the order of their commits. The author's name is the given one, or else the current name of the user, key or agent.
   * The asker of a question is kept with it. Whether the account requires another person is its setting in the commit of the answer.
   * @throws as `outcomeOfComment` does. `CONFLICT` for a question under a lease that is no longer held, and for an answer without an open
   * question, even after another answer. The same for an idempotency key that was used with another fingerprint.
   */
  insertComment(
    insertion: {
      readonly target: TaskTarget
      readonly draft: CommentDraft
      readonly idempotency: IdempotencyClaim | null
    },
    call: CallContext<Tx>,
  ): Promise<Created<Comment>>
  /** A page of a task's comments. Its cost doesn't depend on the pages before it. */
  listComments(query: CommentQuery, call: CallContext<Tx>): Promise<CommentPage>
}
