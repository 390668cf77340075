import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLazyHeap, type LazyHeap } from './lazy-heap.js'

interface Entry {
  readonly id: number
  key: number
  ticket: number
}

const isBefore = (a: Entry, b: Entry): boolean => a.id < b.id

function remove(heap: LazyHeap<Entry>, entry: Entry): void {
  entry.ticket += 1
  heap.markStale()
}

/** Adds, changes and takes out, each time checking that what comes first is what a full sort has first. */
function follow(steps: readonly (readonly [string, number, number])[]): void {
  const heap = createLazyHeap(isBefore)
  const present: Entry[] = []
  for (const [index, [step, key, at]] of steps.entries()) {
    const entry = present[at % Math.max(1, present.length)]
    if (step === 'add' || entry === undefined) {
      const added = { id: index, key, ticket: 0 }
      present.push(added)
      heap.add(added, key)
    } else {
      remove(heap, entry)
      if (step === 'remove') present.splice(present.indexOf(entry), 1)
      else {
        entry.key = key
        heap.add(entry, key)
      }
    }
    const [first] = present.toSorted((a, b) => a.key - b.key || a.id - b.id)
    expect(heap.size).toBe(present.length)
    if (at % 3 > 0) continue
    expect(heap.first()).toBe(first)
    expect(heap.firstKey()).toBe(first?.key ?? Infinity)
  }
  for (const entry of present) {
    const before = present.filter(({ id, key }) => key < entry.key || (key === entry.key && id < entry.id))
    expect(heap.countBefore(entry, entry.key, 1_000)).toBe(before.length)
    expect(heap.countBefore(entry, entry.key, 5)).toBe(Math.min(5, before.length))
    const others = present.filter(({ id, key }) => id !== entry.id && key <= entry.key)
    expect(heap.countBefore(entry, entry.key + 0.5, 1_000)).toBe(others.length)
  }
  const byId = (a: Entry, b: Entry): number => a.id - b.id
  expect(heap.entries().toSorted(byId)).toEqual(present.toSorted(byId))
}

describe('a lazy heap', () => {
  it('always has in front what a full sort has, whatever is added, changed and taken out', () => {
    const step = fc.tuple(fc.constantFrom('add', 'add', 'update', 'remove'), fc.nat(30), fc.nat(500))
    fc.assert(fc.property(fc.array(step, { maxLength: 300 }), follow))
  })

  it('keeps the order when most of many entries have left', () => {
    const heap = createLazyHeap(isBefore)
    const entries = Array.from({ length: 1_000 }, (_, id) => ({ id, key: (id * 37) % 101, ticket: 0 }))
    for (const entry of entries) heap.add(entry, entry.key)
    for (const entry of entries) if (entry.id % 10 > 0) remove(heap, entry)
    const kept = entries.filter(({ id }) => id % 10 === 0)
    expect(heap.size).toBe(kept.length)
    const order: number[] = []
    for (let first = heap.first(); first !== undefined; first = heap.first()) {
      order.push(first.id)
      remove(heap, first)
    }
    expect(order).toEqual(kept.toSorted((a, b) => a.key - b.key || a.id - b.id).map(({ id }) => id))
    expect(heap.firstKey()).toBe(Infinity)
  })
})
