import { createChat, createClaimRecorder, type AgentAnnouncer } from '../agents/index.js'
import { createSchedules, type Backoff, type BoardDeps, type ScheduleLoop } from '../board/index.js'
import type { Environment } from '../environment/index.js'
import type { Bounds, Quota } from '../limits/index.js'
import type { Storage } from '../storage/index.js'
import type { TaskboardOptions } from './taskboard-options.js'

const DAY_MS = 86_400_000
const DEFAULT_LEASE_MS = 60_000
const DEFAULT_REMOTE_WORKER_TIMEOUT_MS = 60_000
const DEFAULT_MAX_ATTEMPTS = 5
const DEFAULT_APPROVAL_MS = 7 * DAY_MS

interface BoardWiring<Tx> {
  readonly options: TaskboardOptions<Tx>
  readonly bounds: Bounds
  readonly environment: Environment
  readonly storage: Storage<Tx>
  readonly backoff: Backoff
  readonly scheduleLoop: ScheduleLoop
  readonly announcer: AgentAnnouncer
  readonly quota: Quota<Tx>
  /** Aborts at the end of `close`. */
  readonly closed: AbortController
}

/** What all boards share. */
export function createBoardParts<Tx>(wiring: BoardWiring<Tx>): BoardDeps<Tx> {
  const { environment, storage, options, bounds, backoff, closed, scheduleLoop, announcer, quota } = wiring
  const maxAttempts = options.attempts?.max ?? DEFAULT_MAX_ATTEMPTS
  return {
    environment,
    tasks: storage.tasks,
    comments: storage.comments,
    approvals: storage.approvals,
    schedules: createSchedules({
      environment,
      store: storage.schedules,
      maxAttempts,
      onChanged: () => scheduleLoop.wake(),
    }),
    chat: createChat({
      environment,
      agents: storage.agents,
      runtimes: options.agents ?? [],
      usage: storage.usage,
      prices: options.prices ?? {},
      bounds,
      quota,
      closed: closed.signal,
    }),
    usageStore: storage.usage,
    prices: options.prices ?? {},
    bounds,
    recordClaim: createClaimRecorder(
      environment,
      storage.agents,
      options.remoteWorkerTimeoutMs ?? DEFAULT_REMOTE_WORKER_TIMEOUT_MS,
    ),
    transaction: (work) => storage.transaction(work),
    restAgent: (rest, call) => storage.agents.reportPresence(rest, call),
    onWorked: () => announcer.wake(),
    settings: {
      leaseMs: DEFAULT_LEASE_MS,
      maxAttempts,
      backoff,
      approvalsExpireAfterMs: options.approvals?.expireAfterMs ?? DEFAULT_APPROVAL_MS,
    },
  }
}
