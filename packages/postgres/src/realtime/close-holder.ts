import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const endHolder = statement(
  'close_realtime_holder',
  /* sql */ `delete from taskboard.realtime_holder where id = $1::text`,
)

/** `RealtimeStore.closeHolder`. */
export async function closeHolder(database: Database, holderId: string, _at: At): Promise<void> {
  await database.read(null, endHolder, [holderId])
}
