import { once } from 'node:events'
import { expect, it } from 'vitest'
import { virtualClock } from './virtual-clock.js'

it('the first silent work of a process is a warning that says what to do', async () => {
  const warned: Error[] = []
  process.on('warning', (warning) => warned.push(warning))
  const clock = virtualClock(0, { patienceMs: 5 })
  const never = new Promise<void>(() => undefined)
  const first = once(process, 'warning')
  for (const label of ['task_1', 'task_2']) void clock.track(label, () => never)
  await clock.advance(1_000)
  await first
  expect(warned.map(({ name, message }) => [name, message.slice(0, 40)])).toEqual([
    ['TaskboardClockWarning', 'task_1 did nothing for 5 ms of real time'],
  ])
})
