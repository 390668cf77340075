import { createBackgroundLoop, type Environment } from '../../environment/index.js'
import { isTaskboardError } from '../../errors/index.js'
import type { EventStore } from '../../events/index.js'
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
 * Makes the occurrences of schedules that are due. Several processes can run it on one storage. An occurrence whose task the storage refuses
 * ends with `lastError`, so that it does not delay others.
 */
export function createScheduleLoop<Tx>(options: ScheduleLoopOptions<Tx>): ScheduleLoop {
  const { environment, schedules, events, pollIntervalMs } = options
  const { logger } = environment

  async function make({ id: scheduleId, workspaceId, nextAt, ...schedule }: Schedule): Promise<void> {
    if (nextAt === null) return
    const occurrence = { workspaceId, scheduleId, nextAt }
    try {
      const task = scheduledTask({ task: schedule.task, workspaceId })
      await schedules.makeOccurrence({ ...occurrence, outcome: { task } }, environment.call())
    } catch (error) {
      if (!isRefusal(error)) throw error
      logger.warn({ scheduleId, workspaceId, err: error }, 'a schedule made no task: the storage refused it')
      const failure = error.message.slice(0, LONGEST_FAILURE)
      await schedules.makeOccurrence({ ...occurrence, outcome: { failure } }, environment.call())
    }
  }

  /** Whether the occurrence was made, or another process has made it. @throws when the storage cannot be reached. */
  async function tryToMake(schedule: Schedule): Promise<boolean> {
    try {
      await make(schedule)
      return true
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

/** Whether a retry would be refused as well. */
function isRefusal(error: unknown): error is Error {
  return isTaskboardError(error) && !['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'].includes(error.code)
}
