import { expect, it } from 'vitest'
import { trendsOf, type Sample } from './samples.js'

const MIB = 2 ** 20

/** A sample each minute for half an hour. */
function samplesOf(at: (minute: number) => Partial<Sample>): readonly Sample[] {
  return Array.from({ length: 31 }, (_, minute) => ({
    atMs: minute * 60_000,
    heapBytes: 40 * MIB,
    rssBytes: 150 * MIB,
    connections: 10,
    ...at(minute),
  }))
}

const risingOf = (samples: readonly Sample[]) =>
  trendsOf(samples).flatMap(({ quantity, isFlat }) => (isFlat ? [] : [quantity]))

it('reports a quantity that fills at first and then swings as flat', () => {
  const swing = (minute: number) => ({
    heapBytes: (Math.min(minute, 8) + 40 + 3 * (minute % 2)) * MIB,
    connections: Math.min(minute, 10),
  })
  expect(risingOf(samplesOf(swing))).toEqual([])
})

it('reports a slow leak', () => {
  expect(risingOf(samplesOf((minute) => ({ heapBytes: (40 + minute / 4) * MIB })))).toEqual(['heapBytes'])
  expect(risingOf(samplesOf((minute) => ({ connections: 5 + minute / 5 })))).toEqual(['connections'])
})
