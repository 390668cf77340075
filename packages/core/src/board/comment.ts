import { z } from 'zod'
import type { Instant } from '../environment/index.js'
import { TaskboardError, textOf } from '../errors/index.js'
import type { ActingAs, CommentKind, NamedActor } from '../events/index.js'
import { type Asked, otherPersonInput, requireResponder, unknownAsker } from './asker.js'
import type { Task } from './task.js'
import type { TaskCommand } from './transition.js'
import { completionInput } from './write-inputs.js'

export { commentKinds } from '../events/index.js'
export type { CommentKind } from '../events/index.js'

/** A part of a task's conversation. No one edits it; it is deleted with its task. */
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
 * A comment to write. A question belongs to its agent, under the claim that the fencing token shows, and puts the task on hold as
 * `needs_input`. The storage keeps the asker with it. An answer releases that hold. An author without a name gets the one that the storage
 * has of it.
 */
export type CommentDraft = { readonly body: string } & (
  | { readonly kind: 'comment'; readonly author: ActingAs }
  | {
      readonly kind: 'answer'
      readonly author: ActingAs
      /** The id of the question that it is to; null or absent for the last one. */
      readonly questionId?: string | null | undefined
    }
  | { readonly kind: 'question'; readonly fencingToken: number; readonly asked: Asked }
)

/** What an answer is to. */
export interface AnsweredQuestion {
  /** The id of the last question of the task; null when there is none. */
  readonly id: string | null
  /** The asker of the last question of the task; null when the host put it on hold without one. */
  readonly asked: Asked | null
  /** The setting of the account now. */
  readonly requireOtherPerson: boolean
}

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
  requireOtherPerson: otherPersonInput,
})

/** What a comment does, and who writes it. */
export interface CommentOutcome {
  /** What it does to its task; null for nothing. */
  readonly command: TaskCommand | null
  /** With the name that the caller gave. */
  readonly author: ActingAs
}

/**
 * What a comment does. The author of a question is the agent that works on the task, and its attempt doesn't count. `question` is what an answer
 * is to, as it is in the comment's commit; null for other comments. Pure, as `transition` is, which a storage applies to the task in that commit.
 * @throws TaskboardError `CONFLICT` for an answer to a task that waits for none. So an answer never ends another hold. `FORBIDDEN` for the
 *   answer of an agent, and of a credential that may not answer what this asker asked.
 * @example
 * ```ts
 * import { createTask, outcomeOfComment, parseNewTask } from '@taskboard/core/storage'
 *
 * const input = parseNewTask({ title: 'Translate the manual' }, 'ws_1', 3)
 * const task = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * const asked = { asker: { kind: 'runtime', owner: null, isSession: false }, requireOtherPerson: false } as const
 * const question = { kind: 'question', body: 'Into which language?', fencingToken: 1, asked } as const
 * console.log(outcomeOfComment(task, question, null).command?.kind) // hold_claimed
 * ```
 */
export function outcomeOfComment(
  task: Task,
  draft: CommentDraft,
  question: AnsweredQuestion | null,
): CommentOutcome {
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
  if (task.hold?.reason !== 'needs_input') {
    throw new TaskboardError('CONFLICT', 'the task does not wait for an answer')
  }
  const { questionId = null } = draft
  if (questionId !== null && questionId !== question?.id)
    throw new TaskboardError('CONFLICT', 'the task waits for the answer to another question')
  const { asker, requireOtherPerson } = question?.asked ?? { asker: unknownAsker, requireOtherPerson: false }
  const isOther = requireOtherPerson || question?.requireOtherPerson === true
  requireResponder({ asker, requireOtherPerson: isOther }, author, 'answer')
  return { command: { kind: 'release', actor: author }, author }
}

/**
 * The speaker in words for an agent, such as `the answer of Ada` for a person's, and `the answer by a key (deploy)`: a key isn't a person.
 * @example
 * ```ts
 * import { whoSaid } from '@taskboard/core'
 *
 * console.log(whoSaid({ kind: 'answer', author: { kind: 'user', id: 'ada', name: 'Ada' } })) // the answer of Ada
 * console.log(whoSaid({ kind: 'answer', author: { kind: 'api_key', id: 'ak_1', name: 'ci' } })) // the answer by a key (ci)
 * ```
 */
export function whoSaid({ kind, author }: Pick<Comment, 'kind' | 'author'>): string {
  const name = author.name ?? author.id
  if (author.kind === 'user') return `the ${kind} of ${name ?? 'a person'}`
  return `the ${kind} by ${others[author.kind]}${name === null ? '' : ` (${name})`}`
}

const others = { api_key: 'a key', agent: 'an agent', host: 'the host', system: 'the board' } as const
