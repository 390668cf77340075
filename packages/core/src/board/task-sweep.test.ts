import { virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import { createTaskSweep } from './task-sweep.js'

it('a sweep of tasks goes on at once while there are more, and then waits until it is woken', async () => {
  const clock = virtualClock()
  const left = [true, true, false, false]
  const asked: unknown[] = []
  const sweep = createTaskSweep({
    name: 'sweep',
    left: 'dependents',
    environment: createEnvironment({ clock }),
    tasks: {
      async settleTasks(request) {
        asked.push(request)
        return { settled: 1, hasMore: left.shift() ?? false }
      },
    },
    pollIntervalMs: null,
  })
  sweep.start()
  await clock.advance({ minutes: 1 })
  expect(asked).toEqual(Array.from({ length: 3 }, () => ({ left: 'dependents', limit: 1_000 })))
  sweep.wake()
  await clock.settle()
  expect(asked).toHaveLength(4)
  await sweep.stop()
})
