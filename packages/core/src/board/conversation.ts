import type { z } from 'zod'
import type { Environment } from '../environment/index.js'
import { parseInput, requireLimit } from '../errors/index.js'
import type { Created } from '../idempotency/index.js'
import { askerOf, refusedToAgents } from './asker.js'
import {
  actingAs,
  type AddOptions,
  DEFAULT_PAGE,
  type ListOptions,
  type WriteOptions,
} from './board-options.js'
import { type Comment, commentInput, questionInput } from './comment.js'
import type { CommentStore } from './comment-store.js'
import { decodePlace, encodePlace } from './cursor.js'
import type { Actor } from './task.js'

export interface CommentList {
  /** Oldest first. */
  readonly comments: readonly Comment[]
  /** For the next page; null on the last one. */
  readonly nextCursor: string | null
}

/** The text of a comment or an answer. */
export type CommentInput = z.input<typeof commentInput>

/** The conversations of a board's tasks. No one edits or deletes a comment. */
export interface BoardConversation<Tx = unknown> {
  /**
   * Adds a comment to a task in any column, with `task.commented`. A retry with the same `idempotency` returns the first one's.
   * The author is `actor`, by its name; default: the name of the user's, key's or agent's record.
   */
  comment(taskId: string, input: CommentInput, options?: AddOptions<Tx>): Promise<Comment>
  /** As `comment`, and says whether the comment is the one of an earlier call. */
  commentOnce(taskId: string, input: CommentInput, options?: AddOptions<Tx>): Promise<Created<Comment>>
  /** A task's comments, oldest first. */
  comments(taskId: string, options?: ListOptions<Tx>): Promise<CommentList>
  /**
   * The agent that works on the task asks: records the question and puts the task on hold as `needs_input`, which ends its claim. The attempt
   * doesn't count. `actor` is who asks for the agent, and is kept with the question: a key can't answer what its owner's credentials ask. With
   * `requireOtherPerson`, another person than the one who asks has to answer. @throws `CONFLICT` when the lease is no longer held.
   */
  ask(taskId: string, input: z.input<typeof questionInput>, options?: WriteOptions<Tx>): Promise<Comment>
  /**
   * Answers the question of a task on hold as `needs_input`: records the answer and releases the hold, in one commit. Agents can claim the
   * task again, with fresh attempts, and find the answer. @throws `CONFLICT` when the task doesn't wait for an answer; `FORBIDDEN` for who may not
   *   answer it, by the rules of `decide`.
   */
  answer(taskId: string, input: CommentInput, options?: AddOptions<Tx>): Promise<Comment>
  /** As `answer`, and says whether the comment is the one of an earlier call. */
  answerOnce(taskId: string, input: CommentInput, options?: AddOptions<Tx>): Promise<Created<Comment>>
}

export interface ConversationDeps<Tx> {
  readonly environment: Environment
  readonly comments: CommentStore<Tx>
}

/** The comments of the tasks of one workspace; `actor` is the default author. */
export function createConversation<Tx>(
  { environment, comments }: ConversationDeps<Tx>,
  workspaceId: string,
  actor: Actor,
): BoardConversation<Tx> {
  const insert =
    (kind: 'comment' | 'answer') =>
    async (taskId: string, input: CommentInput, options?: AddOptions<Tx>): Promise<Created<Comment>> => {
      const { body } = parseInput(commentInput, input)
      // The board that a run was given is an agent's, whatever actor it names.
      if (kind === 'answer' && actor.kind === 'agent') throw refusedToAgents('answer')
      const draft = { kind, body, author: actingAs(options?.actor ?? actor) }
      const idempotency = options?.idempotency ?? null
      return comments.insertComment(
        { target: { workspaceId, taskId }, draft, idempotency },
        environment.call(options),
      )
    }

  const conversation: BoardConversation<Tx> = {
    commentOnce: insert('comment'),
    comment: async (taskId, input, options) => (await conversation.commentOnce(taskId, input, options)).value,
    async comments(taskId, options = {}) {
      const limit = requireLimit(options.limit ?? DEFAULT_PAGE)
      const after = options.cursor == null ? 0 : decodePlace(options.cursor)
      const page = await comments.listComments(
        { workspaceId, taskId, limit, after },
        environment.call(options),
      )
      const { nextAfter } = page
      return { comments: page.comments, nextCursor: nextAfter === null ? null : encodePlace(nextAfter) }
    },
    async ask(taskId, input, options) {
      const { fencingToken, question, requireOtherPerson } = parseInput(questionInput, input)
      const asked = { asker: askerOf(actor, options?.actor ?? actor), requireOtherPerson }
      const draft = { kind: 'question', body: question, fencingToken, asked } as const
      const insertion = { target: { workspaceId, taskId }, draft, idempotency: null }
      return (await comments.insertComment(insertion, environment.call(options))).value
    },
    answerOnce: insert('answer'),
    answer: async (taskId, input, options) => (await conversation.answerOnce(taskId, input, options)).value,
  }
  return conversation
}
