import { createTaskboard, type Storage, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'

const START = Date.UTC(2026, 10, 30, 21)
const HOUR = 3_600_000
const hourly = { cron: '0 * * * *', task: { title: 'Water the plants' }, overlap: 'allow' } as const

async function setUp(tasksPerMonth: number | null, storage: Storage = memoryStorage()) {
  const clock = virtualClock(START)
  const options: TaskboardOptions = {
    storage,
    clock,
    logger: false,
    tiers: { professional: { quota: { tasksPerMonth } } },
  }
  const taskboard = createTaskboard(options)
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  await taskboard.start()
  const board = taskboard.board(workspace.id)
  const used = async () =>
    (await taskboard.services.quota.usage({ accountId: account.id, tier: 'professional' })).tasksPerMonth.used
  const made = async () =>
    (await board.list('TODO')).tasks.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b)
  return { taskboard, clock, board, used, made, options }
}

describe('the quota of tasks', () => {
  it('counts what schedules make, and an occurrence beyond it is not made, now or later', async () => {
    const { taskboard, clock, board, used, made } = await setUp(1)
    const { id } = await board.schedules.create(hourly)
    await clock.advance({ hours: 1, minutes: 1 })
    expect([await made(), await used()]).toEqual([[START + HOUR], 1])
    expect((await board.schedules.get(id)).lastError).toBeNull()
    await clock.advance({ hours: 1 })
    const refused = await board.schedules.get(id)
    expect(refused).toMatchObject({
      lastError: 'tasksPerMonth: all 1 that the subscription covers are in use',
      nextAt: START + 3 * HOUR,
    })
    expect([await made(), await used()]).toEqual([[START + HOUR], 1])
    // The next month begins with the next occurrence. The one before is not made up for.
    await clock.advance({ hours: 1 })
    expect([await made(), await used()]).toEqual([[START + HOUR, START + 3 * HOUR], 1])
    expect((await board.schedules.get(id)).lastError).toBeNull()
    await taskboard.close()
  })

  it('does not count an occurrence that is skipped', async () => {
    const { taskboard, clock, board, used } = await setUp(2)
    await board.schedules.create({ ...hourly, overlap: 'skip' })
    await clock.advance({ hours: 2, minutes: 30 })
    expect(await used()).toBe(1)
    await taskboard.close()
  })

  it('lets a process that is slow make an occurrence with the last of the quota', async () => {
    const { taskboard, clock, board, used, made, options } = await setUp(1)
    const { schedules } = options.storage
    const makeOccurrence: typeof schedules.makeOccurrence = async (occurrence, call) => {
      await new Promise<void>((resolve) => clock.setTimer(resolve, 500))
      return schedules.makeOccurrence(occurrence, { ...call, now: clock.now() })
    }
    const slow = createTaskboard({
      ...options,
      storage: { ...options.storage, schedules: { ...schedules, makeOccurrence } },
    })
    await taskboard.close()
    const { id } = await board.schedules.create(hourly)
    await slow.start()
    const other = createTaskboard(options)
    await other.start()
    await clock.advance({ hours: 1, minutes: 1 })
    expect([await made(), await used()]).toEqual([[START + HOUR + 500], 1])
    expect((await board.schedules.get(id)).lastError).toBeNull()
    await slow.close()
    await other.close()
  })

  it('counts an occurrence once, however many processes try to make it', async () => {
    const { taskboard, clock, board, used, made, options } = await setUp(1)
    const others = [createTaskboard(options), createTaskboard(options)]
    const { id } = await board.schedules.create(hourly)
    for (const other of others) await other.start()
    await clock.advance({ hours: 1, minutes: 1 })
    expect([await made(), await used()]).toEqual([[START + HOUR], 1])
    expect((await board.schedules.get(id)).lastError).toBeNull()
    for (const other of others) await other.close()
    await taskboard.close()
  })

  it('is not looked up where no tier has one', async () => {
    const storage = memoryStorage() as Storage
    let lookups = 0
    const listAccounts: Storage['access']['listAccounts'] = (which, call) => {
      lookups += 1
      return storage.access.listAccounts(which, call)
    }
    const counted = { ...storage, access: { ...storage.access, listAccounts } }
    const { taskboard, clock, board, made } = await setUp(null, counted)
    await board.schedules.create(hourly)
    const before = lookups
    await clock.advance({ hours: 1, minutes: 1 })
    expect([(await made()).length, lookups - before]).toEqual([1, 0])
    await taskboard.close()
  })
})
