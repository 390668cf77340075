import { type Comment, TaskboardError } from '@taskboard/core'
import {
  type CallContext,
  type CommentPage,
  type CommentQuery,
  type CommentStore,
  outcomeOfComment,
} from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { once } from '../database/idempotency.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { applyWithin, lockTask } from './lock-task.js'
import { commentJson, findQuestion, writeComment } from './comment-sql.js'

type Store = CommentStore<PgConnection>

/** A row of a page. A page without comments has one row without a comment; a task that doesn't exist has none. */
interface PageRow {
  readonly comment: Comment | null
}

/** Workspace, task, the place behind which to begin, limit. */
const readPage = statement<PageRow>(
  'list_comments',
  /* sql */ `
  select page.comment
  from (select * from taskboard.task t where t.id = $2::text and t.workspace_id = $1::text limit 1) as t
    left join lateral (
      select c.place, ${commentJson('c')} as comment from taskboard.task_comment c
      where c.task_id = t.id and c.place > $3::integer
      order by c.place limit $4::integer
    ) as page on true
  order by page.place`,
)

const LONGEST_PAGE = 1_000

/** `CommentStore.listComments`. */
async function listComments(
  database: Database,
  { workspaceId, taskId, limit: requested, after }: CommentQuery,
  call: CallContext<PgConnection>,
): Promise<CommentPage> {
  const limit = Math.min(requested, LONGEST_PAGE)
  const rows = await database.readLatest(call, readPage, () => [workspaceId, taskId, after, limit + 1])
  if (rows.length === 0) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  const found = rows.flatMap(({ comment }) => (comment === null ? [] : [comment]))
  const isMore = found.length > limit
  return { comments: isMore ? found.slice(0, limit) : found, nextAfter: isMore ? after + limit : null }
}

/** `CommentStore.insertComment`. The lock on the task orders its comments, and lets one of two answers release it. */
async function insertWithin(
  database: Database,
  session: Session,
  { target, draft }: Parameters<Store['insertComment']>[0],
  call: CallContext<PgConnection>,
): Promise<Comment> {
  const { row, task } = await lockTask(session, target, call.now)
  const { workspaceId, taskId } = target
  const [question = null] =
    draft.kind === 'answer' ? await session.run(findQuestion, [workspaceId, taskId]) : []
  const { command, author } = outcomeOfComment(task, draft, question)
  if (command !== null) await applyWithin(session, target, command, row)
  const { kind, body } = draft
  const id = database.settings.current.newId('cmt')
  const asked = draft.kind === 'question' ? draft.asked : null
  const comment = { id, workspaceId, taskId, kind, body, author, asked }
  return writeComment(session, comment, row.now)
}

export function createCommentStore(database: Database): Store {
  return {
    insertComment: (insertion, call) =>
      database.atomically(call, async (session) => {
        const insert = (own: Session) => insertWithin(database, own, insertion, call)
        const { idempotency } = insertion
        return idempotency === null
          ? { value: await insert(session), replayed: false }
          : once(session, idempotency, call.now, insert)
      }),
    listComments: (query, call) => listComments(database, query, call),
  }
}
