import { describe, expect, it } from 'vitest'
import { createTaskboard, type Storage } from '@taskboard/core'
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
