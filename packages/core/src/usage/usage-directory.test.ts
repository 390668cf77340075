import { createTaskboard, defineAgent } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'

const START = Date.UTC(2026, 10, 22)

async function board() {
  const clock = virtualClock(START)
  const prices = { small: { inputUsd: 1, outputUsd: 2 } }
  const taskboard = createTaskboard({ storage: memoryStorage(), clock, prices, logger: false })
  const { workspace, account } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const reach = { accountId: account.id, workspaceIds: 'all' } as const
  return { taskboard, clock, reach, workspaceId: workspace.id, board: taskboard.board(workspace.id) }
}

const used = { model: 'small', inputTokens: 100, outputTokens: 50 }
const november = { from: '2026-11-01', to: '2026-11-30' }

describe('usage', () => {
  it('is summed by group, page by page', async () => {
    const { taskboard, board: tasks, reach, workspaceId } = await board()
    const task = await tasks.add({ title: 'x', type: 'research' })
    await tasks.usage(task.id, used)
    await tasks.usage(task.id, { ...used, model: 'large', costUsd: 1 })
    const first = await taskboard.usage.sum(reach, { ...november, groupBy: 'model', limit: 1 })
    expect(first.sums).toMatchObject([{ key: 'large', reports: 1, costMicros: 1_000_000 }])
    const filter = { ...november, groupBy: 'model', limit: 1, cursor: first.nextCursor } as const
    expect(await taskboard.usage.sum(reach, filter)).toMatchObject({
      sums: [{ key: 'small', costMicros: 200 }],
      nextCursor: null,
    })
    const byType = await taskboard.usage.sum(reach, { ...november, groupBy: 'type', workspaceId })
    expect(byType.sums).toMatchObject([{ key: 'research', reports: 2 }])
    expect(await taskboard.usage.ofTask(workspaceId, task.id, 'attempt')).toMatchObject([
      { key: '', reports: 2 },
    ])
  })

  it.each([
    ['groupBy', { groupBy: 'hour' }],
    ['from', { from: 'yesterday' }],
    ['from', { from: '2026-11-31' }],
    ['to', { to: '2026-10-31' }],
    ['to', { to: '2027-11-02' }],
    ['limit', { limit: 0 }],
    ['cursor', { cursor: 'x' }],
  ])('refuses a wrong %s', async (field, change) => {
    const { taskboard, reach } = await board()
    const filter = { ...november, groupBy: 'day', ...change } as Parameters<typeof taskboard.usage.sum>[1]
    await expect(taskboard.usage.sum(reach, filter)).rejects.toMatchObject({ code: 'INVALID_FIELD', field })
  })

  it('has the budgets of a workspace page by page, and refuses a budget without a limit', async () => {
    const { taskboard, workspaceId } = await board()
    const agent = await taskboard.agents.create(workspaceId, { name: 'a', type: 'bot' })
    await taskboard.usage.setBudget({ workspaceId, agentId: agent.id }, { tokens: 5 })
    const first = await taskboard.usage.budgets(workspaceId, { limit: 1 })
    expect(first.budgets).toMatchObject([{ agentId: null, budget: null }])
    const second = await taskboard.usage.budgets(workspaceId, { limit: 1, cursor: first.nextCursor })
    expect(second).toMatchObject({ budgets: [{ agentId: agent.id }], nextCursor: null })
    const refused = taskboard.usage.setBudget({ workspaceId }, {})
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_FIELD', field: 'budget' })
  })

  it('of a spent month lets the runner go on by itself in the next one', async () => {
    const clock = virtualClock(START)
    const taskboard = createTaskboard({
      storage: memoryStorage(),
      clock,
      logger: false,
      agents: [defineAgent({ type: 'bot', run: (_, { usage }) => usage(used) })],
    })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    await taskboard.usage.setBudget({ workspaceId: workspace.id }, { tokens: 150 })
    await taskboard.start()
    const tasks = taskboard.board(workspace.id)
    const held = await tasks.add({ title: 'first' })
    await clock.advance({ minutes: 1 })
    const next = await tasks.add({ title: 'second' })
    await clock.advance({ hours: 24 })
    expect([(await tasks.get(held.id)).hold?.reason, (await tasks.get(next.id)).column]).toEqual([
      'budget',
      'TODO',
    ])
    await clock.advance({ hours: 24 * 9 })
    expect((await tasks.get(next.id)).fencingToken).toBe(1)
    await taskboard.close()
  })

  it('of an agent’s spent month keeps that agent from work until the next one, by the prices of each model', async () => {
    const clock = virtualClock(START)
    const prices = {
      small: { inputUsd: 0.5, outputUsd: 2, cachedInputUsd: 0.1 },
      large: { inputUsd: 3, outputUsd: 15 },
    }
    const taskboard = createTaskboard({
      storage: memoryStorage(),
      clock,
      prices,
      logger: false,
      agents: [
        defineAgent({
          type: 'bot',
          run: ({ title }, { usage }) =>
            usage({ model: title, inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400 }),
        }),
      ],
    })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const [agent] = await taskboard.agents.list(workspace.id)
    const own = { workspaceId: workspace.id, agentId: agent?.id ?? '' }
    await taskboard.usage.setBudget(own, { costUsd: 0.005_041 })
    await taskboard.start()
    const tasks = taskboard.board(workspace.id)
    const costs: number[] = []
    const ids: string[] = []
    // 300 + 40 + 200 millionths, 3,000 + 1,500, and none: the next small one has 1 left.
    for (const model of ['small', 'large', 'unknown', 'small', 'small']) {
      const { id } = await tasks.add({ title: model })
      ids.push(id)
      await clock.advance({ minutes: 1 })
      const sums = await taskboard.usage.ofTask(workspace.id, id, 'model')
      costs.push(sums.reduce((sum, { costMicros }) => sum + costMicros, 0))
    }
    expect(costs).toEqual([540, 4_500, 0, 540, 0])
    const columns = async () => Promise.all(ids.map(async (id) => (await tasks.get(id)).column))
    expect(await columns()).toEqual(['DONE', 'DONE', 'DONE', 'TODO', 'TODO'])
    await clock.advanceTo(Date.UTC(2026, 10, 30, 23, 59, 59, 999))
    expect(await columns()).toEqual(['DONE', 'DONE', 'DONE', 'TODO', 'TODO'])
    await clock.advanceTo(Date.UTC(2026, 11, 1, 0, 1))
    expect(await columns()).toEqual(['DONE', 'DONE', 'DONE', 'TODO', 'DONE'])
    const [, ofAgent] = (await taskboard.usage.budgets(workspace.id)).budgets
    expect(ofAgent).toMatchObject({ month: Date.UTC(2026, 11, 1), costMicros: 540, isSpent: false })
    await taskboard.close()
  })

  it.each([
    { inputUsd: -1, outputUsd: 1 },
    { inputUsd: 1, outputUsd: Number.NaN },
  ])('refuses the price %o', (price) => {
    expect(() => createTaskboard({ storage: memoryStorage(), prices: { small: price } })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field: 'prices.small' }),
    )
  })

  it('takes reports as large as the host says', async () => {
    const bounds = { usdPerReport: 0.5, tokensPerReport: 20_000_000 }
    const taskboard = createTaskboard({ storage: memoryStorage(), bounds, logger: false })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const tasks = taskboard.board(workspace.id)
    const { id } = await tasks.add({ title: 'a long session' })
    const report = { model: 'small', inputTokens: 20_000_000, outputTokens: 0 }
    expect((await tasks.usage(id, report)).total.inputTokens).toBe(20_000_000)
    await expect(tasks.usage(id, { ...report, costUsd: 0.51 })).rejects.toMatchObject({ field: 'costUsd' })
    await taskboard.close()
  })
})
