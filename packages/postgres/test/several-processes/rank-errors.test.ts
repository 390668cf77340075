import { describe, expect, it } from 'vitest'
import { rankErrors, type Claim } from './rank-errors.js'

const DAY_MS = 86_400_000
const NOW = 1_000 * DAY_MS

function claim(id: string, priority: 'urgent' | 'low', createdDaysAgo: number): Claim {
  const createdAt = NOW - createdDaysAgo * DAY_MS
  return { task: { id, priority, createdAt, dueDate: null, openDependencies: 0 }, at: NOW }
}

const best = claim('c', 'urgent', 1)
const second = claim('a', 'low', 2)
const third = claim('b', 'low', 2)
const last = claim('d', 'low', 1)

describe('the rank error of a claim', () => {
  it('is 0 for each claim of the best task', () => {
    expect(rankErrors([best, second, third, last])).toEqual([0, 0, 0, 0])
  })

  it('is the number of better tasks that were left', () => {
    expect(rankErrors([last, third, second, best])).toEqual([3, 2, 1, 0])
    expect(rankErrors([second, best, last, third])).toEqual([1, 0, 1, 0])
  })
})
