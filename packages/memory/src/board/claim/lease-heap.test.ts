import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IN_NO_HEAP } from '../../tables/heap.js'
import { createLeaseHeap } from './lease-index.js'
import { createTaskSlots, type TaskSlots } from '../../tables/task-slots.js'

interface Lease {
  readonly row: TaskSlots
  readonly end: number
}

function newRow(index: number): TaskSlots {
  return createTaskSlots({ id: `task_${String(index).padStart(4, '0')}` } as TaskSlots['value'])
}

function inOrder(leases: readonly Lease[]): readonly TaskSlots[] {
  return leases
    .toSorted((a, b) => a.end - b.end || (a.row.value.id < b.row.value.id ? -1 : 1))
    .map(({ row }) => row)
}

describe('the heap of leases', () => {
  it('always has in front what a full sort has, whatever is added, renewed and taken out', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('add', 'renew', 'remove'), fc.nat(30), fc.nat(50)), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(steps, (chosen) => {
        const heap = createLeaseHeap()
        const present: Lease[] = []
        for (const [index, [step, end, at]] of chosen.entries()) {
          const place = at % Math.max(1, present.length)
          const lease = present[place]
          if (lease !== undefined && step !== 'add') {
            heap.remove(lease.row)
            expect(lease.row.leasePlace).toBe(IN_NO_HEAP)
            present.splice(place, 1)
          }
          if (step !== 'remove') {
            const row = step === 'renew' && lease !== undefined ? lease.row : newRow(index)
            heap.add(row, end)
            present.push({ row, end })
          }
          expect(heap.first()).toBe(inOrder(present)[0])
        }
        for (const expected of inOrder(present)) {
          expect(heap.first()).toBe(expected)
          heap.remove(expected)
        }
        expect(heap.first()).toBeUndefined()
      }),
    )
  })

  it('leaves a row alone that has no lease', () => {
    const heap = createLeaseHeap()
    const [one, other] = [newRow(1), newRow(2)]
    heap.add(one, 5)
    heap.remove(other)
    expect(heap.first()).toBe(one)
  })
})
