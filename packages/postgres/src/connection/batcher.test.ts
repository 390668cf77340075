import { TaskboardError } from '@taskboard/core'
import { describe, expect, it } from 'vitest'
import { createBatcher } from './batcher.js'

/** Doubles numbers, three at a time; tens are groups. A batch with `unlucky` fails. */
function setUp(unlucky: number, error: Error) {
  const batches: (readonly number[])[] = []
  const double = createBatcher<number, number>(
    async (inputs) => {
      batches.push(inputs)
      if (inputs.includes(unlucky)) throw error
      return inputs.map((input) => 2 * input)
    },
    { most: 3, groupOf: (input) => Math.floor(input / 10) },
  )
  const doubled = async (inputs: readonly number[]) =>
    (await Promise.allSettled(inputs.map(double))).map((end) =>
      end.status === 'fulfilled' ? end.value : null,
    )
  return { batches, doubled }
}

describe('a batch', () => {
  it('has the calls of one group that wait, in their order, and each gets its own result', async () => {
    const { batches, doubled } = setUp(-1, new Error('none'))
    expect(await doubled([1, 11, 2, 3, 4, 12])).toEqual([2, 22, 4, 6, 8, 24])
    expect(batches).toEqual([[1, 2, 3], [11, 12], [4]])
  })

  it('that fails because of one call is repeated call by call: the others succeed', async () => {
    const { batches, doubled } = setUp(2, new Error('a wrong input'))
    expect(await doubled([1, 2, 3, 4])).toEqual([2, null, 6, 8])
    expect(batches).toEqual([[1, 2, 3], [1], [2], [3], [4]])
  })

  it('that finds the storage down is not repeated', async () => {
    const { batches, doubled } = setUp(2, new TaskboardError('SERVICE_UNAVAILABLE', 'down'))
    expect(await doubled([1, 2, 3, 4])).toEqual([null, null, null, 8])
    expect(batches).toEqual([[1, 2, 3], [4]])
  })
})
