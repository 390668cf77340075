import { describe, expect, it } from 'vitest'
import { agentsFixture } from '../../test/agents-fixture.js'

describe('a slot', () => {
  it.each([
    [
      'a failure',
      (): never => {
        throw new Error('no luck')
      },
    ],
    ['a result', () => 'done'],
  ])('that becomes free by %s is used at once, while other runs continue', async (_, end) => {
    const began: string[] = []
    const fixture = await agentsFixture({
      agents: [
        {
          type: 'bot',
          concurrency: 2,
          async run({ title }, { sleep }) {
            began.push(`${title} ${fixture.clock.now() - start}`)
            await sleep(title === 'long' ? 3_600_000 : 1_000)
            return title === 'long' ? undefined : end()
          },
        },
      ],
    })
    const start = fixture.clock.now()
    for (const title of ['long', 'quick', 'next']) await fixture.add({ title, maxAttempts: 1 })
    const runner = fixture.newRunner()
    runner.start()
    await fixture.clock.advance({ seconds: 10 })
    expect(began).toEqual(['long 0', 'quick 0', 'next 1000'])
    await runner.stop({ drainTimeoutMs: 0 })
  })
})
