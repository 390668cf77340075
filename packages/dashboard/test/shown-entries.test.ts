import fc from 'fast-check'
import { expect, it } from 'vitest'
import { followWaiting, keyOf, type ShownEntry, type Waiting } from '../app/inbox/shown-entries.js'
import type { Task } from '../app/state/wire.js'

const at = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString()

const waits = (id: string, day: number): Waiting => ({
  kind: 'task',
  reason: 'approval',
  task: { id, hold: { reason: 'approval', message: null, since: at(day) } } as Task,
})

const shown = (entries: readonly ShownEntry[]): readonly string[] =>
  entries.map(({ key, handledAt }) => (handledAt === null ? key : `(${key})`))

it('keeps the place of an entry that was handled', () => {
  const first = followWaiting([], [waits('a', 1), waits('b', 2), waits('c', 3)], 0)
  const after = followWaiting(first, [waits('a', 1), waits('c', 3), waits('d', 4)], 5)
  expect(shown(after)).toEqual([`a-${at(1)}`, `(b-${at(2)})`, `c-${at(3)}`, `d-${at(4)}`])
  expect(after[1]?.handledAt).toBe(5)
  expect(followWaiting(after, [], 9)[1]?.handledAt).toBe(5)
})

it('gives another wait of the same task a place of its own', () => {
  const first = followWaiting([], [waits('a', 1), waits('b', 2)], 0)
  const after = followWaiting(first, [waits('b', 2), waits('a', 3)], 1)
  expect(shown(after)).toEqual([`(a-${at(1)})`, `b-${at(2)}`, `a-${at(3)}`])
})

it('never takes an entry out, nor changes the order of two', () => {
  const wait = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 0, max: 5 }))
  const state = fc.uniqueArray(
    wait.map(([id, day]) => waits(id, day)),
    { selector: keyOf },
  )
  fc.assert(
    fc.property(fc.array(state, { maxLength: 8 }), (states) => {
      let entries: readonly ShownEntry[] = []
      for (const [now, waiting] of states.entries()) {
        const before = entries.map(({ key }) => key)
        entries = followWaiting(entries, waiting, now)
        const after = entries.map(({ key }) => key)
        expect(after.filter((key) => before.includes(key))).toEqual(before)
        expect(new Set(after).size).toBe(after.length)
      }
    }),
  )
})
