import type { Database } from '../database.js'
import { statement } from '../statement.js'

const freeSlots = statement(
  'release_realtime_slots',
  /* sql */ `delete from taskboard.realtime_slot where id = any ($1::text[])`,
)

/** `RealtimeStore.releaseSlots` by their ids. */
export async function releaseSlots(database: Database, slotIds: readonly string[]): Promise<void> {
  await database.read(null, freeSlots, [slotIds])
}
