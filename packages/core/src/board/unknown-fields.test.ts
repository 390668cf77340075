import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'

async function open() {
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const board = taskboard.board(workspace.id)
  const task = await board.add({ title: 'A task' })
  const agent = await taskboard.agents.create(workspace.id, { name: 'a', type: 'general' })
  return { taskboard, account, workspace, board, task, agent }
}

type Opened = Awaited<ReturnType<typeof open>>
const url = 'https://receiver.example/hook'

/** Calls of plain JavaScript with a name that is wrong, and the one that was meant. */
const calls: Readonly<
  Record<string, readonly [meant: string, (opened: Opened, wrong: never) => Promise<unknown>, object]>
> = {
  add: ['dueDate', ({ board }, wrong) => board.add(wrong), { title: 'x', due_date: '2030-01-01T00:00:00Z' }],
  addAll: ['dueDate', ({ board }, wrong) => board.addAll([wrong]), { title: 'x', due_date: null }],
  update: ['tags', ({ board, task }, wrong) => board.update(task.id, wrong), { labels: [] }],
  comment: ['body', ({ board, task }, wrong) => board.comment(task.id, wrong), { body: 'x', boddy: 'y' }],
  hold: [
    'message',
    ({ board, task }, wrong) => board.hold(task.id, wrong),
    { reason: 'needs_input', mesage: 'y' },
  ],
  usage: [
    'costUsd',
    ({ board, task }, wrong) => board.usage(task.id, wrong),
    { model: 'm', inputTokens: 1, outputTokens: 1, cost_usd: 2 },
  ],
  search: [
    'limit',
    ({ taskboard, account }, wrong) =>
      taskboard.tasks.search({ accountId: account.id, workspaceIds: 'all' }, wrong),
    { page_size: 5 },
  ],
  'agents.create': [
    'capabilities',
    ({ taskboard, workspace }, wrong) => taskboard.agents.create(workspace.id, wrong),
    { name: 'b', type: 'general', capabilites: [] },
  ],
  'webhooks.register': [
    'secret',
    ({ taskboard, workspace }, wrong) => taskboard.webhooks.register(workspace.id, wrong),
    { url, events: ['task.created'], sekret: 's' },
  ],
  'accounts.create': [
    'name',
    ({ taskboard }, wrong) => taskboard.accounts.create(wrong),
    { name: 'x', tier: 'custom', nam: 'y' },
  ],
  'accounts.createKey': [
    'scopes',
    ({ taskboard }, wrong) => taskboard.accounts.createKey(wrong),
    { accountId: 'a', name: 'x', scopes: ['tasks:read'], scops: [] },
  ],
}

describe('a call in TypeScript or JavaScript', () => {
  it.each(Object.entries(calls))(
    'of %s refuses an unknown field by its name',
    async (_, [meant, call, wrong]) => {
      const opened = await open()
      const [unknown = ''] = Object.keys(wrong).filter(
        (name) =>
          ![
            'title',
            'name',
            'type',
            'tier',
            'scopes',
            'accountId',
            'body',
            'reason',
            'model',
            'inputTokens',
            'outputTokens',
            'url',
            'events',
          ].includes(name),
      )
      await expect((async () => call(opened, wrong as never))()).rejects.toMatchObject({
        code: 'INVALID_FIELD',
        field: unknown,
        message: expect.stringContaining(
          `${unknown} is not a known field; did you mean ${meant}?`,
        ) as unknown,
      })
      expect((await opened.board.list('TODO')).tasks).toHaveLength(1)
    },
  )

  it('of events.on refuses an event that there is not', async () => {
    const { taskboard } = await open()
    expect(() => taskboard.events.on('task.complete' as 'task.completed', () => undefined)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'type' }),
    )
  })
})
