import type { Database } from '../database.js'
import { statement } from '../statement.js'

const endHolder = statement(
  'close_realtime_holder',
  /* sql */ `delete from taskboard.realtime_holder where id = $1::text`,
)

/** `RealtimeStore.releaseSlots` of a process. Its slots go with it. */
export async function closeHolder(database: Database, holderId: string): Promise<void> {
  await database.read(null, endHolder, [holderId])
}
