import type { ActingAs, Asked, Comment, CommentKind, Instant } from '@taskboard/core'
import { type AnsweredQuestion, commentsOfRun } from '@taskboard/core/storage'
import type { Session } from '../database/database.js'
import { LOG_EVENTS } from '../events/log-events.js'
import { statement } from '../connection/statement.js'

/** A comment `alias` as JSON of a `Comment`. */
export function commentJson(alias: string): string {
  const c = alias
  return `json_build_object('id', ${c}.id, 'taskId', ${c}.task_id, 'author', json_build_object(
      'kind', ${c}.author_kind, 'id', ${c}.author_id, 'name', ${c}.author_name),
    'kind', ${c}.kind, 'body', ${c}.body, 'createdAt', ${c}.created_at)`
}

/** The newest comments of task `t` as JSON, oldest first. */
export const newestComments = /* sql */ `coalesce((
      select json_agg(${commentJson('c')} order by c.place) from (
        select * from taskboard.task_comment c where c.task_id = t.id order by c.place desc limit ${commentsOfRun}
      ) as c
    ), '[]')`

/** The answer to the last question of task `t` as JSON, or null. */
export const lastAnswer = /* sql */ `(
      select case when c.kind = 'answer' then ${commentJson('c')} end from (
        select * from taskboard.task_comment c
        where c.task_id = t.id and c.kind in ('question', 'answer') order by c.place desc limit 1
      ) as c
    )`

/** The name of an actor: the given one, else the name of its record. The arguments are parameters. */
export function nameOf(kind: string, id: string, given: string, workspace: string): string {
  return /* sql */ `coalesce(${given}::text, case ${kind}::text
        when 'agent' then (select a.name from taskboard.agent a where a.id = ${id}::text and a.workspace_id = ${workspace}::text)
        when 'user' then (select u.email from taskboard.account_user u where u.id = ${id}::text)
        when 'api_key' then (select k.name from taskboard.api_key k where k.id = ${id}::text)
      end)`
}

/** The last question of task `t` as JSON, or null. */
export const lastQuestion = /* sql */ `(
      select ${commentJson('c')} from taskboard.task_comment c
      where c.task_id = t.id and c.kind = 'question' order by c.place desc limit 1
    )`

/** The setting `requireOtherPerson` of the account of a workspace, which is a parameter. */
export function otherPersonOf(workspace: string): string {
  return /* sql */ `coalesce((
      select a.require_other_person from taskboard.workspace w join taskboard.account a on a.id = w.account_id
      where w.id = ${workspace}::text
    ), false)`
}

/** Workspace, task. The question that an answer is measured by: the last one of the task. */
export const findQuestion = statement<AnsweredQuestion>(
  'find_question',
  /* sql */ `
  select q.id, q.asked, ${otherPersonOf('$1')} as "requireOtherPerson"
  from (select) as one left join lateral (
    select c.id, c.asked from taskboard.task_comment c
    where c.task_id = $2::text and c.kind = 'question' order by c.place desc limit 1
  ) as q on true`,
)

/** Present, task, id, kind, body, the author's kind, id and given name, workspace, who asked a question. The task is locked. */
const insertStatement = statement<{ readonly comment: Comment }>(
  'insert_comment',
  /* sql */ `
  with added as (
    insert into taskboard.task_comment (
      task_id, place, id, kind, body, author_kind, author_id, author_name, created_at, asked
    )
    select t.id, 1 + coalesce((
        select c.place from taskboard.task_comment c where c.task_id = t.id order by c.place desc limit 1
      ), 0), $3::text, $4::text, $5::text, $6::text, $7::text,
      ${nameOf('$6', '$7', '$8', '$9')}, $1::bigint, $10::jsonb
    from taskboard.task t where t.id = $2::text and t.workspace_id = $9::text
    returning *
  ),
  marked as (
    update taskboard.task t set has_comments = true, version = t.version + 1 where t.id = $2::text and t.workspace_id = $9::text
      and not t.has_comments
  ),
  draft as (
    select t.workspace_id, 1 as ord, 'task.commented' as type, c.created_at as at, jsonb_build_object(
      'taskId', t.id, 'title', t.title, 'commentId', c.id, 'kind', c.kind, 'body', c.body, 'createdAt', c.created_at,
      'author', jsonb_build_object('kind', c.author_kind, 'id', c.author_id, 'name', c.author_name)) as data
    from added c join taskboard.task t on t.id = c.task_id and t.workspace_id = $9::text
  ),
  ${LOG_EVENTS}
  select ${commentJson('c')} as comment from added c`,
)

/** A comment to write on a locked task. */
interface NewComment {
  readonly id: string
  readonly workspaceId: string
  readonly taskId: string
  readonly kind: CommentKind
  readonly body: string
  /** A name that is null or absent is looked up. */
  readonly author: ActingAs
  /** Of a question. */
  readonly asked?: Asked | null
}

/** Adds a comment with its event to a task that this session has locked. */
export async function writeComment(
  session: Session,
  { id, workspaceId, taskId, kind, body, author, asked = null }: NewComment,
  now: Instant,
): Promise<Comment> {
  const values = [now, taskId, id, kind, body, author.kind, author.id, author.name ?? null, workspaceId]
  const [row] = await session.run(insertStatement, [...values, asked && JSON.stringify(asked)])
  if (row === undefined) throw new Error('a locked task is gone')
  return row.comment
}
