import type { At, SlotRequest } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

type Outcome = 'taken' | 'full' | 'lost'

const takeSlot = statement<{ readonly outcome: Outcome }>(
  'acquire_realtime_slot',
  /* sql */ `
  select taskboard.take_realtime_slot($1::text, $2::text, $3::text, $4::integer, $5::bigint) as outcome`,
)

/** Shortens leases that were granted before the clock stepped back. There is one for each process. */
const cutLeases = statement<never>(
  'cut_realtime_leases',
  /* sql */ `
  with p as materialized (select coalesce($2::bigint, taskboard.now_ms()) + $1::bigint as end_at)
  update taskboard.realtime_holder h set expires_at = p.end_at
  from p where h.expires_at > (select end_at from p)`,
)

/** `RealtimeStore.acquireSlot`. */
export async function acquireSlot(
  database: Database,
  { slotId, accountId, holderId, limit, leaseMs }: SlotRequest,
  at: At,
): Promise<Outcome> {
  const [row] = await database.read(null, takeSlot, [slotId, accountId, holderId, limit, at.now])
  if (row === undefined) throw new Error('the statement returned no outcome')
  if (row.outcome === 'full') await database.read(null, cutLeases, [leaseMs, at.now])
  return row.outcome
}
