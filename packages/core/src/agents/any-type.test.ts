import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard, defineAgent, type TaskboardOptions } from '../index.js'

async function setUp(options: Partial<TaskboardOptions<never>> = {}) {
  const clock = virtualClock()
  const storage = memoryStorage()
  let notes = 0
  const { reportPresence } = storage.agents
  storage.agents.reportPresence = (report, call) => {
    if ('agentId' in report && 'liveMs' in report) notes += 1
    return reportPresence(report, call)
  }
  const taskboard = createTaskboard({ storage, clock, ...(options as object) })
  const { workspace } = await taskboard.accounts.create({ name: 'a', tier: 'custom' })
  const board = taskboard.board(workspace.id)
  const addAgent = (type: string) => taskboard.agents.create(workspace.id, { name: type, type })
  const statusOf = async (agentId: string) => (await taskboard.agents.get(workspace.id, agentId)).status
  return {
    clock,
    storage,
    taskboard,
    workspaceId: workspace.id,
    board,
    addAgent,
    statusOf,
    notes: () => notes,
  }
}

/** Runtimes that return their type. */
const runtime = (type: string, chat?: () => string) =>
  defineAgent({ type, concurrency: 3, run: () => type, ...(chat && { chat }) })

describe('a runtime for any type', () => {
  it('works the tasks of all agents whose type has no runtime of its own', async () => {
    const { clock, taskboard, board, addAgent, statusOf } = await setUp({
      agents: [runtime('*'), runtime('writer')],
    })
    const agents = [await addAgent('custom'), await addAgent('Ünïcode type'), await addAgent('writer')]
    const tasks: string[] = []
    for (const { id } of agents) {
      for (let count = 0; count < 5; count++) tasks.push((await board.add({ title: 't', assignedTo: id })).id)
    }
    await taskboard.start()
    await clock.settle()
    const results: (string | null)[] = []
    for (const id of tasks) results.push((await board.get(id)).result)
    expect(results).toEqual([
      ...Array.from({ length: 10 }, () => '*'),
      ...Array.from({ length: 5 }, () => 'writer'),
    ])
    for (const { id } of agents) expect(await statusOf(id)).toBe('available')
    const late = await addAgent('late')
    expect(late.status).toBe('available')
    const { id } = await board.add({ title: 'late', assignedTo: late.id })
    await clock.settle()
    expect((await board.get(id)).result).toBe('*')
    await taskboard.close()
  })

  it('gives a new workspace an agent with a valid type', async () => {
    const types = async (agents: TaskboardOptions['agents']) => {
      const { taskboard, workspaceId } = await setUp({ agents })
      return (await taskboard.agents.list(workspaceId)).map(({ name, type }) => [name, type])
    }
    expect(await types([runtime('*')])).toEqual([['agent', 'general']])
    expect(await types([runtime('*'), runtime('writer')])).toEqual([['writer', 'writer']])
  })

  it('answers for the agents that no other runtime of this process serves', async () => {
    const { board, addAgent } = await setUp({
      agents: [runtime('*', () => 'any'), runtime('silent'), runtime('writer', () => 'writer')],
      createDefaultAgent: false,
    })
    await addAgent('silent')
    await expect(board.chat({ message: 'hello' })).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' })
    await addAgent('custom')
    expect(await board.chat({ message: 'hello' })).toMatchObject({ reply: 'any' })
    const other = await setUp({ agents: [runtime('*', () => 'any'), runtime('writer', () => 'writer')] })
    expect(await other.board.chat({ message: 'hello' })).toMatchObject({ reply: 'writer' })
  })

  it('cannot be the type of an agent', async () => {
    const { taskboard, workspaceId, addAgent } = await setUp()
    const refusal = { code: 'INVALID_FIELD', field: 'type' }
    await expect(addAgent('*')).rejects.toMatchObject(refusal)
    const { id } = await addAgent('custom')
    await expect(taskboard.agents.update(workspaceId, id, { type: '*' })).rejects.toMatchObject(refusal)
  })
})

describe('an agent that no runtime serves', () => {
  it('is offline, and its tasks have no estimate', async () => {
    const { clock, taskboard, board, addAgent, statusOf } = await setUp({ agents: [runtime('writer')] })
    await taskboard.start()
    await board.add({ title: 'known' })
    await clock.advance({ seconds: 10 })
    const agent = await addAgent('custom')
    expect([agent.status, await statusOf(agent.id)]).toEqual(['offline', 'offline'])
    const own = await board.add({ title: 'its', assignedTo: agent.id, notBefore: clock.now() + 60_000 })
    const shared = await board.add({ title: 'anyone’s', notBefore: clock.now() + 60_000 })
    const { estimates } = taskboard.services
    expect(await estimates.forTasks([own, shared])).toEqual([null, expect.any(Number)])
    await board.claim({ agentId: agent.id })
    expect(await estimates.forTasks([own])).toEqual([expect.any(Number)])
    await taskboard.close()
    expect(await estimates.forTasks([shared])).toEqual([expect.any(Number)])
    await clock.advance({ minutes: 2 })
    expect(await estimates.forTasks([own, shared])).toEqual([null, null])
  })

  it.each([
    ['60 s, as nothing else is said', {}, 60_000],
    ['the option of the host', { remoteWorkerTimeoutMs: 5_000 }, 5_000],
  ])('is available after a claim from outside, for %s', async (_, options, timeoutMs) => {
    const { clock, taskboard, board, addAgent, statusOf, notes } = await setUp(options)
    const { id } = await addAgent('custom')
    expect(await board.claim({ agentId: id })).toBeNull()
    await clock.advance(timeoutMs - 1)
    expect(await statusOf(id)).toBe('available')
    await clock.advance(1)
    expect(await statusOf(id)).toBe('offline')
    // A worker that asks repeatedly stays available, with few notes.
    const before = notes()
    for (let asked = 0; asked < 120; asked++) {
      await board.claim({ agentId: id })
      expect(await statusOf(id)).toBe('available')
      await clock.advance(Math.floor(timeoutMs / 60))
    }
    expect(notes() - before).toBeLessThanOrEqual(24)
    await board.add({ title: 'work' })
    const claimed = await board.claim({ agentId: id })
    expect(await statusOf(id)).toBe('busy')
    const fencingToken = claimed?.lease?.fencingToken ?? 0
    await taskboard.transaction(async (tx) => {
      await board.complete(claimed?.id ?? '', { fencingToken }, { tx })
      await clock.advance(0)
    })
    expect(await statusOf(id)).toBe('available')
  })

  it('refuses an invalid timeout', async () => {
    const options = { storage: memoryStorage(), remoteWorkerTimeoutMs: 0 }
    const refusal = { code: 'INVALID_CONFIG', field: 'remoteWorkerTimeoutMs' }
    expect(() => createTaskboard(options)).toThrow(expect.objectContaining(refusal))
  })
})
