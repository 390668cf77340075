import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const longerLease = statement<{ readonly id: string }>(
  'renew_realtime_holder',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) as now)
  update taskboard.realtime_holder h set expires_at = p.now + $2::bigint
  from p where h.id = $1::text and h.expires_at > p.now
  returning h.id`,
)

/** `RealtimeStore.leaseHolder` of a lease to renew. */
export async function renewHolder(
  database: Database,
  holderId: string,
  leaseMs: number,
  at: At,
): Promise<boolean> {
  return (await database.read(null, longerLease, [holderId, leaseMs, at.now])).length > 0
}
