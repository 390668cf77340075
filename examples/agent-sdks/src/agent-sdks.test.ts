import { tool } from '@openai/agents-core'
import { OpenAIProvider } from '@openai/agents-openai'
import { createTaskboard, type AgentDefinition, type TaskInput } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openAiServer, type ServedAnswer } from '@taskboard/kit/models/openai-server'
import { claudeAgent } from './claude-agent.js'
import type { ClaudeMessage, ClaudeQuery, ClaudeResult, ClaudeStreamEvent } from './claude-messages.js'
import { afterApproval, openAiAgent } from './openai-agent.js'

async function setUp(definition: AgentDefinition, tools: readonly string[] = []) {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    agents: [definition],
    createDefaultAgent: false,
    attempts: { backoff: { baseMs: 1, factor: 1, maxMs: 1 } },
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
    /** What the task has used, by model. */
    used: (taskId: string) => taskboard.usage.ofTask(workspace.id, taskId, 'model'),
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

async function openAi(answers: readonly (ServedAnswer | number)[]) {
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
    const { board, work, after, pending, used } = await setUp(definition, ['refund'])
    const id = await work({ title: 'Refund' })
    expect(refunds).toEqual([])
    const asked = await pending()
    await after(() => board.decide(asked?.id ?? '', { decision: 'approved' }))
    expect((await board.get(id)).result).toBe('Refunded.')
    expect(refunds).toEqual([{ order: 7 }])
    expect(await used(id)).toMatchObject([
      { key: 'tiny', reports: 3, inputTokens: 300, outputTokens: 30, cachedInputTokens: 120 },
    ])
    const second = await work({ title: 'Refund', budget: { tokens: 50 } })
    expect((await board.get(second)).hold?.reason).toBe('budget')
  })

  it.each([400, 401, 404])('gives up on the first %d', async (status) => {
    const { server, definition } = await openAi([status])
    const { board, work } = await setUp(definition)
    const id = await work({ title: 'Refund' })
    expect((await board.get(id)).hold).toMatchObject({
      reason: 'failed',
      message: `the API returned ${status}`,
    })
    expect(server.requests).toHaveLength(1)
  })

  it('waits while the API is down', async () => {
    // The package retries twice by itself.
    const { definition } = await openAi([503, 503, 503, 'Refunded.'])
    const { board, work } = await setUp(definition)
    const id = await work({ title: 'Refund' })
    expect(await board.get(id)).toMatchObject({ column: 'DONE', attempts: 1, fencingToken: 2 })
  })
})

/** An answer as the API streams it: 450 tokens in, of which 100 were cached and 50 are new in the cache, and 30 out. */
function answered(parent: string | null = null): readonly ClaudeStreamEvent[] {
  const input = { input_tokens: 300, cache_read_input_tokens: 100, cache_creation_input_tokens: 50 }
  const event = (given: ClaudeStreamEvent['event']): ClaudeStreamEvent => ({
    type: 'stream_event',
    parent_tool_use_id: parent,
    event: given,
  })
  return [
    event({ type: 'message_start', message: { model: 'claude', usage: { ...input, output_tokens: 1 } } }),
    event({ type: 'content_block_delta' }),
    event({ type: 'message_delta', usage: { output_tokens: 30 } }),
    event({ type: 'message_stop' }),
  ]
}

/** The result of a session of so many answers. */
function resultAfter(answers: number, change: Partial<ClaudeResult> = {}): ClaudeResult {
  const claude = {
    inputTokens: 300 * answers,
    outputTokens: 30 * answers,
    cacheReadInputTokens: 100 * answers,
    cacheCreationInputTokens: 50 * answers,
  }
  const total_cost_usd = answers / 100
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Built.',
    total_cost_usd,
    modelUsage: { claude },
    ...change,
  }
}

const saying = (...messages: readonly ClaudeMessage[]): ClaudeQuery =>
  async function* () {
    yield* messages
  }

describe('the Claude Agent SDK', () => {
  it('waits for approval of each call that the agent may not make by itself', async () => {
    const did: string[] = []
    const refused: unknown[] = []
    const query: ClaudeQuery = async function* ({ options }) {
      expect(options).toMatchObject({ model: 'tiny', systemPrompt: 'Be brief.', allowedTools: ['Read'] })
      yield { type: 'system' }
      yield* answered()
      const permission = await options.canUseTool('Bash', { command: 'make' })
      if (permission.behavior === 'allow') did.push(JSON.stringify(permission.updatedInput))
      // An aborted session would ask the model once more.
      else refused.push([permission.interrupt, options.abortController.signal.aborted])
      yield resultAfter(1)
    }
    const { board, work, after, pending, used } = await setUp(claudeAgent(query), ['Read'])
    const id = await work({ title: 'Build' })
    expect((await board.get(id)).hold?.reason).toBe('approval')
    // Counted although the session has no result.
    expect(await used(id)).toMatchObject([{ inputTokens: 450, outputTokens: 30, cachedInputTokens: 100 }])
    const asked = await pending()
    expect(asked?.summary).toBe('Bash {"command":"make"}')
    await after(() => board.decide(asked?.id ?? '', { decision: 'approved' }))
    expect(await board.get(id)).toMatchObject({ column: 'DONE', result: 'Built.' })
    expect(did).toEqual(['{"command":"make"}'])
    expect(refused).toEqual([[true, false]])
  })

  it('counts each answer once, those of subagents and those that only the result shows', async () => {
    const extra = { inputTokens: 20, outputTokens: 5, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
    const { claude } = resultAfter(3).modelUsage as { claude: typeof extra }
    const query = saying(
      ...answered(),
      ...answered('toolu_1'),
      // It has seen two of three answers, and none of the small model.
      resultAfter(3, { modelUsage: { claude, haiku: extra }, total_cost_usd: 0.25 }),
    )
    const { work, used } = await setUp(claudeAgent(query))
    const id = await work({ title: 'Build' })
    expect(await used(id)).toMatchObject([
      {
        key: 'claude',
        reports: 3,
        inputTokens: 1_350,
        outputTokens: 90,
        cachedInputTokens: 300,
        costMicros: 250_000,
      },
      { key: 'haiku', reports: 1, inputTokens: 20, outputTokens: 5, cachedInputTokens: 0, costMicros: 0 },
    ])
  })

  it('stops at its budget, and holds a task that ends without a result', async () => {
    const aborted: boolean[] = []
    const query: ClaudeQuery = async function* ({ options }) {
      yield* answered()
      aborted.push(options.abortController.signal.aborted)
      yield resultAfter(1, { subtype: 'error_max_turns' })
    }
    const { board, work } = await setUp(claudeAgent(query))
    const spent = await work({ title: 'Build', budget: { tokens: 480 } })
    expect((await board.get(spent)).hold?.reason).toBe('budget')
    const failed = await work({ title: 'Build' })
    expect((await board.get(failed)).hold?.message).toBe('the agent ended without a result: error_max_turns')
    // The first session is left before it goes on.
    expect(aborted).toEqual([false])
  })

  it('waits while the API is down, and gives up when it refuses', async () => {
    const results = [529, null, 401].map((api_error_status) =>
      resultAfter(0, { is_error: true, api_error_status, result: 'error' }),
    )
    const query: ClaudeQuery = async function* () {
      yield results.shift() ?? resultAfter(1)
    }
    const { board, work } = await setUp(claudeAgent(query))
    const id = await work({ title: 'Build' })
    expect(await board.get(id)).toMatchObject({
      attempts: 1,
      fencingToken: 3,
      hold: { reason: 'failed', message: 'the API returned an error (401)' },
    })
  })
})
