import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard, type Principal, type Scope } from '../index.js'
import { defineAgent, type ChatContext } from './define-agent.js'

const START = Date.UTC(2026, 10, 22)

/** A board whose agent does in a chat what the test says. */
async function setUp(chat: (context: ChatContext) => Promise<unknown>, tasksPerMonth: number | null = null) {
  const clock = virtualClock(START)
  const bot = defineAgent({
    type: 'bot',
    run: () => '',
    chat: async (_, context) => String(await chat(context)),
  })
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    agents: [bot],
    prices: { small: { inputUsd: 1, outputUsd: 1 } },
    tiers: { custom: { quota: { tasksPerMonth } } },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const [agent] = await taskboard.agents.list(workspace.id)
  const callerWith = (...scopes: Scope[]): Principal => ({
    id: 'user_ada',
    kind: 'user',
    accountId: account.id,
    tier: 'custom',
    scopes,
    workspaceIds: 'all',
    defaultWorkspaceId: workspace.id,
  })
  const board = taskboard.board(workspace.id)
  const ask = async (caller: Principal | null) => (await board.chat({ message: 'please' }, { caller })).reply
  return {
    clock,
    taskboard,
    account,
    workspaceId: workspace.id,
    agentId: agent?.id ?? '',
    board,
    ask,
    callerWith,
  }
}

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: { readonly code: string }) => error.code,
  )

describe('what an agent does in a chat', () => {
  it('needs the scopes of the caller, for each method of the board', async () => {
    const { ask, callerWith, board } = await setUp(async ({ board: own }) => {
      const { id } = { id: 'task_none' }
      const calls = {
        list: own.list('TODO'),
        get: own.get(id),
        comments: own.comments(id),
        schedules: own.schedules.list(),
        add: own.add({ title: 'x' }),
        addAll: own.addAll([{ title: 'x' }]),
        move: own.move(id, 'DONE'),
        schedule: own.schedules.create({ cron: '@daily', task: { title: 'x' } }),
        usage: own.usage(id, { model: 'm', inputTokens: 1, outputTokens: 1 }),
        decide: own.decide('apr_none', { decision: 'approved' }),
        chat: own.chat({ message: 'again' }),
      }
      const codes = await Promise.all(Object.values(calls).map(codeOf))
      return codes.join(' ')
    })
    const allRefused = Array.from({ length: 11 }, () => 'FORBIDDEN').join(' ')
    expect(await ask(callerWith('chat:write'))).toBe(allRefused)
    expect(await ask(callerWith('chat:write', 'tasks:read'))).toBe(
      'done TASK_NOT_FOUND TASK_NOT_FOUND done FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN',
    )
    expect(await ask(callerWith('chat:write', 'tasks:write'))).toBe(
      'FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN done done TASK_NOT_FOUND done FORBIDDEN FORBIDDEN FORBIDDEN',
    )
    expect((await board.list('TODO')).tasks).toHaveLength(2)
  })

  it('is refused to the caller when the agent gives up for it', async () => {
    const { ask, callerWith } = await setUp(({ board }) => board.list('TODO'))
    await expect(ask(callerWith('chat:write'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(ask(null)).resolves.toBe('[object Object]')
  })

  it('is done in the name of the caller', async () => {
    const { ask, callerWith, taskboard } = await setUp(
      async ({ board }) => (await board.add({ title: 'x' })).id,
    )
    const added = new Promise<unknown>((resolve) =>
      taskboard.events.on('task.created', ({ data }) => resolve(data.actor)),
    )
    await taskboard.start()
    await ask(callerWith('chat:write', 'tasks:write'))
    expect(await added).toMatchObject({ kind: 'user', id: 'user_ada' })
    await taskboard.close()
  })

  it('counts in the quota of tasks of the account', async () => {
    const { ask, callerWith, board } = await setUp(
      async ({ board: own }) => [
        await codeOf(own.add({ title: 'first' })),
        await codeOf(own.add({ title: 'second' })),
        await codeOf(own.addAll([{ title: 'third' }, { title: 'fourth' }])),
        await codeOf(own.addOnce({ title: 'fifth' })),
      ],
      2,
    )
    const caller = callerWith('chat:write', 'tasks:write')
    expect(await ask(caller)).toBe('done,done,QUOTA_EXCEEDED,QUOTA_EXCEEDED')
    expect((await board.list('TODO')).tasks).toHaveLength(2)
  })
})

describe('what a chat uses', () => {
  const used = { model: 'small', inputTokens: 100, outputTokens: 10 }

  it('counts in the month of the agent and the workspace, and a spent budget refuses the next message', async () => {
    let calls = 0
    const { clock, taskboard, account, workspaceId, agentId, ask, callerWith } = await setUp(
      async ({ usage }) => {
        calls += 1
        return (await usage(used)).spent
      },
    )
    const caller = callerWith('chat:write')
    await taskboard.usage.setBudget({ workspaceId, agentId }, { tokens: 200 })
    expect(await ask(caller)).toBe('null')
    expect(await ask(caller)).toBe('agent')
    await expect(ask(caller)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      field: 'budget',
      message: 'the monthly budget of the agent or its workspace is spent, until 2026-12-01',
    })
    expect(calls).toBe(2)
    const [ofWorkspace, ofAgent] = (await taskboard.usage.budgets(workspaceId)).budgets
    expect([ofWorkspace, ofAgent]).toMatchObject([
      { tokens: 220, costMicros: 220 },
      { tokens: 220, isSpent: true },
    ])
    const reach = { accountId: account.id, workspaceIds: 'all' } as const
    const byAgent = await taskboard.usage.sum(reach, {
      groupBy: 'agent',
      from: '2026-11-01',
      to: '2026-11-30',
    })
    expect(byAgent.sums).toMatchObject([{ key: agentId, reports: 2, costMicros: 220 }])
    await clock.advanceTo(Date.UTC(2026, 11, 1))
    expect(await ask(caller)).toBe('null')
  })

  it('stops with the budget of the workspace, for every agent', async () => {
    const { taskboard, workspaceId, board, agentId, ask } = await setUp(
      async ({ usage }) => (await usage(used)).spent,
    )
    await taskboard.usage.setBudget({ workspaceId }, { tokens: 1 })
    await board.add({ title: 'waits' })
    expect(await ask(null)).toBe('workspace')
    expect(await board.claim({ agentId })).toBeNull()
    await expect(ask(null)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
  })

  it('passes a budget by no more than ten chats at once, of which each makes room when it ends', async () => {
    let calls = 0
    const ends: (() => void)[] = []
    const { clock, taskboard, workspaceId, ask } = await setUp(async ({ usage }) => {
      calls += 1
      await new Promise<void>((resolve) => ends.push(resolve))
      return (await usage(used)).spent
    })
    const endAll = (): void => ends.splice(0).forEach((end) => end())
    const askAll = async (count: number): Promise<readonly string[]> => {
      const answers = Array.from({ length: count }, () => codeOf(ask(null)))
      await clock.settle()
      endAll()
      return Promise.all(answers)
    }
    const many = (count: number, code: string) => Array.from({ length: count }, () => code)
    const refused = many(40, 'AGENT_UNAVAILABLE')
    expect((await askAll(50)).toSorted()).toEqual([...refused, ...many(10, 'done')])
    expect(await askAll(10)).toEqual(many(10, 'done'))
    await taskboard.usage.setBudget({ workspaceId }, { tokens: 1 })
    expect(await askAll(1)).toEqual(['QUOTA_EXCEEDED'])
    expect(calls).toBe(20)
    // Nor does one that is never answered, or was refused, keep a place.
    await taskboard.usage.setBudget({ workspaceId }, null)
    const silent = many(10, '').map(() => codeOf(ask(null)))
    await clock.advance({ minutes: 1 })
    expect(await Promise.all(silent)).toEqual(many(10, 'AGENT_UNAVAILABLE'))
    ends.splice(0)
    expect(await askAll(10)).toEqual(many(10, 'done'))
  })

  it('is no more than one report may say', async () => {
    const { ask } = await setUp(({ usage }) => codeOf(usage({ ...used, inputTokens: 20_000_000 })))
    expect(await ask(null)).toBe('INVALID_FIELD')
  })
})
