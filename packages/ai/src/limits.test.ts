import { inspect } from 'node:util'
import { TaskFailure } from '@taskboard/core'
import { APICallError, JSONParseError, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { agentBoard } from '../test/agent-board.js'
import { scriptedModel, type Answer } from '../test/scripted-model.js'

function countingTool() {
  const calls: string[] = []
  const note = tool({
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }) => {
      calls.push(text)
      return 'noted'
    },
  })
  return { calls, note }
}

function deferred() {
  let resolve = (): void => undefined
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

const noting = (text: string): Answer => [['note', { text }]]

describe('a budget', () => {
  it('stops the run in its middle: nothing of the answer that spent it is carried out', async () => {
    const { calls, note } = countingTool()
    const { model, calls: asked } = scriptedModel([noting('one'), noting('two'), noting('three'), 'done'])
    const host = await agentBoard({ model: () => model, tools: { note } }, { tools: ['note'] })
    const { id, hold } = await host.work({ title: 'x', budget: { tokens: 200 } })
    expect(hold).toMatchObject({ reason: 'budget', message: 'the budget of the task is spent' })
    expect(calls).toEqual(['one'])
    expect(asked).toHaveLength(2)
    const ended = host.nextEnd()
    await host.board.update(id, { budget: { tokens: 10_000 } })
    await host.board.release(id)
    await ended
    expect(await host.board.get(id)).toMatchObject({ column: 'DONE', result: 'done' })
  })

  it('of the runtime holds for tasks that have none', async () => {
    const { model, calls } = scriptedModel(() => noting('more'))
    const { note } = countingTool()
    const host = await agentBoard(
      { model: () => model, tools: { note }, budget: { tokens: 300 } },
      { tools: ['note'] },
    )
    const { hold, budget } = await host.work({ title: 'x' })
    expect(hold?.reason).toBe('budget')
    expect(budget).toEqual({ tokens: 300, costUsd: null })
    expect(calls).toHaveLength(3)
    expect((await host.work({ title: 'y', budget: { tokens: 110 } })).budget?.tokens).toBe(110)
    expect(calls).toHaveLength(4)
  })

  it('holds when a provider reports no usage: it is estimated', async () => {
    const { model } = scriptedModel([])
    model.doGenerate = () =>
      Promise.resolve({
        content: [{ type: 'text', text: 'done' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: undefined, text: undefined, reasoning: undefined },
        },
        warnings: [],
      })
    const { work, board } = await agentBoard({ model: () => model })
    const { id, hold } = await work({ title: 'x', budget: { tokens: 50 } })
    expect(hold?.reason).toBe('budget')
    expect((await board.logs(id)).length).toBeLessThan(2)
  })
})

describe('an answer that spends the budget', () => {
  it('is kept in the thread, once, for people and the next attempt', async () => {
    const { model, prompts } = scriptedModel(['The sum is 70.', 'done'])
    const { work, board } = await agentBoard({ model: () => model })
    const { id, hold, result } = await work({ title: 'x', budget: { tokens: 1 } })
    expect([hold?.reason, result]).toEqual(['budget', null])
    const thread = async () =>
      (await board.comments(id)).comments.map(({ author, body }) => [author.kind, body])
    await expect
      .poll(thread)
      .toEqual([
        ['agent', 'This answer has spent the budget, so the task has no result yet:\n\nThe sum is 70.'],
      ])
    await board.update(id, { budget: null })
    await board.release(id)
    await expect.poll(async () => (await board.get(id)).column).toBe('DONE')
    expect(prompts()[1]).toContain('The sum is 70.')
  })
})

describe('the number of calls', () => {
  it('is limited: the task goes on hold', async () => {
    const { note } = countingTool()
    const { model, calls } = scriptedModel(() => noting('again'))
    const host = await agentBoard({ model: () => model, tools: { note }, maxSteps: 3 }, { tools: ['note'] })
    expect((await host.work({ title: 'x' })).hold).toMatchObject({
      reason: 'failed',
      message: 'no result after 3 calls of the model',
    })
    expect(calls).toHaveLength(3)
  })
})

describe('a person who takes the task away', () => {
  it('aborts the call of the model and that of a tool', async () => {
    const aborted: string[] = []
    const untilAborted = (what: string, signal: AbortSignal | undefined) =>
      new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => {
          aborted.push(what)
          reject(new Error('aborted'))
        })
      })
    const started = deferred()
    const wait = tool({
      inputSchema: z.object({}),
      execute: (_, { abortSignal }): Promise<string> => {
        started.resolve()
        return untilAborted('tool', abortSignal)
      },
    })
    const { model, calls } = scriptedModel([[['wait', {}]]])
    const { board } = await agentBoard({ model: () => model, tools: { wait } }, { tools: ['wait'] })
    const { id } = await board.add({ title: 'x' })
    await started.promise
    await board.cancel(id)
    await expect.poll(() => aborted).toEqual(['tool'])

    const asked = deferred()
    model.doGenerate = ({ abortSignal }) => {
      asked.resolve()
      return untilAborted('model', abortSignal)
    }
    const { id: second } = await board.add({ title: 'y' })
    await asked.promise
    await board.cancel(second)
    await expect.poll(() => aborted).toEqual(['tool', 'model'])
    expect(calls).toHaveLength(1)
  })
})

describe('a failure', () => {
  const failed = (statusCode: number | undefined, message = 'no such model: x', data?: object) =>
    new APICallError({
      message,
      data,
      url: 'https://model.example',
      requestBodyValues: { prompt: 'secret words' },
      responseHeaders: { 'retry-after-ms': '1' },
      isRetryable: statusCode === undefined || statusCode === 429 || statusCode >= 500,
      ...(statusCode === undefined ? {} : { statusCode }),
    })

  it.each([
    [400, 'the provider of the model returned 400'],
    [401, 'the provider of the model returned 401'],
    [404, 'the provider of the model returned 404: no such model: x'],
  ])('of the request (%d) holds the task at once', async (status, message) => {
    const { model, calls } = scriptedModel([failed(status)])
    const { work, logged } = await agentBoard({ model: () => model })
    expect((await work({ title: 'secret words' })).hold).toMatchObject({ reason: 'failed', message })
    expect(calls).toHaveLength(1)
    expect(inspect(logged, { depth: 10 })).not.toContain('secret')
  })

  it.each([
    [
      { error: { code: 'context_length_exceeded', type: 'invalid_request_error', message: 'secret words' } },
      'the provider of the model returned 400 (context_length_exceeded)',
    ],
    [
      { error: { code: 'unsupported_parameter', param: 'temperature' } },
      'the provider of the model returned 400 (unsupported_parameter: temperature)',
    ],
    [
      { type: 'error', error: { type: 'invalid_request_error', param: 'secret words' } },
      'the provider of the model returned 400 (invalid_request_error)',
    ],
    [{ error: { code: 'secret words' } }, 'the provider of the model returned 400'],
    [{ error: null }, 'the provider of the model returned 400'],
  ])('of the request says the reason by its name: %j', async (data, message) => {
    const { model } = scriptedModel([failed(400, 'secret words', data)])
    const { work } = await agentBoard({ model: () => model })
    expect((await work({ title: 'x' })).hold?.message).toBe(message)
  })

  it('of an answer that is no JSON says so', async () => {
    const { model } = scriptedModel([new JSONParseError({ text: 'secret words', cause: new Error('x') })])
    const { work } = await agentBoard({ model: () => model })
    expect((await work({ title: 'x', maxAttempts: 1 })).hold?.message).toBe(
      'the provider of the model returned something that cannot be read: AI_JSONParseError',
    )
  })

  it('that may pass is repeated within the attempt', async () => {
    const { model } = scriptedModel([failed(429), 'done'])
    const { work } = await agentBoard({ model: () => model, maxRetries: 1, settings: { temperature: 0 } })
    expect(await work({ title: 'x' })).toMatchObject({ column: 'DONE', attempts: 1 })
  })

  it('to answer in time is one of the attempt', async () => {
    const { model } = scriptedModel([])
    model.doGenerate = ({ abortSignal }) =>
      new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => reject(abortSignal.reason as Error))
      })
    const { work } = await agentBoard({ model: () => model, callTimeoutMs: 100 })
    expect((await work({ title: 'x', maxAttempts: 1 })).hold?.message).toBe(
      'the model did not respond within 100 ms',
    )
  })

  it('of a tool is for the model, unless the tool says that it is final', async () => {
    const broken = tool({
      inputSchema: z.object({ final: z.boolean() }),
      execute: ({ final }): string => {
        throw final ? new TaskFailure('the archive is gone') : new Error('try another page')
      },
    })
    const { model, prompts } = scriptedModel([[['broken', { final: false }]], [['broken', { final: true }]]])
    const { work } = await agentBoard({ model: () => model, tools: { broken } }, { tools: ['broken'] })
    expect((await work({ title: 'x' })).hold).toMatchObject({
      reason: 'failed',
      message: 'the archive is gone',
    })
    expect(prompts()[1]).toContain('try another page')
  })

  it('of an empty answer is retried, and one that was cut off is final', async () => {
    const { model } = scriptedModel(['', 'half of'])
    const generate = model.doGenerate.bind(model)
    model.doGenerate = async (options) => {
      const answer = await generate(options)
      const isCut = answer.content.some((part) => part.type === 'text' && part.text === 'half of')
      return isCut ? { ...answer, finishReason: { unified: 'length', raw: undefined } } : answer
    }
    const { work } = await agentBoard({ model: () => model })
    expect(await work({ title: 'x' })).toMatchObject({
      attempts: 2,
      hold: { reason: 'failed', message: "the model's response was cut off at the most that it may write" },
    })
  })

  it.each([
    ['half of', 'a filter of the provider stopped the answer, which began: half of'],
    ['', 'a filter of the provider stopped the answer'],
  ])('of an answer that a filter stopped (%j) is final, and shows how it began', async (text, message) => {
    const { model } = scriptedModel([text])
    const generate = model.doGenerate.bind(model)
    model.doGenerate = async (options) => ({
      ...(await generate(options)),
      finishReason: { unified: 'content-filter', raw: undefined },
    })
    const { work } = await agentBoard({ model: () => model })
    expect(await work({ title: 'x' })).toMatchObject({ attempts: 1, hold: { reason: 'failed', message } })
  })
})

describe('a long result of a tool', () => {
  it('is cut off for the model, which learns how much is missing', async () => {
    const dump = tool({ inputSchema: z.object({}), execute: () => ({ rows: 'x'.repeat(30_000) }) })
    const stream = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield 'part'
        yield 'whole'
      },
    })
    const { model, prompts } = scriptedModel([
      [
        ['dump', {}],
        ['stream', {}],
      ],
      'done',
    ])
    const options = { model: () => model, tools: { dump, stream }, resultCharacters: 1_000 }
    const { work } = await agentBoard(options, { tools: ['dump', 'stream'] })
    await work({ title: 'x' })
    expect(prompts()[1]).toContain('[… 29011 characters left out]')
    expect(prompts()[1]).toContain('whole')
    expect(prompts()[1]?.length).toBeLessThan(6_000)
  })
})
