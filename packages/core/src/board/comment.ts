import { z } from 'zod'
import type { Instant } from '../environment/index.js'
import { TaskboardError, textOf } from '../errors/index.js'
import type { ActingAs, CommentKind, NamedActor } from '../events/index.js'
import type { Task } from './task.js'
import type { TaskCommand } from './transition.js'
import { completionInput } from './write-inputs.js'

export { commentKinds } from '../events/index.js'
export type { CommentKind } from '../events/index.js'

/** A part of a task's conversation. Nobody edits it; it is deleted with its task. */
export interface Comment {
  /** `cmt_…`. */
  readonly id: string
  readonly taskId: string
  readonly author: NamedActor
  readonly kind: CommentKind
  /** 1 to 20,000 code points. */
  readonly body: string
  readonly createdAt: Instant
}

/**
 * A comment to write. A question is its agent's, under the claim that the fencing token shows, and puts the task on hold as
 * `needs_input`. An answer releases that hold. An author without a name gets the one that the storage has of it.
 */
export type CommentDraft = { readonly body: string } & (
  | { readonly kind: 'comment' | 'answer'; readonly author: ActingAs }
  | { readonly kind: 'question'; readonly fencingToken: number }
)

/** How many comments a run is given: the newest ones. */
export const commentsOfRun = 100

/** The longest body of a comment, in code points. */
export const longestComment = 20_000

/** The body of a comment. */
export const commentBody = textOf({ most: longestComment, isBlankAllowed: false })

/** The input of `board.comment` and `board.answer`. */
export const commentInput = z.strictObject({ body: commentBody })

/** The input of `board.ask`. */
export const questionInput = z.strictObject({
  fencingToken: completionInput.shape.fencingToken,
  question: commentBody,
})

/** What a comment does, and who writes it. */
export interface CommentOutcome {
  /** What it does to its task; null for nothing. */
  readonly command: TaskCommand | null
  /** With the name that the caller gave. */
  readonly author: ActingAs
}

/**
 * What a comment does. The author of a question is the agent that works the task, and its attempt does not count. Pure, as `transition` is,
 * which a storage applies to the task in the comment's commit.
 * @throws TaskboardError `CONFLICT` for an answer to a task that waits for none. So an answer never ends another hold.
 * @example
 * ```ts
 * import { createTask, outcomeOfComment, parseNewTask } from '@taskboard/core/storage'
 *
 * const input = parseNewTask({ title: 'Translate the manual' }, 'ws_1', 3)
 * const task = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * const question = { kind: 'question', body: 'Into which language?', fencingToken: 1 } as const
 * console.log(outcomeOfComment(task, question).command?.kind) // hold_claimed
 * ```
 */
export function outcomeOfComment(task: Task, draft: CommentDraft): CommentOutcome {
  if (draft.kind === 'question') {
    const { fencingToken, body } = draft
    return {
      command: {
        kind: 'hold_claimed',
        fencingToken,
        reason: 'needs_input',
        message: body,
        isUncounted: true,
      },
      author: { kind: 'agent', id: task.lease?.agentId ?? null },
    }
  }
  const { author } = draft
  if (draft.kind === 'comment') return { command: null, author }
  if (task.hold?.reason === 'needs_input') return { command: { kind: 'release', actor: author }, author }
  throw new TaskboardError('CONFLICT', 'the task does not wait for an answer')
}
