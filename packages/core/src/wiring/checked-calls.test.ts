import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from './taskboard.js'

async function open() {
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const board = taskboard.board(workspace.id)
  const task = await board.add({ title: 'A task' })
  return {
    taskboard,
    board,
    task,
    id: workspace.id,
    reach: { accountId: account.id, workspaceIds: 'all' as const },
  }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Calls of plain JavaScript with an object that has a name too many. */
const calls: readonly (readonly [string, (opened: Opened, wrong: never) => Promise<unknown>])[] = [
  ['board.add', ({ board }, wrong) => board.add({ title: 'x' }, wrong)],
  ['board.get', ({ board, task }, wrong) => board.get(task.id, wrong)],
  ['board.list', ({ board }, wrong) => board.list('TODO', wrong)],
  ['board.cancel', ({ board, task }, wrong) => board.cancel(task.id, wrong)],
  ['board.claim', ({ board }, wrong) => board.claim(wrong)],
  ['board.schedules.list', ({ board }, wrong) => board.schedules.list(wrong)],
  ['tasks.find', ({ taskboard, reach, task }, wrong) => taskboard.tasks.find(reach, task.id, wrong)],
  ['tasks.logs', ({ taskboard, reach, task }, wrong) => taskboard.tasks.logs(reach, task.id, wrong)],
  ['approvals.search', ({ taskboard, reach }, wrong) => taskboard.approvals.search(reach, wrong)],
  ['accounts.list', ({ taskboard }, wrong) => taskboard.accounts.list(wrong)],
  ['agents.listWithin', ({ taskboard, reach }, wrong) => taskboard.agents.listWithin(reach, wrong)],
  ['webhooks.list', ({ taskboard, id }, wrong) => taskboard.webhooks.list(id, wrong)],
  ['channels.list', ({ taskboard, id }, wrong) => taskboard.channels.list(id, wrong)],
  ['notifications.list', ({ taskboard, id }, wrong) => taskboard.notifications.list(id, wrong)],
  ['usage.budgets', ({ taskboard, id }, wrong) => taskboard.usage.budgets(id, wrong)],
  ['analytics.forTasks', ({ taskboard, reach }, wrong) => taskboard.analytics.forTasks(reach, {}, wrong)],
  ['publish', ({ taskboard, id }, wrong) => taskboard.publish(id, 'order.new', {}, wrong)],
  ['close', ({ taskboard }, wrong) => taskboard.close(wrong)],
]

describe('a call of the host', () => {
  it.each(calls)('of %s refuses an option that it does not have', async (_, call) => {
    const opened = await open()
    await expect(call(opened, { txn: {} } as never)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field: 'txn',
      message: expect.stringContaining('txn is not a known field') as unknown,
    })
    expect((await opened.board.list('TODO')).tasks).toHaveLength(1)
  })

  it('refuses options that are no object, and takes what is undefined or null', async () => {
    const { board, taskboard } = await open()
    await expect(board.list('TODO', 5 as never)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      message: 'options must be an object with tx, limit, cursor',
    })
    expect((await board.list('TODO', { limit: undefined, txn: undefined } as object)).tasks).toHaveLength(1)
    expect(await taskboard.accounts.list(null as never)).toHaveLength(1)
  })

  it('takes part in a transaction by each service', async () => {
    const { taskboard, board, id } = await open()
    await taskboard.transaction(async (tx) => {
      const { id: taskId } = await board.add({ title: 'another' }, { tx })
      expect((await board.list('TODO', { tx, limit: 10 })).tasks).toHaveLength(2)
      await board.schedules.create({ cron: '@daily', task: { title: 'daily' } }, { tx })
      expect((await board.schedules.list({ limit: 5 }, { tx })).schedules).toHaveLength(1)
      await taskboard.agents.create(id, { name: 'Ada', type: 'any' }, { tx })
      await board.cancel(taskId, { tx, message: 'no' })
    })
    expect((await board.list('TODO')).tasks).toHaveLength(2)
  })
})

/** Each call with a reach. */
const reaching: readonly (readonly [string, (opened: Opened, reach: never) => Promise<unknown>])[] = [
  ['tasks.find', ({ taskboard, task }, reach) => taskboard.tasks.find(reach, task.id)],
  ['tasks.locate', ({ taskboard, task }, reach) => taskboard.tasks.locate(reach, task.id)],
  ['tasks.logs', ({ taskboard, task }, reach) => taskboard.tasks.logs(reach, task.id)],
  ['tasks.attempts', ({ taskboard, task }, reach) => taskboard.tasks.attempts(reach, task.id)],
  ['tasks.exchange', ({ taskboard, task }, reach) => taskboard.tasks.exchange(reach, task.id)],
  ['tasks.search', ({ taskboard }, reach) => taskboard.tasks.search(reach)],
  ['approvals.find', ({ taskboard }, reach) => taskboard.approvals.find(reach, 'apr_nope')],
  ['approvals.search', ({ taskboard }, reach) => taskboard.approvals.search(reach)],
  ['analytics.forTasks', ({ taskboard }, reach) => taskboard.analytics.forTasks(reach)],
  ['usage.sum', ({ taskboard }, reach) => taskboard.usage.sum(reach, {} as never)],
  ['agents.listWithin', ({ taskboard }, reach) => taskboard.agents.listWithin(reach)],
  ['agents.findAll', ({ taskboard }, reach) => taskboard.agents.findAll(reach, [])],
  ['agents.find', ({ taskboard }, reach) => taskboard.agents.find(reach, 'agent_nope')],
  ['webhooks.find', ({ taskboard }, reach) => taskboard.webhooks.find(reach, 'wh_nope')],
  ['channels.find', ({ taskboard }, reach) => taskboard.channels.find(reach, 'ch_nope')],
]

describe('a reach', () => {
  it.each(reaching)('of %s has an account, and its workspaces or all of them', async (_, call) => {
    const opened = await open()
    const { accountId } = opened.reach
    const wrong = [
      undefined,
      accountId,
      { workspaceIds: 'all' },
      { accountId },
      { accountId, workspaceIds: opened.id },
      { accountId, workspaceIds: [7] },
    ]
    for (const reach of wrong) {
      const refused = { code: 'INVALID_FIELD', field: 'reach' }
      await expect(call(opened, reach as never)).rejects.toMatchObject(refused)
    }
  })

  it('may be a list of workspaces', async () => {
    const { taskboard, reach, task, id } = await open()
    const found = await taskboard.tasks.find({ ...reach, workspaceIds: [id] }, task.id)
    expect(found.task.id).toBe(task.id)
  })
})

describe('a workspace that there is not', () => {
  it.each<[string, (opened: Opened) => Promise<unknown>]>([
    ['list', ({ taskboard }) => taskboard.board('ws_nope').list('TODO')],
    ['add', ({ taskboard }) => taskboard.board('ws_nope').add({ title: 'x' })],
    ['schedules.list', ({ taskboard }) => taskboard.board('ws_nope').schedules.list()],
    ['webhooks.list', ({ taskboard }) => taskboard.webhooks.list('ws_nope')],
    ['channels.list', ({ taskboard }) => taskboard.channels.list('ws_nope')],
    ['agents.list', ({ taskboard }) => taskboard.agents.list('ws_nope')],
  ])('is NOT_FOUND for %s', async (_, call) => {
    await expect(call(await open())).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is none that is empty, also before the commit', async () => {
    const { taskboard, reach } = await open()
    const created = await taskboard.transaction(async (tx) => {
      const { id } = await taskboard.accounts.createWorkspace(reach.accountId, { name: 'new' }, { tx })
      expect((await taskboard.board(id).list('TODO', { tx })).tasks).toEqual([])
      expect(await taskboard.webhooks.list(id, { tx })).toEqual([])
      return id
    })
    expect((await taskboard.board(created).list('DONE')).tasks).toEqual([])
    expect((await taskboard.channels.list(created)).channels).toEqual([])
  })
})
