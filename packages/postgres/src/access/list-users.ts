import type { User } from '@taskboard/core'
import type { AccessStore, At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { toUser, userColumns, type UserRow } from './access-row.js'

const usersOfAccount = statement<UserRow>(
  'list_users',
  /* sql */ `
  select ${userColumns('u')} from taskboard.account_user u where u.account_id = $1::text
  order by u.created_at, u.id`,
)

/** `AccessStore.listUsers`. */
export async function listUsers(
  database: Database,
  { accountId }: Parameters<AccessStore['listUsers']>[0],
  at: At<PgConnection>,
): Promise<readonly User[]> {
  return (await database.read(at, usersOfAccount, [accountId])).map(toUser)
}
