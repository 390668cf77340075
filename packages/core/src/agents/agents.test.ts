import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { agentsFixture } from '../../test/agents-fixture.js'
import { createTaskboard, defineAgent } from '../index.js'
import { agentFields, type AgentFields } from './agent.js'

const PROFILE = {
  model: 'm-1',
  systemPrompt: 'Be brief.',
  capabilities: ['search'],
  tools: ['web'],
  paused: false,
  maxConcurrent: 3,
}

async function setUp() {
  const clock = virtualClock()
  const seen: Partial<AgentFields>[] = []
  const note = ({ model, systemPrompt, capabilities, tools, paused, maxConcurrent }: AgentFields) =>
    seen.push({ model, systemPrompt, capabilities, tools, paused, maxConcurrent })
  const worker = defineAgent({
    type: 'worker',
    run(_, { agent }) {
      note(agent)
    },
    chat(_, { agent }) {
      note(agent)
      return agent.name
    },
  })
  const taskboard = createTaskboard({ storage: memoryStorage(), clock, agents: [worker] })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const [agent] = await taskboard.agents.list(workspace.id)
  if (agent === undefined) throw new Error('no agent')
  return { clock, seen, taskboard, agent, account, workspaceId: workspace.id }
}

describe('stored agents', () => {
  it('are not listed without a workspace, whatever JavaScript passes', async () => {
    const { taskboard } = await setUp()
    for (const workspaceId of ['ws_none', undefined, null]) {
      const listed = taskboard.agents.list(workspaceId as unknown as string)
      await expect(listed).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
  })

  it('are passed to their runtime with each run and chat, as they are then', async () => {
    const { clock, seen, taskboard, agent, workspaceId } = await setUp()
    const board = taskboard.board(workspaceId)
    await taskboard.start()
    await board.add({ title: 'one' })
    await clock.advance({ seconds: 1 })
    await taskboard.agents.update(workspaceId, agent.id, PROFILE)
    await board.add({ title: 'two' })
    await clock.advance({ ms: 1 })
    expect(await board.chat({ message: 'who?' })).toMatchObject({ reply: 'worker' })
    await taskboard.close()
    expect(seen).toEqual([agentFields.empty, PROFILE, PROFILE])
  })

  it('are validated field by field, and keep each label once', async () => {
    const { taskboard, agent, workspaceId } = await setUp()
    const made = await taskboard.agents.create(workspaceId, {
      name: ' Eve',
      type: 'custom',
      tools: ['web', 'web', 'mail'],
    })
    expect(made).toMatchObject({
      tools: ['web', 'mail'],
      status: 'offline',
      currentWorkload: 0,
      successRate: null,
    })
    const faults: readonly (readonly [object, string])[] = [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ type: '' }, 'type'],
      [{ type: 'x'.repeat(65) }, 'type'],
      [{ model: '' }, 'model'],
      [{ systemPrompt: 'a\0b' }, 'systemPrompt'],
      [{ systemPrompt: 'x'.repeat(100_001) }, 'systemPrompt'],
      [{ capabilities: 'search' }, 'capabilities'],
      [{ capabilities: [''] }, 'capabilities'],
      [{ tools: Array.from({ length: 101 }, (_, index) => `tool ${index}`) }, 'tools'],
    ]
    for (const [fault, field] of faults) {
      const refusal = { code: 'INVALID_FIELD', field }
      const input = { name: 'Eve', type: 'custom', ...fault }
      await expect(taskboard.agents.create(workspaceId, input)).rejects.toMatchObject(refusal)
      await expect(taskboard.agents.update(workspaceId, agent.id, fault)).rejects.toMatchObject(refusal)
    }
    await expect(
      taskboard.agents.create(workspaceId, { type: 'custom' } as unknown as { name: string; type: string }),
    ).rejects.toMatchObject({ code: 'MISSING_FIELD', field: 'name' })
    expect(await taskboard.agents.list(workspaceId)).toHaveLength(2)
  })

  it('are listed within reach, page by page', async () => {
    const { taskboard, account, workspaceId } = await setUp()
    for (const name of ['b', 'c', 'd']) await taskboard.agents.create(workspaceId, { name, type: 'worker' })
    const reach = { accountId: account.id, workspaceIds: 'all' } as const
    const first = await taskboard.agents.listWithin(reach, { limit: 2 })
    const cursor = first.nextCursor ?? ''
    const second = await taskboard.agents.listWithin(reach, { limit: 2, cursor, workspaceId })
    expect([...first.agents, ...second.agents].map(({ name }) => name)).toEqual(['worker', 'b', 'c', 'd'])
    expect(second.nextCursor).toBeNull()
    for (const filter of [{ limit: 0 }, { limit: 1_001 }, { limit: 1.5 }, { cursor: 'x; --' }]) {
      const [field] = Object.keys(filter)
      await expect(taskboard.agents.listWithin(reach, filter)).rejects.toMatchObject({
        code: 'INVALID_FIELD',
        field,
      })
    }
  })

  it('are available while their runtime is at work, and offline when it is not', async () => {
    const { clock, taskboard, workspaceId } = await setUp()
    const status = async () => (await taskboard.agents.list(workspaceId)).map((agent) => agent.status)
    await taskboard.start()
    await clock.advance({ hours: 1 })
    expect(await status()).toEqual(['available'])
    await taskboard.close()
    expect(await status()).toEqual(['offline'])
  })

  it('belong to one workspace, and can be deleted when they have no work left', async () => {
    const { taskboard, agent, account, workspaceId } = await setUp()
    const other = await taskboard.accounts.createWorkspace(account.id, { name: 'other' })
    await expect(taskboard.agents.get(other.id, agent.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const board = taskboard.board(workspaceId)
    const task = await board.add({ title: 'mine', assignedTo: agent.id })
    await expect(taskboard.agents.delete(workspaceId, agent.id)).rejects.toMatchObject({ code: 'CONFLICT' })
    await board.move(task.id, 'DONE')
    await taskboard.agents.delete(workspaceId, agent.id)
    expect(await taskboard.agents.list(workspaceId)).toEqual([])
    expect((await board.get(task.id)).assignedTo).toBeNull()
  })

  it('that are deleted during a claim have the claim returned by their runtime', async () => {
    const agents: string[] = []
    const fixture = await agentsFixture({
      agents: [{ type: 'bot', run: (_, { agent }) => void agents.push(agent.id) }],
    })
    const [gone] = await fixture.storage.agents.listAgents(
      { reach: null, workspaceId: fixture.workspaceId },
      { now: 0 },
    )
    fixture.goneAgents.add(gone?.id ?? '')
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 10 })
    await runner.stop()
    expect(agents).toEqual([gone?.id])
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', attempts: 1, fencingToken: 2 })
    const { attempts } = await fixture.background(task)
    expect(attempts.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['returned', 'the agent was deleted'],
      ['completed', null],
    ])
  })
})
