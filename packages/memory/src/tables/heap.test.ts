import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { heapAdd, heapRemove, heapUpdate, IN_NO_HEAP, type HeapOrder } from './heap.js'

interface Entry {
  readonly id: number
  rank: number
  place: number
}

const order: HeapOrder<Entry> = {
  comesBefore: (a, b) => (a.rank === b.rank ? a.id < b.id : a.rank < b.rank),
  placeOf: (entry) => entry.place,
  setPlace(entry, place) {
    entry.place = place
  },
}

describe('a heap', () => {
  it('always has the first entry of a full sort in front, after any additions, changes and removals', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('add', 'update', 'remove'), fc.nat(30), fc.nat(50)), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(steps, (chosen) => {
        const heap: Entry[] = []
        const present: Entry[] = []
        for (const [index, [step, rank, at]] of chosen.entries()) {
          const entry = present[at % Math.max(1, present.length)]
          if (step === 'add' || entry === undefined) {
            const added = { id: index, rank, place: IN_NO_HEAP }
            present.push(added)
            heapAdd(heap, added, order)
          } else if (step === 'update') {
            entry.rank = rank
            heapUpdate(heap, entry, order)
          } else {
            heapRemove(heap, entry, order)
            present.splice(present.indexOf(entry), 1)
            expect(entry.place).toBe(IN_NO_HEAP)
          }
          const sorted = present.toSorted((a, b) => (order.comesBefore(a, b) ? -1 : 1))
          expect(heap[0]).toBe(sorted[0])
          expect(heap.every((each, place) => each.place === place)).toBe(true)
          expect(heap).toHaveLength(present.length)
        }
      }),
    )
  })

  it('ignores an entry that it does not have', () => {
    const heap: Entry[] = []
    heapAdd(heap, { id: 1, rank: 1, place: IN_NO_HEAP }, order)
    heapRemove(heap, { id: 2, rank: 0, place: IN_NO_HEAP }, order)
    expect(heap.map(({ id }) => id)).toEqual([1])
  })
})
