import { describe, expect, it } from 'vitest'
import { agentsWorld } from '../../test/agents-world.js'

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
    const world = await agentsWorld({
      agents: [
        {
          type: 'bot',
          concurrency: 2,
          async run({ title }, { sleep }) {
            began.push(`${title} ${world.clock.now() - start}`)
            await sleep(title === 'long' ? 3_600_000 : 1_000)
            return title === 'long' ? undefined : end()
          },
        },
      ],
    })
    const start = world.clock.now()
    for (const title of ['long', 'quick', 'next']) await world.add({ title, maxAttempts: 1 })
    const runner = world.newRunner()
    runner.start()
    await world.clock.advance({ seconds: 10 })
    expect(began).toEqual(['long 0', 'quick 0', 'next 1000'])
    await runner.stop({ drainTimeoutMs: 0 })
  })
})
