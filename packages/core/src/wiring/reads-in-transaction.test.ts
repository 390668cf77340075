import { memoryStorage } from '@taskboard/memory'
import { afterEach, describe, expect, it } from 'vitest'
import { createTaskboard } from './taskboard.js'

const taskboard = createTaskboard({
  storage: memoryStorage(),
  notifications: [{ name: 'mail', send: () => Promise.resolve() }],
})
afterEach(() => taskboard.close())

describe('reading with a transaction', () => {
  it('shows the transaction’s writes, and only with the transaction', async () => {
    const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const reach = { accountId: account.id, workspaceIds: 'all' } as const
    const board = taskboard.board(workspace.id)
    await taskboard.transaction(async (tx) => {
      const agent = await taskboard.agents.create(workspace.id, { name: 'a', type: 'worker' }, { tx })
      const input = { url: 'https://example.com/', events: ['task.created', 'task.started'] as const }
      const webhook = await taskboard.webhooks.register(
        workspace.id,
        { ...input, events: [...input.events] },
        { tx },
      )
      await taskboard.notifications.configure(workspace.id, 'mail', {}, { tx })
      const { id } = await board.add({ title: 'Pack the order' }, { tx })
      const claimed = await board.claim({ agentId: agent.id }, { tx })
      const fencingToken = claimed?.lease?.fencingToken ?? -1
      await board.log(id, { fencingToken, level: 'info', message: 'begun' }, { tx })
      const link = { type: 'link', name: 'draft', url: 'https://example.com/draft' }
      await board.output(id, { fencingToken, ...link }, { tx })

      expect(await board.get(id, { tx })).toMatchObject({ id, column: 'DOING' })
      expect((await board.list('DOING', { tx })).tasks.map((task) => task.id)).toEqual([id])
      expect(await board.logs(id, { tx })).toMatchObject([{ message: 'begun' }])
      expect(await board.outputs(id, { tx })).toMatchObject([link])
      expect(await taskboard.webhooks.list(workspace.id, { tx })).toEqual([webhook])
      expect(await taskboard.webhooks.get(workspace.id, webhook.id, { tx })).toEqual(webhook)
      expect(await taskboard.webhooks.find(reach, webhook.id, { tx })).toEqual(webhook)
      const { deliveries } = await taskboard.webhooks.deliveries(workspace.id, webhook.id, { tx })
      expect(deliveries).toHaveLength(2)
      expect((await taskboard.agents.listWithin(reach, { tx })).agents).toHaveLength(1)
      expect(await taskboard.agents.findAll(reach, [agent.id], { tx })).toHaveLength(1)
      expect(await taskboard.agents.find(reach, agent.id, { tx })).toMatchObject({ id: agent.id })
      expect(await taskboard.notifications.list(workspace.id, { tx })).toHaveLength(1)
      expect((await taskboard.analytics.forTasks(reach, {}, { tx })).metrics.totalTasks).toBe(1)

      await expect(board.get(id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' })
      expect((await board.list('DOING')).tasks).toEqual([])
      await expect(board.add({ title: 'Another' })).rejects.toMatchObject({
        code: 'MISSING_FIELD',
        field: 'tx',
      })
    })
  })
})
