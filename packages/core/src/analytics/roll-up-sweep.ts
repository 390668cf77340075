import { createLoop, type Environment, type Loop } from '../environment/index.js'
import type { AnalyticsStore } from './analytics-store.js'

const BATCH = 5_000

/** Rolls up what has happened, every `everyMs`. What is not yet rolled up is counted when somebody asks: nobody waits for this. */
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
      const taken = await store.rollUp(BATCH, { now: environment.storageNow() })
      return taken >= BATCH ? 'now' : everyMs
    },
  })
}
