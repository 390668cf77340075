import {
  createBackgroundLoop,
  type Environment,
  type BackgroundLoop,
  type NextPass,
  type Instant,
} from '../environment/index.js'
import type { AgentStatus } from '../events/index.js'
import type { AgentStore } from './agent-store.js'
import type { RecordClaim } from '../board/index.js'

/**
 * Reports to the store which agents are working in this process. Changes that cancel out during a report are skipped. A change that
 * the store didn't accept is reported again.
 */
export interface AgentPresence {
  start(): void
  began(workspaceId: string, agentId: string): void
  ended(workspaceId: string, agentId: string): void
  /** Reports the remaining changes, once, and ends. */
  stop(): Promise<void>
}

interface Workload {
  readonly workspaceId: string
  readonly agentId: string
  runs: number
  reported: Exclude<AgentStatus, 'offline'>
}

const RETRY_MS = 5_000

export function createAgentPresence<Tx>(
  environment: Environment,
  agents: Pick<AgentStore<Tx>, 'reportPresence'>,
): AgentPresence {
  const { logger } = environment
  const workloads = new Map<string, Workload>()
  const changed = new Set<Workload>()
  const loop: BackgroundLoop = createBackgroundLoop({
    name: 'agent-presence',
    environment,
    pollIntervalMs: null,
    pass: reportAll,
  })

  async function reportAll(): Promise<NextPass> {
    const failed: Workload[] = []
    for (const workload of changed) {
      changed.delete(workload)
      if (!(await report(workload))) failed.push(workload)
      else if (workload.runs === 0 && !changed.has(workload)) workloads.delete(workload.agentId)
    }
    for (const workload of failed) changed.add(workload)
    return failed.length > 0 ? RETRY_MS : null
  }

  async function report(workload: Workload): Promise<boolean> {
    const { workspaceId, agentId } = workload
    const status = workload.runs > 0 ? 'busy' : 'available'
    if (status === workload.reported) return true
    try {
      await agents.reportPresence({ workspaceId, agentId, status }, environment.call())
      workload.reported = status
      return true
    } catch (error) {
      logger.warn({ agentId, status, err: error }, 'the status of an agent could not be reported')
      return false
    }
  }

  function change(workspaceId: string, agentId: string, by: 1 | -1): void {
    const known = workloads.get(agentId)
    const workload = known ?? { workspaceId, agentId, runs: 0, reported: 'available' as const }
    workloads.set(agentId, workload)
    workload.runs += by
    const crossed = by === 1 ? workload.runs === 1 : workload.runs === 0
    if (!crossed) return
    changed.add(workload)
    loop.wake()
  }

  return {
    start: () => loop.start(),
    began: (workspaceId, agentId) => change(workspaceId, agentId, 1),
    ended: (workspaceId, agentId) => change(workspaceId, agentId, -1),
    async stop() {
      await loop.stop()
      await reportAll()
    },
  }
}

/** Reports to the store which agent types this process works. */
interface RuntimeReport {
  /** Resolves once the store has the report; never when it is stopped before. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** How long after its last report a runtime counts as gone, and how often it reports. */
const LIVE_MS = 90_000
const REPORT_EVERY_MS = 30_000

/**
 * If only this process uses the storage, it reports once that the runtimes are at work, and once that they have stopped. Otherwise it
 * retries the report: that one process stops says nothing about others that work the same types.
 */
export function createRuntimeReport<Tx>(
  environment: Environment,
  agents: Pick<AgentStore<Tx>, 'reportPresence'>,
  options: { readonly agentTypes: readonly string[]; readonly isOnlyProcess: boolean },
): RuntimeReport {
  const { logger } = environment
  const { agentTypes, isOnlyProcess } = options
  const report = (liveMs: number | null): Promise<void> =>
    agents.reportPresence({ agentTypes, liveMs }, environment.call())

  let becomeKnown: (() => void) | undefined
  const known = new Promise<void>((resolve) => {
    becomeKnown = resolve
  })

  const loop = createBackgroundLoop({
    name: 'runtime-report',
    environment,
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

/** How many notes are taken in the time for which one counts. */
const NOTES_PER_TIMEOUT = 12
const MOST_KEPT = 10_000

/**
 * Notes that a worker outside of the runtimes claims for an agent, so that the agent counts as available. A worker claims often,
 * mostly without a task: one claim in `timeoutMs / 12` is noted, so the agent may count as gone that much too early.
 */
export function createClaimRecorder<Tx>(
  { clock }: Environment,
  store: Pick<AgentStore<Tx>, 'reportPresence'>,
  timeoutMs: number,
): RecordClaim<Tx> {
  const leastGapMs = Math.floor(timeoutMs / NOTES_PER_TIMEOUT)
  const notedAt = new Map<string, Instant>()

  return async (workspaceId, agentId, call) => {
    // A note in the host's transaction may be rolled back with it.
    if (call.tx !== undefined) return store.reportPresence({ workspaceId, agentId, liveMs: timeoutMs }, call)
    const key = `${workspaceId} ${agentId}`
    const now = clock.now()
    const last = notedAt.get(key)
    if (last !== undefined && now >= last && now - last < leastGapMs) return
    if (notedAt.size >= MOST_KEPT) notedAt.clear()
    notedAt.set(key, now)
    try {
      await store.reportPresence({ workspaceId, agentId, liveMs: timeoutMs }, call)
    } catch (error) {
      notedAt.delete(key)
      throw error
    }
  }
}
