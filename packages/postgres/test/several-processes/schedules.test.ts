import { createTaskboard, type Clock, type Taskboard } from '@taskboard/core'
import { systemClock } from '@taskboard/core/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import {
  createMigratedDatabase,
  createTestPool,
  type TestDatabase,
} from '@taskboard/kit/postgres/test-database'
import type { PgConnection } from '../../src/connection/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { ENCRYPTION_KEY } from '../processes/messages.js'

const PROCESSES = 4
const OCCURRENCES = Number(process.env['MADE_OCCURRENCES'] ?? 12)
const MINUTE_MS = 60_000
/** A minute of schedules takes a fifth of a second. */
const SPEED = 300

/** The clock of all processes: at `start` when it is made, and fast. */
function fastClock(start: number): Clock {
  const begun = performance.now()
  return {
    now: () => Math.floor(start + (performance.now() - begun) * SPEED),
    setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / SPEED),
  }
}

let database: TestDatabase
const ends: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  database = await createMigratedDatabase({ max: 4 })
})
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
  await database.drop()
})

/** A process with connections of its own. */
function openProcess(clock: Clock): Taskboard<PgConnection> {
  const pool = createTestPool({ connectionString: database.url, max: 3 })
  const taskboard = createTaskboard<PgConnection>({
    storage: postgresStorage({ pool }),
    clock,
    logger: false,
    secrets: { encryptionKey: ENCRYPTION_KEY },
    // All loops follow the fast clock.
    pollIntervalMs: MINUTE_MS,
  })
  ends.push(async () => {
    await taskboard.close()
    await pool.end()
  })
  return taskboard
}

const madeAt = async (workspaceId: string): Promise<readonly number[]> => {
  const text = `select created_at::float8 as at from taskboard.task where workspace_id = $1 order by at`
  const { rows } = await database.pool.query<{ at: number }>(text, [workspaceId])
  return rows.map(({ at }) => at)
}

describe('a schedule that four processes make', { timeout: 60_000 }, () => {
  it('makes one task at each occurrence', async () => {
    const clock = fastClock(Date.UTC(2026, 0, 1, 0, 0, 1))
    const processes = Array.from({ length: PROCESSES }, () => openProcess(clock))
    const [first] = processes as [Taskboard<PgConnection>]
    const { workspace } = await first.accounts.create({ name: 'Acme', tier: 'professional' })
    const { schedules } = first.board(workspace.id)
    const task = { title: 'Water the plants' }
    const schedule = await schedules.create({ cron: '* * * * *', task, overlap: 'allow' })
    await Promise.all(processes.map((process) => process.start()))
    await until(
      () => madeAt(workspace.id),
      (made) => made.length >= OCCURRENCES,
    )
    await schedules.update(schedule.id, { enabled: false })
    const made = await madeAt(workspace.id)
    // An occurrence is made after its minute begins, and the next one is of a later minute.
    expect(new Set(made.map((at) => Math.floor(at / MINUTE_MS))).size).toBe(made.length)
    const { rows } = await database.pool.query<{ n: number }>(
      `select count(*)::int4 as n from taskboard.event where type = 'task.created'`,
    )
    expect(rows).toEqual([{ n: made.length }])
    expect(await schedules.get(schedule.id)).toMatchObject({ lastError: null })
  })

  it('makes one task after a month in which no process ran', async () => {
    const start = Date.UTC(2026, 0, 1, 12)
    const before = openProcess({ ...fastClock(start), now: () => start })
    const { workspace } = await before.accounts.create({ name: 'Acme', tier: 'professional' })
    const task = { title: 'Water the plants' }
    await before.board(workspace.id).schedules.create({ cron: '0 9 * * *', task, overlap: 'allow' })

    const later = Date.UTC(2026, 1, 1, 8, 55)
    const clock = fastClock(later)
    await Promise.all(Array.from({ length: PROCESSES }, () => openProcess(clock).start()))
    const made = await until(
      () => madeAt(workspace.id),
      (tasks) => tasks.length > 1,
    )
    // One for the month, at once, and then that of nine o'clock.
    expect(made).toHaveLength(2)
    expect(made[0]).toBeGreaterThanOrEqual(later)
    expect(made[1]).toBeGreaterThanOrEqual(Date.UTC(2026, 1, 1, 9))
  })
})
