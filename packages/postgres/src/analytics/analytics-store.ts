import type { AnalyticsStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { readFigures } from './read-figures.js'
import { rollUp } from './roll-up.js'

/** Figures about tasks. */
export function createAnalyticsStore(database: Database): AnalyticsStore<PgConnection> {
  return {
    rollUp: ({ limit }, at) => rollUp(database, limit, at),
    readFigures: (query, at) => readFigures(database, query, at),
  }
}
