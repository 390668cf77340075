import type { At, SlotRequest } from '@taskboard/core'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

type Outcome = 'taken' | 'full' | 'lost'

const takeSlot = statement<{ readonly outcome: Outcome }>(
  'acquire_realtime_slot',
  /* sql */ `
  select taskboard.take_realtime_slot($1::text, $2::text, $3::text, $4::integer, $5::bigint) as outcome`,
)

/** `RealtimeStore.acquireSlot`. */
export async function acquireSlot(
  database: Database,
  { slotId, accountId, holderId, limit }: SlotRequest,
  at: At,
): Promise<Outcome> {
  const [row] = await database.read(null, takeSlot, [slotId, accountId, holderId, limit, at.now])
  if (row === undefined) throw new Error('the slot was not told of')
  return row.outcome
}
