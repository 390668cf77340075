import { createLoop, type Environment } from '../environment/index.js'
import type { AgentStore } from './agent-store.js'

/** Reports to the store which agent types this process works. */
export interface RuntimeReport {
  /** Resolves once the store has the report; never when it is stopped before. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** How long after its last report a runtime counts as gone, and how often it reports. */
const LIVE_MS = 90_000
const REPORT_EVERY_MS = 30_000

/**
 * If only this process uses the storage, it reports once that the runtimes are at work, and once that they have stopped. Otherwise it
 * repeats the report: that one process stops says nothing about others that work the same types.
 */
export function createRuntimeReport<Tx>(
  environment: Environment,
  agents: Pick<AgentStore<Tx>, 'reportPresence'>,
  options: { readonly agentTypes: readonly string[]; readonly isOnlyProcess: boolean },
): RuntimeReport {
  const { clock, logger } = environment
  const { agentTypes, isOnlyProcess } = options
  const report = (liveMs: number | null): Promise<void> =>
    agents.reportPresence({ agentTypes, liveMs }, { now: environment.storageNow() })

  let becomeKnown: (() => void) | undefined
  const known = new Promise<void>((resolve) => {
    becomeKnown = resolve
  })

  const loop = createLoop({
    name: 'runtime-report',
    clock,
    logger,
    pollIntervalMs: null,
    async pass() {
      if (agentTypes.length === 0) return null
      await report(isOnlyProcess ? null : LIVE_MS)
      becomeKnown?.()
      return isOnlyProcess ? null : REPORT_EVERY_MS
    },
  })

  return {
    start() {
      loop.start()
      return known
    },
    async stop() {
      await loop.stop()
      if (!isOnlyProcess || agentTypes.length === 0) return
      try {
        await report(0)
      } catch (error) {
        logger.warn({ err: error }, 'could not report that the agents have stopped')
      }
    },
  }
}
