import type { QuotaStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const giveBack = statement<never>(
  'give_back_task',
  /* sql */ `
  update taskboard.task_quota set used = used - 1
  where account_id = $1::text and month = $2::bigint and used > 0`,
)

/** `QuotaStore.giveBackTask`. */
export async function giveBackTask(
  database: Database,
  { accountId, month }: Parameters<QuotaStore['giveBackTask']>[0],
): Promise<void> {
  await database.read(null, giveBack, [accountId, month])
}
