import type { CallContext, KeyCheck } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

/** It writes the row in any case, which waits for others that do, and returns what they have left. */
const keep = statement<{ readonly sealed: string }>(
  'keep_key_check',
  /* sql */ `
  insert into taskboard.key_check as k (sealed) values ($1::text)
  on conflict (only_row) do update
  set sealed = case when k.sealed = $2::text then excluded.sealed else k.sealed end
  returning sealed`,
)

/** `Storage.keepKeyCheck`. */
export async function keepKeyCheck(
  database: Database,
  { sealed, replaces }: KeyCheck,
  call: CallContext<PgConnection>,
): Promise<string> {
  const [row] = await database.write(call, keep, [sealed, replaces])
  return row?.sealed ?? sealed
}
