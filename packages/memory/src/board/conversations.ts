import type { ActingAs, Actor, Comment, CommentKind, Instant, NamedActor, Task } from '@taskboard/core'
import { commentsOfRun } from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import { draftRow } from '../tables/event-log.js'

/** The comments of each task, oldest first. */
export interface Conversations {
  /** Adds a comment, with its event. */
  add(task: Task, comment: Pick<Comment, 'author' | 'kind' | 'body'>, now: Instant): Comment
  /** At most `limit` comments after the first `after`. */
  page(taskId: string, after: number, limit: number): readonly Comment[]
  count(taskId: string): number
  /** The newest ones. */
  newest(taskId: string): readonly Comment[]
  /** The answer to the last question; null without one. */
  answer(taskId: string): Comment | null
  /** The last question; null without one. */
  question(taskId: string): Comment | null
  /** An author with the given name, else the name of its record. */
  named(author: ActingAs): NamedActor
}

export function createConversations({ tables, settings, publish }: Database): Conversations {
  const { comments, commentCounts, tasks } = tables
  const count = (taskId: string): number => commentCounts.get(taskId) ?? 0
  const at = (taskId: string, place: number): Comment => comments.get(commentKey(taskId, place)) as Comment

  function nameOf({ kind, id }: Actor): string | null {
    if (id === null) return null
    if (kind === 'agent') return tables.agents.get(id)?.name ?? null
    if (kind === 'user') return tables.users.get(id)?.user.email ?? null
    if (kind === 'api_key') return tables.apiKeys.get(id)?.name ?? null
    return null
  }

  function page(taskId: string, after: number, limit: number): readonly Comment[] {
    const length = Math.max(0, Math.min(limit, count(taskId) - after))
    return Array.from({ length }, (_, index) => at(taskId, after + index + 1))
  }

  function newestOf(taskId: string, kinds: readonly CommentKind[]): Comment | null {
    for (let place = count(taskId); place > 0; place--) {
      const comment = at(taskId, place)
      if (kinds.includes(comment.kind)) return comment
    }
    return null
  }

  return {
    count,
    page,
    newest: (taskId) => page(taskId, Math.max(0, count(taskId) - commentsOfRun), commentsOfRun),
    answer(taskId) {
      const found = newestOf(taskId, ['question', 'answer'])
      return found?.kind === 'answer' ? found : null
    },
    question: (taskId) => newestOf(taskId, ['question']),
    add({ id: taskId, title, workspaceId }, { author, kind, body }, now) {
      const id = settings.current.newId('cmt')
      const comment: Comment = { id, taskId, author, kind, body, createdAt: now }
      const place = count(taskId) + 1
      comments.set(commentKey(taskId, place), comment)
      commentCounts.set(taskId, place)
      const task = tasks.get(taskId)
      if (task !== undefined && !task.hasComments) tasks.set(taskId, { ...task, hasComments: true })
      const data = { taskId, title, commentId: id, kind, author, body, createdAt: now }
      publish(draftRow(workspaceId, { type: 'task.commented', data }, now))
      return comment
    },
    named: ({ kind, id, name }) => ({ kind, id, name: name ?? nameOf({ kind, id }) }),
  }
}

/** The setting of the account that a task belongs to. */
export function requiresOtherPerson(
  { tables }: Database,
  { workspaceId }: Pick<Task, 'workspaceId'>,
): boolean {
  const accountId = tables.workspaces.get(workspaceId)?.accountId ?? ''
  return tables.accounts.get(accountId)?.requireOtherPerson === true
}

/** Deletes the comments of a task. */
export function deleteComments({ tables }: Pick<Database, 'tables'>, taskId: string): void {
  const { comments, commentCounts, questions } = tables
  questions.delete(taskId)
  for (let place = commentCounts.get(taskId) ?? 0; place > 0; place--) {
    comments.delete(commentKey(taskId, place))
  }
  commentCounts.delete(taskId)
}

function commentKey(taskId: string, place: number): string {
  return `${taskId}/${place}`
}
