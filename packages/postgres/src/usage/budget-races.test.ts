import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { createSharedBoard, type SharedBoard } from '../../test/processes/shared-board.js'

let board: SharedBoard
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  await board.taskboard.close()
  await board.database.drop()
})

it('a budget that is set while a report is being written counts that report', async () => {
  const { taskboard, workspaceId, rows } = board
  const tasks = taskboard.board(workspaceId)
  const [agent] = await taskboard.agents.list(workspaceId)
  const agentId = agent?.id ?? ''
  await tasks.add({ title: 'first' })
  await tasks.add({ title: 'second' })
  const claimed = await tasks.claim({ agentId })
  const { id = '', lease } = claimed ?? {}
  const used = { model: 'm', inputTokens: 10, outputTokens: 0, fencingToken: lease?.fencingToken }
  let isSet = false
  const setting = await taskboard.transaction(async (tx) => {
    await tasks.usage(id, used, { tx })
    const budgeted = taskboard.usage.setBudget({ workspaceId }, { tokens: 10 })
    const over = budgeted.finally(() => (isSet = true))
    await until(
      async () =>
        isSet ||
        (
          await rows(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).length > 0,
      Boolean,
    )
    return { over }
  })
  expect(await setting.over).toMatchObject({ tokens: 10, isSpent: true })
  expect(await tasks.claim({ agentId })).toBeNull()
})
