import { describe, expect, it } from 'vitest'
import { agentsFixture } from '../../test/agents-fixture.js'

const used = { model: 'small', inputTokens: 80, outputTokens: 10 }

describe('usage of a run', () => {
  it('is recorded for the task, with the cost by the prices', async () => {
    const fixture = await agentsFixture({
      agents: [{ type: 'bot', run: (_, { usage }) => void usage(used) }],
    })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 1 })
    await runner.stop()
    expect((await fixture.get(task)).column).toBe('DONE')
    const query = { within: task.workspaceId, taskId: task.id, parts: ['usage'] } as const
    expect((await fixture.storage.tasks.getTask(query, { now: fixture.clock.now() })).usage).toEqual({
      inputTokens: 80,
      outputTokens: 10,
      cachedInputTokens: 0,
      costMicros: 100,
    })
  })

  it('that spends the budget aborts the run, and its result is not written', async () => {
    const aborted: unknown[] = []
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          async run(_, { usage, signal }) {
            await usage(used)
            aborted.push(signal.aborted)
            await usage(used)
            aborted.push(signal.aborted)
            return 'the result'
          },
        },
      ],
    })
    const task = await fixture.add({ budget: { tokens: 180, costUsd: null }, maxAttempts: 1 })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 1 })
    await runner.stop()
    expect(aborted).toEqual([false, true])
    expect(await fixture.get(task)).toMatchObject({
      column: 'TODO',
      result: null,
      hold: { reason: 'budget' },
    })
    expect(fixture.messages).toEqual([])
  })

  it('is refused for invalid values, which neither ends the run nor counts', async () => {
    const fixture = await agentsFixture({
      agents: [
        { type: 'bot', run: (_, { usage }) => usage({ ...used, inputTokens: -1 }).catch(() => 'refused') },
      ],
    })
    const task = await fixture.add()
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 1 })
    await runner.stop()
    expect(await fixture.get(task)).toMatchObject({ column: 'DONE', result: 'refused' })
  })
})
