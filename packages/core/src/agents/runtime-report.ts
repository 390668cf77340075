import { createLoop, type Environment, type Loop } from '../environment/index.js'
import { runtimeSilenceMs, type AgentStore } from './agent.js'

/** Lets other processes see which agent types this one works: three times as often as it takes to be thought gone. */
export function createRuntimeReport<Tx>(
  environment: Environment,
  agents: Pick<AgentStore<Tx>, 'reportRuntimes'>,
  agentTypes: readonly string[],
): Loop {
  const { clock, logger } = environment
  return createLoop({
    name: 'runtime-report',
    clock,
    logger,
    pollIntervalMs: null,
    async pass() {
      if (agentTypes.length === 0) return null
      await agents.reportRuntimes(agentTypes, { now: environment.storageNow() })
      return clock.now() + runtimeSilenceMs / 3
    },
  })
}
