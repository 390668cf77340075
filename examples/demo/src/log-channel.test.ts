import { createTaskboard, scopes } from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { expect, it, onTestFinished } from 'vitest'
import { logChannel } from './log-channel.js'

async function setUp() {
  const clock = virtualClock('2026-11-21T10:30:00Z')
  const printed: string[] = []
  const notifications = [
    logChannel(
      (line) => printed.push(line),
      () => clock.now(),
    ),
  ]
  const taskboard = createTaskboard({ storage: memoryStorage(), clock, notifications })
  onTestFinished(() => taskboard.close())
  const { workspace } = await taskboard.accounts.create({ name: 'Demo', tier: 'professional' })
  const made = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'k',
    scopes: [...scopes],
  })
  await taskboard.start()
  const handle = toFetchHandler(taskboard)
  return {
    clock,
    printed,
    board: taskboard.board(workspace.id),
    async call(path: string, body?: object) {
      const request = new Request(`http://demo.example/v2/${path}`, {
        headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
      const answer = await handle(request)
      return [answer.status, (await answer.json()) as Record<string, unknown>] as const
    },
  }
}

const channel = { type: 'log', name: 'Terminal', config: {}, events: ['task.created'] }

it('notifies a user who sets it up over the API, by a line in the terminal', async () => {
  const { call, board, clock, printed } = await setUp()
  expect(await call('notification-channel-types')).toEqual([
    200,
    {
      notification_channel_types: [{ name: 'log', label: 'Terminal of the server', secrets: [], fields: [] }],
    },
  ])
  const [status, { id }] = await call('notification-channels', channel)
  expect(status).toBe(201)
  await board.add({ title: 'Order\u001B[31m the cake' })
  await clock.settle()
  expect(printed).toEqual(['2026-11-21T10:30:00.000Z notification   [Terminal] New task: Order[31m the cake'])
  expect(await call(`notification-channels/${String(id)}/test`, {})).toMatchObject([200, { delivered: true }])
  expect(printed[1]).toContain('[Terminal] test: ')
})

it('refuses a configuration by the member', async () => {
  const { call } = await setUp()
  expect(await call('notification-channels', { ...channel, config: { file: '/etc/passwd' } })).toMatchObject([
    400,
    {
      error: { details: { field: 'config', issue: 'config.file is not known: the configuration is empty' } },
    },
  ])
})
