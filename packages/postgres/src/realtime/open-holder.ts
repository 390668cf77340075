import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const newHolder = statement(
  'open_realtime_holder',
  /* sql */ `
  insert into taskboard.realtime_holder (id, expires_at)
  values ($1::text, coalesce($3::bigint, taskboard.now_ms()) + $2::bigint)`,
)

/** `RealtimeStore.leaseHolder` of a new lease. */
export async function openHolder(
  database: Database,
  holderId: string,
  leaseMs: number,
  at: At,
): Promise<true> {
  await database.read(null, newHolder, [holderId, leaseMs, at.now])
  return true
}
