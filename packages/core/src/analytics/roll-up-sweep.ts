import { createLoop, type Environment, type Loop } from '../environment/index.js'
import type { AnalyticsStore } from './analytics-store.js'

const BATCH = 5_000

/** Rolls up new events every `everyMs`. Queries also count what is not yet rolled up, so nothing waits for this. */
export function createRollUpSweep<Tx>(
  environment: Environment,
  store: Pick<AnalyticsStore<Tx>, 'rollUp'>,
  everyMs: number,
): Loop {
  const { clock, logger } = environment
  return createLoop({
    name: 'analytics-roll-up',
    clock,
    logger,
    pollIntervalMs: null,
    async pass() {
      const taken = await store.rollUp({ limit: BATCH }, { now: environment.storageNow() })
      return taken >= BATCH ? 'now' : everyMs
    },
  })
}
