import { TaskboardError } from '@taskboard/core'
import type { CallContext, LinkStore, StoredLink } from '@taskboard/core/storage'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import type { Database } from '../database/database.js'

/** The columns of a `StoredLink`. */
const COLUMNS = `l.id, l.account_id as "accountId", l.workspace_id as "workspaceId", l.task_id as "taskId",
    jsonb_build_object('kind', l.about_kind, 'id', l.about_id) as about, l.digest, l.user_id as "userId",
    l.created_at::float8 as "createdAt", l.expires_at::float8 as "expiresAt"`

/** The row of the task is locked, so that it is not deleted without the link. */
const insert = statement<StoredLink>(
  'insert_link',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  owner as materialized (
    select t.id, w.account_id from taskboard.task t join taskboard.workspace w on w.id = t.workspace_id
    where t.id = $5::text and t.workspace_id = $4::text for share of t
  ),
  added as (
    insert into taskboard.link (id, token_hash, account_id, workspace_id, task_id, about_kind, about_id, digest, user_id,
      created_at, expires_at)
    select $2::text, $3::text, o.account_id, $4::text, o.id, $6::text, $7::text, $8::text, $9::text, p.now,
      p.now + $10::bigint
    from owner o, p
    returning *
  )
  select ${COLUMNS} from added l`,
)

/** `LinkStore.insertLink`. */
async function insertLink(
  database: Database,
  { link }: Parameters<LinkStore['insertLink']>[0],
  call: CallContext<PgConnection>,
): Promise<StoredLink> {
  const { workspaceId, taskId, about, digest, userId, tokenHash, ttlMs } = link
  const id = database.settings.current.newId('lnk')
  const place = [workspaceId, taskId, about.kind, about.id]
  const values = [call.now, id, tokenHash, ...place, digest, userId, ttlMs]
  const [added] = await database.write(call, insert, values)
  if (added === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  return added
}

const byToken = statement<StoredLink & { readonly expiresInMs: number }>(
  'find_link',
  /* sql */ `
  select ${COLUMNS}, (l.expires_at - coalesce($1::bigint, taskboard.now_ms()))::float8 as "expiresInMs"
  from taskboard.link l join taskboard.workspace w on w.id = l.workspace_id
  where l.token_hash = $2::text`,
)

export function createLinkStore(database: Database): LinkStore<PgConnection> {
  return {
    insertLink: (insertion, call) => insertLink(database, insertion, call),
    async findLink({ tokenHash }, call) {
      const [row] = await database.read(call, byToken, [call.now, tokenHash])
      if (row === undefined) return null
      const { expiresInMs, ...link } = row
      return { link, expiresInMs }
    },
  }
}
