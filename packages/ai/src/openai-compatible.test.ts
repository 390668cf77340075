import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { tool } from 'ai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { BREAKS, GONE, HANGS, openAiServer, type ServedAnswer } from '@taskboard/kit/models/openai-server'
import { agentBoard } from '../test/agent-board.js'
import type { AiAgentOptions } from './index.js'

async function served(
  answers: readonly (ServedAnswer | number)[],
  options: Omit<AiAgentOptions, 'model'>,
  tools: readonly string[] = [],
) {
  const server = await openAiServer((_request, call) => answers[call] ?? 'no more answers')
  onTestFinished(() => server.close())
  const provider = createOpenAICompatible({ name: 'local', baseURL: server.url, includeUsage: true })
  const model: AiAgentOptions['model'] = (agent) => provider(agent.model ?? 'tiny')
  return { server, ...(await agentBoard({ ...options, model }, { model: 'tiny-2', tools })) }
}

describe.each([{ streaming: true }, { streaming: false }])(
  'a local server (streaming: $streaming)',
  ({ streaming }) => {
    it('answers with calls of tools and text', async () => {
      const add = tool({
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        execute: ({ a, b }) => a + b,
      })
      const calls: ServedAnswer = [
        ['add', { a: 1, b: 2 }],
        ['add', { a: 30, b: 40 }],
      ]
      const { server, work, taskboard, workspaceId } = await served(
        [calls, 'The sums are 3 and 70.'],
        { streaming, tools: { add } },
        ['add'],
      )
      const task = await work({ title: 'Add' })
      expect(task).toMatchObject({ column: 'DONE', result: 'The sums are 3 and 70.' })
      expect(server.requests).toMatchObject([{ model: 'tiny-2' }, { model: 'tiny-2' }])
      expect(server.requests.map(({ stream = false }) => stream)).toEqual([streaming, streaming])
      const roles = server.requests[1]?.messages.map(({ role }) => role)
      expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'tool'])
      expect(server.requests[1]?.messages.slice(3).map(({ content }) => content)).toEqual(['3', '70'])
      expect(await taskboard.usage.ofTask(workspaceId, task.id, 'model')).toMatchObject([
        { key: 'tiny-2', reports: 2, inputTokens: 200, outputTokens: 20 },
      ])
    })

    it('is waited for while it is overloaded, and its refusals are final', async () => {
      const printed = vi.spyOn(console, 'error')
      onTestFinished(() => printed.mockRestore())
      const { work } = await served([503, 'done', 400], { streaming })
      expect(await work({ title: 'x' })).toMatchObject({ column: 'DONE', attempts: 1, fencingToken: 2 })
      expect(await work({ title: 'y' })).toMatchObject({
        attempts: 1,
        hold: { reason: 'failed', message: 'the provider of the model returned 400 (error)' },
      })
      expect(printed).not.toHaveBeenCalled()
    })
  },
)

describe.each([{ streaming: true }, { streaming: false }])(
  'a local server (streaming: $streaming)',
  ({ streaming }) => {
    it.each([
      { answer: GONE, reason: 'the provider of the model cannot be reached' },
      { answer: BREAKS, reason: 'the connection to the provider of the model broke off' },
    ])('that is away ($answer) is waited for', async ({ answer, reason }) => {
      const { work, attempts: attemptsAt } = await served([answer, 'done'], { streaming })
      const { id, attempts } = await work({ title: 'x' })
      expect(attempts).toBe(1)
      expect(await attemptsAt(id)).toEqual([
        ['postponed', reason],
        ['completed', null],
      ])
    })

    it('that stops in the middle of an answer is given up in time', async () => {
      const { work } = await served([HANGS], { streaming, callTimeoutMs: 200 })
      expect((await work({ title: 'x', maxAttempts: 1 })).hold?.message).toBe(
        'the model did not respond within 200 ms',
      )
    })
  },
)
