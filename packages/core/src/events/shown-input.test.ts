import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeEvent, encodePayload } from './payloads.js'
import { inputOf, mostEventInputBytes, shortDigest, shownInput } from './shown-input.js'

const DIGEST = `3f2a91bc0d4e${'0'.repeat(52)}`
const bytesOf = (text: string): number => new TextEncoder().encode(text).length

function requested(given: { title?: string; action?: string; summary?: string; input?: unknown }) {
  const {
    title = 'Order 7',
    action = 'refund',
    summary = 'Refund 19.00 EUR',
    input = { cents: 1_900 },
  } = given
  const ids = { approvalId: 'apr_1', taskId: 'task_1', agentId: 'agent_1', requestedAt: 0, expiresAt: 1 }
  const data = { ...ids, title, action, summary, ...shownInput(input, DIGEST) }
  return { type: 'approval.requested', data, at: 0, payloadVersion: 1 } as const
}

describe('the input of an action in an event', () => {
  it('is whole up to 4 KiB, and else the beginning with the length of all', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3_000 })
    const beyond = fc
      .tuple(fc.integer({ min: 4_080, max: 4_096 }), fc.constantFrom('x', 'é', '€', '🧾'))
      .map(([length, end]) => 'x'.repeat(length) + end.repeat(20))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          text.filter((each) => each.isWellFormed()),
          beyond,
        ),
        (input) => {
          const json = JSON.stringify(input)
          const shown = shownInput(input, DIGEST)
          expect(shown.inputBytes).toBe(bytesOf(json))
          expect(json.startsWith(shown.inputText)).toBe(true)
          expect(bytesOf(shown.inputText)).toBeLessThanOrEqual(mostEventInputBytes)
          const isWhole = shown.inputBytes <= mostEventInputBytes
          expect(inputOf(shown)).toEqual(isWhole ? JSON.parse(json) : null)
          if (!isWhole) expect(bytesOf(shown.inputText)).toBeGreaterThan(mostEventInputBytes - 4)
        },
      ),
    )
  })

  it('is in the payload with its size and both digests', () => {
    const payload = (input: unknown): unknown =>
      (JSON.parse(encodePayload(requested({ input }))) as { data: unknown }).data
    expect(payload({ cents: 1_900 })).toMatchObject({
      input: { cents: 1_900 },
      input_bytes: 14,
      input_digest: DIGEST,
      short_digest: '3f2a-91bc-0d4e',
    })
    expect(payload('x'.repeat(4_095))).toMatchObject({ input: null, input_bytes: 4_097 })
  })
})

describe('the line about an approval', () => {
  it('has action, input, length and digest before the summary', () => {
    expect(describeEvent(requested({}))).toBe(
      'Approval requested for Order 7: refund {"cents":1900} (14 bytes, digest 3f2a-91bc-0d4e): Refund 19.00 EUR',
    )
  })

  it('has the digest whatever the texts are, and nothing that is not seen', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 3_000 }).filter((text) => text.isWellFormed())
    const most = (length: number) => texts.map((text) => Array.from(text).slice(0, length).join(''))
    fc.assert(
      fc.property(most(200), most(100), most(2_000), fc.jsonValue(), (title, action, summary, input) => {
        const line = describeEvent(requested({ title, action, summary, input }))
        expect(line).toContain('digest 3f2a-91bc-0d4e):')
        expect(line).not.toMatch(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u)
      }),
      { numRuns: 200 },
    )
  })

  it('shows characters without width or with another direction as their codes', () => {
    const line = describeEvent(requested({ input: { to: 'DE00\u202E1\u200B' }, action: 'pay\u{E0041}' }))
    expect(line).toContain(String.raw`pay\udb40\udc41 {"to":"DE00\u202e1\u200b"}`)
  })
})

describe('the short digest', () => {
  it('is the first twelve digits in groups', () => {
    expect(shortDigest(DIGEST)).toBe('3f2a-91bc-0d4e')
  })
})
