import { virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import type { DeletionProgress } from './access-store.js'
import { createDeletionSweep } from './deletion-sweep.js'

it('the sweep of deletions looks again while rows wait for the transactions of others', async () => {
  const clock = virtualClock()
  const start = clock.now()
  const steps: DeletionProgress[] = [
    { deleted: 500, isOver: false },
    { deleted: 0, isOver: false },
    { deleted: 0, isOver: false },
    { deleted: 3, isOver: false },
    { deleted: 0, isOver: true },
  ]
  const askedAt: number[] = []
  const store = {
    async continueDeletion() {
      askedAt.push(clock.now() - start)
      return steps.shift() ?? { deleted: 0, isOver: true }
    },
  }
  const sweep = createDeletionSweep(createEnvironment({ clock }), store, 'complete', false)
  sweep.start()
  await clock.advance({ minutes: 1 })
  expect(askedAt).toEqual([0, 0, 250, 500, 500])
  await sweep.stop()
})
