import type { Instant } from '@taskboard/core'
import type { QuotaStore, TakenTask } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { countHeld } from './count-held.js'
import { giveBackTask } from './give-back-task.js'
import { readUsage } from './read-usage.js'
import { takeTaskQuotas, type TaskQuotaRequest } from './take-task-quota.js'

interface Waiting {
  readonly request: TaskQuotaRequest
  readonly now: Instant | null
}

const MOST_AT_ONCE = 1_000

/** The next statement takes all tasks that are requested while others wait. */
export function createQuotaStore(database: Database): QuotaStore<PgConnection> {
  const take = database.join<Waiting, TakenTask>(
    (calls) =>
      takeTaskQuotas(
        database,
        calls.map(({ request }) => request),
        calls[0]?.now ?? null,
      ),
    { most: MOST_AT_ONCE, atOnce: 1, groupOf: ({ now }) => now },
  )
  return {
    takeTask: (request, { now }) => take({ request, now }),
    giveBackTask: (taken) => giveBackTask(database, taken),
    countHeld: (held, at) => countHeld(database, held, at),
    usage: (of, at) => readUsage(database, of, at),
  }
}
