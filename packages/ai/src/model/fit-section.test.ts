import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clipped, fitSection, type Entry } from './fit-section.js'

const entry = (id: number, body: string): Entry => ({ fields: { id, body }, long: 'body' })

describe('fitSection', () => {
  it('leaves what fits as it is', () => {
    expect(fitSection([entry(1, 'a\nb'), entry(2, '"')], 1_000)).toBe(
      '{"id":1,"body":"a\\nb"}\n{"id":2,"body":"\\""}',
    )
  })

  it('cuts off the longest first, and says how much is missing', () => {
    const lines = fitSection([entry(1, 'x'.repeat(10_000)), entry(2, 'short')], 2_000).split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toBe('{"id":2,"body":"short"}')
    const { body } = JSON.parse(lines[0] ?? '') as { body: string }
    const [, missing] = /\[… (\d+) characters left out\]$/.exec(body) ?? []
    expect(body.indexOf(' [') + Number(missing)).toBe(10_000)
  })

  it('then leaves out the oldest, and says how many', () => {
    const entries = Array.from({ length: 50 }, (_, id) => entry(id, 'y'.repeat(1_000)))
    const lines = fitSection(entries, 4_000).split('\n')
    expect(lines[0]).toBe(`(${51 - lines.length} older ones are left out)`)
    expect(lines.at(-1)).toContain('"id":49')
  })

  it('stays within its bound, and keeps each line JSON', () => {
    const texts = fc.array(fc.string({ maxLength: 900, unit: 'binary' }), { maxLength: 12 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 1_000, max: 4_000 }), (bodies, most) => {
        const text = fitSection(
          bodies.map((body, id) => entry(id, body)),
          most,
        )
        expect(text.length).toBeLessThanOrEqual(most + 40)
        for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('('))) {
          expect(() => JSON.parse(line) as unknown).not.toThrow()
        }
      }),
    )
  })
})

describe('clipped', () => {
  it('does not split a character', () => {
    expect(clipped('ab😀cd', 3).isWellFormed()).toBe(true)
    expect(clipped('ab', 2)).toBe('ab')
  })
})
