import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'
import { createTaskboard } from '../index.js'
import { createEnvironment } from '../environment/index.js'
import { createRollUpSweep } from './roll-up.js'

it('rolls up batch after batch, then waits', async () => {
  const clock = virtualClock()
  const start = clock.now()
  const left = [5_000, 5_000, 12, 0]
  const passes: number[] = []
  const store = {
    async rollUp() {
      passes.push(clock.now() - start)
      return left.shift() ?? 0
    },
  }
  const sweep = createRollUpSweep(createEnvironment({ clock }), store, 60_000)
  sweep.start()
  await clock.advance({ seconds: 130 })
  await sweep.stop()
  await clock.advance({ hours: 1 })
  expect(passes).toEqual([0, 0, 0, 60_000, 120_000])
})

it('runs before the pruning of a task board, which does not change the figures', async () => {
  const clock = virtualClock()
  const storage = memoryStorage()
  const taskboard = createTaskboard({
    storage,
    clock,
    retention: { eventsMs: 86_400_000, deliveriesMs: 86_400_000 },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const board = taskboard.board(workspace.id)
  await taskboard.start()
  const task = await board.add({ title: 'one' })
  await board.move(task.id, 'DONE')
  await clock.advance({ days: 2 })
  expect(
    await storage.events.readEvents({ workspaceId: workspace.id, afterSeq: 0, limit: 10 }, { now: null }),
  ).toEqual([])
  const reach = { accountId: account.id, workspaceIds: 'all' } as const
  const { metrics } = await taskboard.analytics.forTasks(reach)
  expect(metrics).toMatchObject({ totalTasks: 1, completedTasks: 1, timeSavedMs: 1_800_000 })
  await taskboard.close()
})
