import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { expect, it } from 'vitest'
import { agentBoard } from '../test/agent-board.js'

it('a stream that floods chunks leaves turns of the event loop to others', async () => {
  const count = 20_000
  const model = new MockLanguageModelV3({
    doStream: () =>
      Promise.resolve({
        stream: simulateReadableStream({
          initialDelayInMs: null,
          chunkDelayInMs: null,
          chunks: [
            { type: 'stream-start' as const, warnings: [] },
            { type: 'text-start' as const, id: '1' },
            ...Array.from({ length: count }, () => ({ type: 'text-delta' as const, id: '1', delta: 'x' })),
            { type: 'text-end' as const, id: '1' },
            {
              type: 'finish' as const,
              finishReason: { unified: 'stop' as const, raw: undefined },
              usage: {
                inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
                outputTokens: { total: 1, text: 1, reasoning: 0 },
              },
            },
          ],
        }),
      }),
  })
  const { work } = await agentBoard({ model: () => model, streaming: true })
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const { result } = await work({ title: 'x' })
  isOver = true
  expect(result).toBe('x'.repeat(count))
  expect(turns).toBeGreaterThan(count / 200)
})
