import { inspect } from 'node:util'
import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { agentBoard } from '../../test/agent-board.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { toolContextOf, type ToolContext } from '../index.js'

/** A tool that writes down for whom it was asked and called. */
function spyTool(gate: boolean) {
  const seen: ToolContext[] = []
  const look = tool({
    inputSchema: z.object({}),
    needsApproval: (_, options) => {
      seen.push(toolContextOf(options))
      return gate
    },
    execute: (_, options) => {
      seen.push(toolContextOf(options))
      return 'looked'
    },
  })
  return { seen, look }
}

describe('a tool', () => {
  it.each([false, true])('knows for whom it is called (with approval: %s)', async (gate) => {
    const { seen, look } = spyTool(gate)
    const { model } = scriptedModel([[['look', {}]], 'done'])
    const host = await agentBoard({ model: () => model, tools: { look } }, { tools: ['look'] })
    const { id } = await host.work({ title: 'x' })
    if (gate) {
      const ended = host.nextEnd()
      const [pending] = await host.approvals()
      await host.board.decide(pending?.id ?? '', { decision: 'approved' })
      await ended
    }
    const { accountId, workspaceId, agent } = host
    expect(seen).toHaveLength(2)
    for (const context of seen) {
      expect(context).toMatchObject({ accountId, workspaceId, agentId: agent.id, taskId: id })
      expect(context.signal).toBeInstanceOf(AbortSignal)
      expect(Object.isFrozen(context)).toBe(true)
    }
  })

  it('of another caller is told that there is nobody', () => {
    const forged = { accountId: 'acct_1', workspaceId: 'ws_1', agentId: 'agent_1', taskId: 'task_1' }
    for (const options of [{}, { context: undefined }, { context: forged }, { experimental_context: 'x' }]) {
      expect(() => toolContextOf(options)).toThrow('this call of a tool does not come from aiAgent')
    }
  })
})

describe('tools by a function', () => {
  const search = tool({ inputSchema: z.object({}), execute: () => 'found' })
  const lookUp = tool({ inputSchema: z.object({}), execute: () => 'looked up' })

  it('are those of the agent and the task, for one attempt', async () => {
    const { model, tools } = scriptedModel(['one', 'two'])
    const asked: unknown[] = []
    const host = await agentBoard(
      {
        model: () => model,
        boardTools: [],
        tools: async (agent, task, context) => {
          asked.push([agent.id, task.title, context.accountId])
          return task.title === 'first' ? { search } : { search, lookUp }
        },
      },
      { tools: ['search'] },
    )
    await host.work({ title: 'first' })
    await host.taskboard.agents.update(host.workspaceId, host.agent.id, { tools: ['search', 'lookUp'] })
    await host.work({ title: 'second' })
    expect(tools()).toEqual([['search'], ['search', 'lookUp']])
    expect(asked).toEqual([
      [host.agent.id, 'first', host.accountId],
      [host.agent.id, 'second', host.accountId],
    ])
  })

  it('cannot be called by an agent for which the host does not make them', async () => {
    const { model } = scriptedModel([])
    const { work } = await agentBoard(
      { model: () => model, tools: () => ({ search }) },
      { tools: ['lookUp'] },
    )
    expect((await work({ title: 'x' })).hold?.message).toBe(
      'the agent names tools that it cannot have: lookUp',
    )
  })

  it('fail the attempt when they are not valid', async () => {
    const { model } = scriptedModel([])
    const { work, logged } = await agentBoard(
      { model: () => model, tools: () => ({ log: search }) },
      { tools: ['search'] },
    )
    expect((await work({ title: 'x' })).hold?.message).toBe('the host made tools that are not valid')
    expect(inspect(logged, { depth: 10 })).toContain(
      'tools.log of aiAgent has the name of a tool of the board',
    )
  })
})
