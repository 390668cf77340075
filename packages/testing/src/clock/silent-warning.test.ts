import { expect, it, vi } from 'vitest'

it('the first silent work of a process is a warning that says what to do', async () => {
  // As the module of a process that has not warned yet.
  vi.resetModules()
  const { virtualClock } = await import('./virtual-clock.js')
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  try {
    const clock = virtualClock(0, { patienceMs: 5 })
    const never = new Promise<void>(() => undefined)
    for (const label of ['task_1', 'task_2']) void clock.track(label, () => never)
    await clock.advance(1_000)
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^task_1 did nothing for 5 ms .* raise patienceMs/), 'TaskboardClockWarning'],
    ])
  } finally {
    warn.mockRestore()
  }
})
