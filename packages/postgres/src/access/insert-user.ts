import { TaskboardError, type User } from '@taskboard/core'
import type { AccessStore, At } from '@taskboard/core/storage'
import type { Database, Session } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { toUser, userColumns, type UserRow } from './access-row.js'

type Added = { readonly [Member in keyof UserRow]: UserRow[Member] | null }

interface AddedRow extends Added {
  readonly hasAccount: boolean
}

/** The row gives the refusal: no such account, or an email that is in use (then no user is returned). */
const addUser = statement<AddedRow>(
  'insert_user',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  first as materialized (
    select w.id from taskboard.workspace w where w.account_id = $3::text order by w.created_at, w.id limit 1
  ),
  added as (
    insert into taskboard.account_user
      (id, account_id, default_workspace_id, email, password_hash, scopes, created_at)
    select $2::text, $3::text, f.id, $4::text, $5::text, $6::text[], p.now from p, first f
    on conflict (email) do nothing
    returning *
  )
  select exists (select from first) as "hasAccount", ${userColumns('u')} from p left join added u on true`,
)

/** Adds a user within a session and sees its earlier writes. @throws as `AccessStore.insertUser`. */
export async function addUserIn(
  session: Session,
  id: string,
  user: Parameters<AccessStore['insertUser']>[0],
  now: number | null,
): Promise<User> {
  const { accountId, email, passwordHash, scopes } = user
  const [row] = await session.run(addUser, [now, id, accountId, email, passwordHash, scopes])
  if (row?.hasAccount !== true) throw new TaskboardError('NOT_FOUND', 'no such account')
  if (row.id === null) {
    throw new TaskboardError('CONFLICT', 'email is already in use', { field: 'email' })
  }
  const { hasAccount: _, ...added } = row
  return toUser(added as UserRow)
}

/** `AccessStore.insertUser`. */
export function insertUser(
  database: Database,
  user: Parameters<AccessStore['insertUser']>[0],
  at: At<PgConnection>,
): Promise<User> {
  const id = database.settings.current.newId('user')
  const session: Session = { run: (what, values) => database.write(at, what, values) }
  return addUserIn(session, id, user, at.now)
}
