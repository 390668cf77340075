import type { Comment, Instant, Task } from '@taskboard/core'
import { type CommentDraft, type CommentStore, outcomeOfComment } from '@taskboard/core/storage'
import { type Conversations, requiresOtherPerson } from './conversations.js'
import type { Database } from '../tables/database.js'
import type { TaskChanges } from './task-changes.js'
import type { MemoryTransaction } from '../tables/transactions.js'

export function createCommentStore(
  database: Database,
  changes: TaskChanges,
  conversations: Conversations,
): CommentStore<MemoryTransaction> {
  const { transactions, idempotency, tables } = database

  function insert(task: Task, draft: CommentDraft, now: Instant): Comment {
    const asked = tables.questions.get(task.id) ?? null
    const requireOtherPerson = requiresOtherPerson(database, task)
    const id = draft.kind === 'answer' ? (conversations.question(task.id)?.id ?? null) : null
    const { command, author: by } = outcomeOfComment(task, draft, { id, asked, requireOtherPerson })
    const author = conversations.named(by)
    const after = command === null ? task : changes.apply(task, command, now)
    if (draft.kind === 'question') tables.questions.set(task.id, draft.asked)
    return conversations.add(after, { author, kind: draft.kind, body: draft.body }, now)
  }

  return {
    insertComment: ({ target: { workspaceId, taskId }, draft, idempotency: claim }, call) =>
      transactions.write(call, (now) =>
        idempotency.once(claim, now, () => insert(changes.require(workspaceId, taskId), draft, now)),
      ),
    listComments: ({ workspaceId, taskId, limit, after }, call) =>
      transactions.read(call, () => {
        changes.require(workspaceId, taskId)
        const isMore = conversations.count(taskId) > after + limit
        return {
          comments: conversations.page(taskId, after, limit),
          nextAfter: isMore ? after + limit : null,
        }
      }),
  }
}
