import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, expect, it } from 'vitest'
import { createTaskboard, type Taskboard } from '../wiring/taskboard.js'

let taskboard: Taskboard | undefined
afterEach(() => taskboard?.close())

async function start() {
  const clock = virtualClock()
  const board = createTaskboard({ storage: memoryStorage(), clock })
  taskboard = board
  await board.start()
  const { workspace } = await board.accounts.create({ name: 'Acme', tier: 'professional' })
  const agent = await board.agents.create(workspace.id, { name: 'remote', type: 'remote' })
  const statuses: string[] = []
  board.events.on('agent.status', ({ data }) => void statuses.push(data.status))
  return { clock, agentId: agent.id, work: board.board(workspace.id), statuses }
}

it('raises agent.status when a worker outside of the runtimes claims, completes and is gone', async () => {
  const { clock, agentId, work, statuses } = await start()
  expect(await work.claim({ agentId })).toBeNull()
  await clock.advance({ seconds: 2 })
  expect(statuses).toEqual(['available'])
  const { id } = await work.add({ title: 'a' })
  const task = await work.claim({ agentId })
  await clock.advance({ seconds: 2 })
  expect(statuses).toEqual(['available', 'busy'])
  await work.complete(id, { fencingToken: task?.lease?.fencingToken ?? 0, result: 'r' })
  await clock.advance({ seconds: 2 })
  expect(statuses).toEqual(['available', 'busy', 'available'])
  await clock.advance({ minutes: 2 })
  expect(statuses).toEqual(['available', 'busy', 'available', 'offline'])
  await clock.advance({ hours: 24 })
  expect(statuses).toHaveLength(4)
})

it('raises it when a lease ends without the worker', async () => {
  const { clock, agentId, work, statuses } = await start()
  await work.add({ title: 'a' })
  await work.claim({ agentId })
  await clock.advance({ minutes: 5 })
  expect([statuses[0], statuses.at(-1)]).toEqual(['busy', 'offline'])
})
