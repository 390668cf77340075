import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDecisions, UNDO_MS } from '../app/state/decisions.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const digest = 'd1'
const approved = { verdict: 'approved', comment: '', digest } as const
const ignored = { onSent: () => undefined, onFailed: () => undefined }

function setUp(answer: (id: string) => Promise<unknown> = () => Promise.resolve()) {
  const sent: string[] = []
  const decisions = createDecisions((id, { verdict }) => {
    sent.push(`${id} ${verdict}`)
    return answer(id)
  })
  return { decisions, sent }
}

describe('decisions', () => {
  it('are sent after the time to take them back, in the order of the clicks', async () => {
    const { decisions, sent } = setUp()
    decisions.decide('b', approved, ignored)
    decisions.decide('a', { verdict: 'rejected', comment: 'no', digest }, ignored)
    await vi.advanceTimersByTimeAsync(UNDO_MS - 1)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual(['b approved', 'a rejected'])
    expect(decisions.all.value.get('a')).toMatchObject({ state: 'sent', comment: 'no' })
  })

  it('are taken back only before they are sent', async () => {
    const { decisions, sent } = setUp()
    decisions.decide('a', approved, ignored)
    expect(decisions.undo('a')).toBe(true)
    expect(decisions.all.value.has('a')).toBe(false)
    decisions.decide('b', approved, ignored)
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(decisions.undo('b')).toBe(false)
    expect(sent).toEqual(['b approved'])
  })

  it('are all sent when the page is left, in their order and without waiting for answers', async () => {
    const { decisions, sent } = setUp(() => new Promise(() => undefined))
    for (const id of ['c', 'a', 'b']) decisions.decide(id, approved, ignored)
    void decisions.sendAll()
    expect(sent).toEqual(['c approved', 'a approved', 'b approved'])
    await vi.advanceTimersByTimeAsync(10 * UNDO_MS)
    expect(sent).toHaveLength(3)
  })

  it('can be made again when the server has refused one', async () => {
    const { decisions, sent } = setUp(() => Promise.reject(new Error('decided before')))
    const onFailed = vi.fn<(error: unknown) => void>()
    decisions.decide('a', approved, { ...ignored, onFailed })
    await vi.advanceTimersByTimeAsync(UNDO_MS)
    expect(onFailed).toHaveBeenCalledOnce()
    decisions.decide('a', approved, ignored)
    await decisions.sendAll()
    expect(sent).toHaveLength(2)
  })

  it('are no longer than a browser sends for a page that is left', () => {
    const { decisions, sent } = setUp()
    const comment = '€'.repeat(10_000)
    for (const id of ['a', 'b', 'c']) decisions.decide(id, { verdict: 'approved', comment, digest }, ignored)
    expect(sent).toEqual(['a approved', 'b approved'])
  })

  it('are sent once each, and never once taken back, whatever is pressed and when', async () => {
    const action = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      kind: fc.constantFrom('decide', 'undo', 'leave'),
      thenMs: fc.integer({ min: 0, max: 7_000 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
        const { decisions, sent } = setUp()
        const undone = new Set<string>()
        for (const { id, kind, thenMs } of actions) {
          if (kind === 'decide') {
            if (!decisions.all.value.has(id)) undone.delete(id)
            decisions.decide(id, approved, ignored)
          } else if (kind === 'undo') {
            if (decisions.undo(id)) undone.add(id)
          } else await decisions.sendAll()
          await vi.advanceTimersByTimeAsync(thenMs)
        }
        await vi.advanceTimersByTimeAsync(UNDO_MS)
        expect(new Set(sent).size).toBe(sent.length)
        for (const id of undone) expect(sent).not.toContain(`${id} approved`)
      }),
    )
  })
})
