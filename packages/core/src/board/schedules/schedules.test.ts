import { describe, expect, it } from 'vitest'
import { createTaskboard, TaskboardError, type Board, type Storage } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'

const START = Date.UTC(2026, 0, 1)

async function started(storage: Storage = memoryStorage()) {
  const clock = virtualClock(START)
  const taskboard = createTaskboard({ storage, clock, logger: false })
  const { workspace, account } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  await taskboard.start()
  const board = taskboard.board(workspace.id)
  const titles = async () => (await board.list('TODO')).tasks.map(({ title }) => title)
  return { taskboard, board, clock, titles, storage, account }
}

/** When the tasks of a board were created, oldest first. */
async function createdAt(board: Board): Promise<readonly number[]> {
  const { tasks } = await board.list('TODO', { limit: 1_000 })
  return tasks.map((task) => task.createdAt).toSorted((a, b) => a - b)
}

const plants = { cron: '0 9 * * *', task: { title: 'Water the plants' }, overlap: 'allow' } as const

describe('schedules', () => {
  it('add their task at each occurrence, and wait for nothing else', async () => {
    const { taskboard, board, clock, titles } = await started()
    await board.schedules.create(plants)
    await clock.advance({ hours: 9 })
    expect(await titles()).toEqual(['Water the plants'])
    await clock.advance({ hours: 23, minutes: 59 })
    expect(await titles()).toHaveLength(1)
    await clock.advance({ minutes: 1 })
    expect(await titles()).toHaveLength(2)
    await taskboard.close()
  })

  it('are noticed when they are created or changed in a transaction, with its commit', async () => {
    const { taskboard, board, clock, titles } = await started()
    const { id } = await taskboard.transaction((tx) =>
      board.schedules.create({ ...plants, enabled: false }, { tx }),
    )
    await taskboard.transaction((tx) => board.schedules.update(id, { enabled: true }, { tx }))
    await clock.advance({ hours: 10 })
    expect(await titles()).toHaveLength(1)
    await board.schedules.delete(id)
    await clock.advance({ hours: 48 })
    expect(await titles()).toHaveLength(1)
    await taskboard.close()
  })

  it('of several processes make each occurrence once', async () => {
    const { taskboard, board, clock, titles, storage } = await started()
    const others = [1, 2].map(() => createTaskboard({ storage, clock, logger: false }))
    for (const other of others) await other.start()
    await board.schedules.create({ ...plants, cron: '0 * * * *' })
    // In memory, a process learns of the schedules of another one when it starts.
    await others[0]?.board(board.workspaceId).schedules.create({ ...plants, cron: '30 * * * *' })
    await clock.advance({ hours: 5 })
    expect(await titles()).toHaveLength(10)
    for (const each of [taskboard, ...others]) await each.close()
  })

  it('of every working day of a year are right in their time zone, the days after both clock changes too', async (context) => {
    const { taskboard, board, clock } = await started()
    const cron = { cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin' }
    const { id } = await board.schedules.create({ ...plants, ...cron })
    const startedAt = performance.now()
    await clock.advanceTo(Date.UTC(2027, 0, 1))
    await context.annotate(`a year in ${Math.round(performance.now() - startedAt)} ms`)
    const local = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    const expected: string[] = []
    for (let day = START; day < Date.UTC(2027, 0, 1); day += 86_400_000) {
      const isWorkingDay = ![0, 6].includes(new Date(day).getUTCDay())
      const [date = ''] = local.format(day).split(', ')
      if (isWorkingDay) expected.push(`${date}, 09:00:00`)
    }
    const made = await createdAt(board)
    expect(made.map((at) => local.format(at))).toEqual(expected)
    expect(made).toHaveLength(261)
    const hours = (date: string) =>
      made.map((at) => new Date(at).toISOString()).find((at) => at.startsWith(date))
    expect(['2026-03-27', '2026-03-30', '2026-10-23', '2026-10-26'].map(hours)).toEqual([
      '2026-03-27T08:00:00.000Z',
      '2026-03-30T07:00:00.000Z',
      '2026-10-23T07:00:00.000Z',
      '2026-10-26T08:00:00.000Z',
    ])
    expect(await board.schedules.get(id)).toMatchObject({ nextAt: Date.UTC(2027, 0, 1, 8), lastError: null })
    await taskboard.close()
  })

  it('are made once on the days of the clock changes', async () => {
    const { taskboard, board, clock } = await started()
    const daily = { ...plants, timeZone: 'Europe/Berlin' }
    for (const cron of ['0 9 * * *', '30 2 * * *']) await board.schedules.create({ ...daily, cron })
    await clock.advanceTo(Date.UTC(2027, 0, 1))
    const made = (await createdAt(board)).map((at) => new Date(at).toISOString())
    expect(made).toHaveLength(2 * 365)
    const on = (date: string) => made.filter((at) => at.startsWith(date)).map((at) => at.slice(11, 16))
    expect([on('2026-03-29'), on('2026-10-25')]).toEqual([
      ['01:00', '07:00'],
      ['00:30', '08:00'],
    ])
    await taskboard.close()
  })

  it('make one task for a month in which no process ran', async () => {
    const { taskboard, board, clock, storage } = await started()
    const { id } = await board.schedules.create(plants)
    await clock.advance({ hours: 10 })
    await taskboard.close()
    await clock.advance({ hours: 24 * 31 })
    const next = createTaskboard({ storage, clock, logger: false })
    await next.start()
    await clock.advance({ minutes: 1 })
    expect(await createdAt(board)).toEqual([START + 9 * 3_600_000, START + (10 + 24 * 31) * 3_600_000])
    await clock.advance({ hours: 24 })
    expect(await createdAt(board)).toHaveLength(3)
    expect(await next.board(board.workspaceId).schedules.get(id)).toMatchObject({ lastError: null })
    await next.close()
  })

  it('that the storage refuses end with the reason, and others are made all the same', async () => {
    const { taskboard, board, clock, titles } = await started()
    const agent = await taskboard.agents.create(board.workspaceId, { name: 'gone', type: 'bot' })
    const task = { title: 'never', assignedTo: agent.id }
    const { id } = await board.schedules.create({ ...plants, task })
    await board.schedules.create(plants)
    await taskboard.agents.delete(board.workspaceId, agent.id)
    await clock.advance({ hours: 9 })
    expect(await titles()).toEqual(['Water the plants'])
    expect(await board.schedules.get(id)).toMatchObject({
      lastError: 'assignedTo must be an agent of the workspace',
      nextAt: START + 33 * 3_600_000,
    })
    await taskboard.close()
  })

  it('are made later when the storage is down at the time', async () => {
    const storage: Storage = memoryStorage()
    let isDown = true
    const { schedules } = storage
    const failing: Storage = {
      ...storage,
      schedules: {
        ...schedules,
        async makeOccurrence(occurrence, call) {
          if (isDown) throw new Error('the storage is down')
          return schedules.makeOccurrence(occurrence, call)
        },
      },
    }
    const { taskboard, board, clock, titles } = await started(failing)
    await board.schedules.create(plants)
    await clock.advance({ hours: 9, minutes: 1 })
    expect(await titles()).toEqual([])
    isDown = false
    await clock.advance({ minutes: 1 })
    expect(await titles()).toHaveLength(1)
    await taskboard.close()
  })

  it('are made although one that is due before them cannot be', async () => {
    const storage: Storage = memoryStorage()
    const { schedules } = storage
    let unknown = ''
    const failing: Storage = {
      ...storage,
      schedules: {
        ...schedules,
        async makeOccurrence(occurrence, call) {
          // As for a time zone that a newer version of Node.js has.
          if (occurrence.scheduleId === unknown) throw new RangeError('Invalid time zone specified')
          return schedules.makeOccurrence(occurrence, call)
        },
      },
    }
    const { taskboard, board, clock, titles } = await started(failing)
    unknown = (await board.schedules.create({ ...plants, cron: '0 8 * * *', task: { title: 'never' } })).id
    await board.schedules.create(plants)
    await clock.advance({ hours: 9, minutes: 1 })
    expect(await titles()).toEqual(['Water the plants'])
    unknown = ''
    await clock.advance({ minutes: 1 })
    expect(await titles()).toEqual(['Water the plants', 'never'])
    await taskboard.close()
  })

  it('are noticed when the answer to their creation or change is lost', async () => {
    const storage: Storage = memoryStorage()
    const lost = new TaskboardError('SERVICE_UNAVAILABLE', 'the answer was lost')
    let isLosing = false
    const losing: Storage = {
      ...storage,
      async inOneCommit(call, work) {
        const done = await storage.inOneCommit(call, work)
        if (isLosing) throw lost
        return done
      },
    }
    const { taskboard, board, clock, titles } = await started(losing)
    isLosing = true
    await expect(board.schedules.create(plants)).rejects.toBe(lost)
    await clock.advance({ hours: 8 })
    const [schedule] = (await board.schedules.list()).schedules
    const sooner = board.schedules.update(schedule?.id ?? '', { cron: '30 8 * * *' })
    await expect(sooner).rejects.toBe(lost)
    await clock.advance({ minutes: 30 })
    expect(await titles()).toEqual(['Water the plants'])
    await clock.advance({ hours: 24 })
    expect(await titles()).toHaveLength(2)
    await taskboard.close()
  })

  it('are listed page by page, and found within reach', async () => {
    const { taskboard, board, account } = await started()
    const { schedules } = taskboard.services
    const made = [await board.schedules.create(plants), await board.schedules.create(plants)]
    const first = await board.schedules.list({ limit: 1 })
    expect(first.schedules).toEqual(made.slice(0, 1))
    const second = await board.schedules.list({ limit: 1, cursor: first.nextCursor })
    expect(second).toEqual({ schedules: made.slice(1), nextCursor: null })
    const reach = { accountId: account.id, workspaceIds: 'all' } as const
    expect((await schedules.listWithin(reach)).schedules).toEqual(made)
    expect(await schedules.find(reach, made[0]?.id ?? '')).toEqual(made[0])
    const foreign = { ...reach, accountId: 'acct_other' }
    await expect(schedules.find(foreign, made[0]?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(board.schedules.list({ cursor: 'x' })).rejects.toMatchObject({ field: 'cursor' })
    await expect(board.schedules.list({ limit: 0 })).rejects.toMatchObject({ field: 'limit' })
    await taskboard.close()
  })
})
