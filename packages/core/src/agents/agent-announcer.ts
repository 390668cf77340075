import { createBackgroundLoop, type Environment, type NextPass } from '../environment/index.js'
import type { AgentStore } from './agent-store.js'

/** Raises `agent.status` for agents that workers outside of the runtimes work. */
export interface AgentAnnouncer {
  start(): void
  /** A worker has claimed a task for an agent, or ended one. Cheap; does nothing before `start`. */
  wake(): void
  stop(): Promise<void>
}

const BATCH = 200
/** How often the agents of workers are looked at while one of them is present. */
const LOOK_EVERY_MS = 1_000
/** How often a process looks that knows of no worker: workers of another process may leave it with their agents announced. */
const IDLE_LOOK_EVERY_MS = 60_000

/** `isOnlyProcess`: no other process uses the storage. */
export function createAgentAnnouncer<Tx>(
  environment: Environment,
  agents: Pick<AgentStore<Tx>, 'announceAgents'>,
  isOnlyProcess: boolean,
): AgentAnnouncer {
  /** Whether to look once more although no one is present: the transaction of a claim may still be open. */
  let looksAgain = false

  async function pass(): Promise<NextPass> {
    const wasWoken = looksAgain
    looksAgain = false
    const now = environment.storageNow()
    const { announced, isAnyPresent } = await agents.announceAgents({ limit: BATCH }, { now })
    if (announced === BATCH) return 'now'
    return isAnyPresent || wasWoken ? LOOK_EVERY_MS : null
  }

  const loop = createBackgroundLoop({
    name: 'agent-announcements',
    environment,
    pollIntervalMs: isOnlyProcess ? null : IDLE_LOOK_EVERY_MS,
    pass,
  })

  return {
    start: () => loop.start(),
    wake() {
      looksAgain = true
      loop.wake()
    },
    stop: () => loop.stop(),
  }
}
