import { tool } from '@openai/agents-core'
import { OpenAIProvider } from '@openai/agents-openai'
import { createTaskboard, type AgentDefinition, type TaskInput } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openAiServer, type ServedAnswer } from '../../../packages/ai/test/openai-server.js'
import { claudeAgent, type ClaudeMessage, type ClaudeQuery } from './claude-agent.js'
import { afterApproval, openAiAgent } from './openai-agent.js'

async function setUp(definition: AgentDefinition, tools: readonly string[] = []) {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    agents: [definition],
    createDefaultAgent: false,
    logger: false,
  })
  onTestFinished(() => taskboard.close({ drainTimeoutMs: 0 }))
  const { account, workspace } = await taskboard.accounts.create({ name: 'Test', tier: 'professional' })
  const profile = { name: 'Ada', type: 'clerk', model: 'tiny', systemPrompt: 'Be brief.', tools: [...tools] }
  await taskboard.agents.create(workspace.id, profile)
  await taskboard.start()
  const board = taskboard.board(workspace.id)
  const ended = (): Promise<void> =>
    new Promise((resolve) => {
      taskboard.events.once('task.completed', () => resolve())
      taskboard.events.once('task.failed', () => resolve())
    })
  return {
    board,
    pending: async () =>
      (await taskboard.approvals.search({ accountId: account.id, workspaceIds: 'all' })).approvals[0],
    async after(work: () => Promise<unknown>) {
      const end = ended()
      await work()
      await end
    },
    async work(input: TaskInput) {
      const end = ended()
      const { id } = await board.add(input)
      await end
      return id
    },
  }
}

const refunds: unknown[] = []

async function openAi(answers: readonly ServedAnswer[]) {
  const server = await openAiServer((_request, call) => answers[call] ?? 'no more answers')
  onTestFinished(() => server.close())
  const provider = new OpenAIProvider({ baseURL: server.url, apiKey: 'none', useResponses: false })
  const definition = openAiAgent({
    model: (name) => provider.getModel(name ?? 'tiny'),
    tools: {
      refund: (context) =>
        tool({
          name: 'refund',
          description: 'Refund an order',
          parameters: z.object({ order: z.number() }),
          errorFunction: null,
          execute: afterApproval(context, 'refund', (input: { readonly order: number }) => {
            refunds.push(input)
            return 'refunded'
          }),
        }),
    },
  })
  return { server, definition }
}

describe('the OpenAI Agents SDK', () => {
  it('asks, and goes on with the answer', async () => {
    const { server, definition } = await openAi([[['ask_person', { question: 'Which?' }]], 'Number 7.'])
    const { board, work, after } = await setUp(definition)
    const id = await work({ title: 'Refund' })
    expect((await board.get(id)).hold).toMatchObject({ reason: 'needs_input', message: 'Which?' })
    await after(() => board.answer(id, { body: 'the seventh' }))
    expect((await board.get(id)).result).toBe('Number 7.')
    expect(JSON.stringify(server.requests[1]?.messages)).toContain('the seventh')
    expect(server.requests[0]?.tools?.map(({ function: { name } }) => name)).toEqual(['ask_person'])
  })

  it('waits for approval of a call, and stops at its budget', async () => {
    const call: ServedAnswer = [['refund', { order: 7 }]]
    const { definition } = await openAi([call, call, 'Refunded.', call])
    const { board, work, after, pending } = await setUp(definition, ['refund'])
    const id = await work({ title: 'Refund' })
    expect(refunds).toEqual([])
    const asked = await pending()
    await after(() => board.decide(asked?.id ?? '', { decision: 'approved' }))
    expect((await board.get(id)).result).toBe('Refunded.')
    expect(refunds).toEqual([{ order: 7 }])
    const second = await work({ title: 'Refund', budget: { tokens: 50 } })
    expect((await board.get(second)).hold?.reason).toBe('budget')
  })
})

describe('the Claude Agent SDK', () => {
  const answered = (id: string): ClaudeMessage => ({
    type: 'assistant',
    message: { id, model: 'claude', usage: { input_tokens: 100, output_tokens: 10 } },
  })

  it('waits for approval of each call that the agent may not make by itself', async () => {
    const did: string[] = []
    const query: ClaudeQuery = async function* ({ options }) {
      expect(options).toMatchObject({ model: 'tiny', systemPrompt: 'Be brief.', allowedTools: ['Read'] })
      yield { type: 'system' }
      yield answered('msg_1')
      const permission = await options.canUseTool('Bash', { command: 'make' })
      if (permission.behavior === 'allow') did.push(JSON.stringify(permission.updatedInput))
      yield answered('msg_1')
      yield { type: 'result', subtype: 'success', result: 'Built.' }
    }
    const { board, work, after, pending } = await setUp(claudeAgent(query), ['Read'])
    const id = await work({ title: 'Build', budget: { tokens: 300 } })
    expect((await board.get(id)).hold?.reason).toBe('approval')
    const asked = await pending()
    await after(() => board.decide(asked?.id ?? '', { decision: 'approved' }))
    expect(await board.get(id)).toMatchObject({ column: 'DONE', result: 'Built.' })
    expect(did).toEqual(['{"command":"make"}'])
  })

  it('stops at its budget, and holds a task that ends without a result', async () => {
    const aborted: boolean[] = []
    const query: ClaudeQuery = async function* ({ options }) {
      yield answered('msg_1')
      aborted.push(options.abortController.signal.aborted)
      yield { type: 'result', subtype: 'error_max_turns' }
    }
    const { board, work } = await setUp(claudeAgent(query))
    const spent = await work({ title: 'Build', budget: { tokens: 100 } })
    expect((await board.get(spent)).hold?.reason).toBe('budget')
    const failed = await work({ title: 'Build' })
    expect((await board.get(failed)).hold?.message).toBe('the agent ended without a result: error_max_turns')
    expect(aborted).toEqual([true, false])
  })
})
