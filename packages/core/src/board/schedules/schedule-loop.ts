import { createBackgroundLoop, type Environment } from '../../environment/index.js'
import { isTaskboardError } from '../../errors/index.js'
import type { EventStore } from '../../events/index.js'
import type { Task } from '../task.js'
import { scheduledTask, type Schedule } from './schedule.js'
import type { ScheduleStore } from './schedule-store.js'

/** How many occurrences one pass makes. */
const BATCH = 100
/** A schedule that is created or changed in another process is noticed after this time at the latest. */
const LONGEST_WAIT_MS = 30_000
const LONGEST_FAILURE = 2_000
const RETRY_MS = 1_000

export interface ScheduleLoopOptions<Tx> {
  readonly environment: Environment
  readonly schedules: Pick<ScheduleStore<Tx>, 'listSchedules' | 'makeOccurrence'>
  readonly events: Pick<EventStore<Tx>, 'onCommit'>
  /** Counts the tasks that occurrences make in the quota of the account. */
  readonly quota: ScheduleQuota
  /** Null for a storage that no other process writes to. */
  readonly pollIntervalMs: number | null
}

export interface ScheduleLoop {
  start(): void
  stop(): Promise<void>
  /** A schedule was created or changed, in a transaction that is committed now or later. */
  wake(): void
}

/**
 * Calls `make` when the quota of the account has room. `make` makes the task of an occurrence in a workspace, or null for none.
 * @throws TaskboardError `QUOTA_EXCEEDED`, and what `make` throws.
 */
export type ScheduleQuota = (workspaceId: string, make: () => Promise<Task | null>) => Promise<void>

/**
 * Makes the occurrences of schedules that are due. Several processes can run it on one storage. An occurrence whose task the storage rejects,
 * or the quota of the account, ends with `lastError`, so that it doesn't delay others. It isn't made up for.
 */
export function createScheduleLoop<Tx>(options: ScheduleLoopOptions<Tx>): ScheduleLoop {
  const { environment, schedules, events, quota, pollIntervalMs } = options
  const { logger } = environment
  /** The occurrences that the quota rejected in the last pass. Another process may be making one with the last of the quota. */
  let refusedBefore: ReadonlySet<string> = new Set()
  let refusedNow = new Set<string>()

  /** False for the first rejection of the quota. */
  async function make({ id: scheduleId, workspaceId, nextAt, ...schedule }: Schedule): Promise<boolean> {
    if (nextAt === null) return true
    const occurrence = { workspaceId, scheduleId, nextAt }
    try {
      const task = scheduledTask({ task: schedule.task, workspaceId })
      await quota(workspaceId, () =>
        schedules.makeOccurrence({ ...occurrence, outcome: { task } }, environment.call()),
      )
    } catch (error) {
      if (!isRefusal(error)) throw error
      const place = `${scheduleId} ${nextAt}`
      if (isTaskboardError(error, 'QUOTA_EXCEEDED') && !refusedBefore.has(place)) {
        refusedNow.add(place)
        return false
      }
      logger.warn({ scheduleId, workspaceId, err: error }, 'a schedule made no task: it was rejected')
      const failure = error.message.slice(0, LONGEST_FAILURE)
      await schedules.makeOccurrence({ ...occurrence, outcome: { failure } }, environment.call())
    }
    return true
  }

  /** Whether the occurrence was made, or another process has made it. @throws when the storage can't be reached. */
  async function tryToMake(schedule: Schedule): Promise<boolean> {
    try {
      return await make(schedule)
    } catch (error) {
      if (isTaskboardError(error, 'SERVICE_UNAVAILABLE')) throw error
      const { id: scheduleId, workspaceId } = schedule
      logger.error({ scheduleId, workspaceId, err: error }, 'a schedule failed; retrying')
      return false
    }
  }

  const loop = createBackgroundLoop({
    name: 'schedules',
    environment,
    pollIntervalMs: pollIntervalMs === null ? null : LONGEST_WAIT_MS,
    async pass() {
      const due = await schedules.listSchedules({ isDue: true, limit: BATCH }, environment.call())
      let hasFailed = false
      // One that this process cannot make, as it does not know the time zone, delays no other.
      for (const schedule of due.schedules) if (!(await tryToMake(schedule))) hasFailed = true
      ;[refusedBefore, refusedNow] = [refusedNow, new Set()]
      if (hasFailed) return RETRY_MS
      // Those that were due have a next occurrence now, which the list does not know.
      return due.schedules.length > 0 ? 'now' : due.nextDueInMs
    },
  })
  let unsubscribe: (() => void) | undefined
  let isChanged = false

  return {
    start() {
      // Most commits change no schedule.
      unsubscribe = events.onCommit(() => {
        if (!isChanged) return
        isChanged = false
        loop.wake()
      })
      loop.start()
    },
    async stop() {
      unsubscribe?.()
      await loop.stop()
    },
    wake() {
      isChanged = true
      loop.wake()
    },
  }
}

/** Whether a retry would be rejected as well. */
function isRefusal(error: unknown): error is Error {
  return isTaskboardError(error) && !['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'].includes(error.code)
}
