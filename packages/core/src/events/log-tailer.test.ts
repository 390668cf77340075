import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createEnvironment, silentLogger } from '../environment/index.js'
import type { LoggedEvent } from './catalog.js'
import { createEventLogTailer } from './log-tailer.js'

function setup(pollIntervalMs: number | null = null) {
  const clock = virtualClock()
  const log: LoggedEvent[] = []
  const errors: string[] = []
  let isDown = false
  let isHeard = true
  const asked = { pages: 0, skips: 0 }
  let duringSkip = (): void => undefined
  const store = {
    readFeed({ position, limit }: { position: string; limit: number }) {
      asked.pages += 1
      if (isDown) return Promise.reject(new Error('storage down'))
      const from = Number(position)
      const events = log.slice(from, from + limit)
      return Promise.resolve({ events, position: String(from + events.length) })
    },
    async feedEnd({ after }: { after: string | null }) {
      const end = log.length
      if (after === null) return String(end)
      asked.skips += 1
      await Promise.resolve()
      duringSkip()
      return String(end)
    },
  }
  const logger = { ...silentLogger, error: (_: object, message: string) => errors.push(message) }
  const environment = createEnvironment({ clock, logger })
  const tailer = createEventLogTailer({ environment, store, pollIntervalMs, pageSize: 3 })
  const heard: number[] = []
  tailer.subscribe(
    (event) => heard.push(event.seq),
    () => isHeard,
  )
  const append = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const seq = log.length + 1
      const data = { taskId: 't', progress: 1 }
      log.push({
        id: `log_${seq}`,
        workspaceId: 'ws_1',
        seq,
        at: 0,
        payloadVersion: 1,
        type: 'task.progress',
        data,
      })
    }
  }
  return {
    clock,
    tailer,
    heard,
    append,
    errors,
    asked,
    setDown: (down: boolean) => (isDown = down),
    setHeard: (is: boolean) => (isHeard = is),
    onSkip: (during: () => void) => (duringSkip = during),
  }
}

describe('the event-log tailer', () => {
  it('passes on events committed after its start, in order, over several pages', async () => {
    const { clock, tailer, heard, append } = setup()
    append(2)
    await tailer.start()
    append(10)
    tailer.wake()
    await clock.settle()
    expect(heard).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    await tailer.stop()
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('reads nothing while nobody listens, and from then on misses nothing', async () => {
    const { clock, tailer, heard, append, asked, setHeard } = setup()
    setHeard(false)
    await tailer.start()
    append(10)
    tailer.wake()
    await clock.settle()
    expect(asked).toEqual({ pages: 0, skips: 2 })
    setHeard(true)
    append(4)
    tailer.wake()
    await clock.settle()
    expect(heard).toEqual([11, 12, 13, 14])
    setHeard(false)
    append(3)
    await tailer.stop()
    expect(heard).toHaveLength(4)
  })

  it('loses nothing for a listener that begins while unheard events are skipped', async () => {
    const { clock, tailer, heard, append, setHeard, onSkip } = setup()
    setHeard(false)
    await tailer.start()
    await clock.settle()
    append(2)
    onSkip(() => setHeard(true))
    tailer.wake()
    await clock.settle()
    expect(heard).toEqual([1, 2])
    await tailer.stop()
  })

  it('reads for all when one of them is heard', async () => {
    const { clock, tailer, heard, append, setHeard } = setup()
    setHeard(false)
    const always: number[] = []
    tailer.subscribe(({ seq }) => always.push(seq))
    await tailer.start()
    append(2)
    tailer.wake()
    await clock.settle()
    expect([always, heard]).toEqual([
      [1, 2],
      [1, 2],
    ])
    await tailer.stop()
  })

  it('does nothing before its start, and passes on all committed events at its stop', async () => {
    const { clock, tailer, heard, append } = setup(1_000)
    append(1)
    tailer.wake()
    await clock.advance({ minutes: 1 })
    expect(heard).toEqual([])
    await tailer.start()
    await clock.settle()
    append(7)
    await tailer.stop()
    expect(heard).toEqual([2, 3, 4, 5, 6, 7, 8])
    expect(clock.pending().timers).toEqual([])
    append(1)
    await clock.advance({ minutes: 1 })
    expect(heard).toHaveLength(7)
  })

  it('polls where commit notifications are only hints', async () => {
    const { clock, tailer, heard, append } = setup(1_000)
    await tailer.start()
    await clock.settle()
    append(1)
    await clock.advance(999)
    expect(heard).toEqual([])
    await clock.advance(1)
    expect(heard).toEqual([1])
    await tailer.stop()
  })

  it('loses nothing while the storage is down', async () => {
    const { clock, tailer, heard, append, setDown, errors } = setup()
    await tailer.start()
    setDown(true)
    append(5)
    tailer.wake()
    await clock.advance({ seconds: 10 })
    expect(heard).toEqual([])
    setDown(false)
    await clock.advance({ seconds: 1 })
    expect(heard).toEqual([1, 2, 3, 4, 5])
    setDown(true)
    await tailer.stop()
    expect(errors).toContain('the end of the log could not be read')
  })

  it('allows a listener to fail, leave, or raise an event for each event', async () => {
    const { clock, tailer, heard, append, errors } = setup()
    tailer.subscribe(() => {
      throw new Error('a fault of the host')
    })
    const late: number[] = []
    const unsubscribe = tailer.subscribe((event) => late.push(event.seq))
    await tailer.start()
    append(1)
    tailer.wake()
    await clock.settle()
    unsubscribe()
    tailer.subscribe(() => append(1))
    append(1)
    await tailer.stop()
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, index) => index + 1))
    expect(heard.length).toBeGreaterThan(2)
    expect(late).toEqual([1])
    expect(errors).toContain('a listener of the log failed')
  })

  it('starts once at a time, and again after its stop', async () => {
    const { clock, tailer, heard, append } = setup()
    await tailer.start()
    await expect(tailer.start()).rejects.toThrow('already')
    await tailer.stop()
    append(1)
    await tailer.start()
    append(1)
    tailer.wake()
    await clock.settle()
    expect(heard).toEqual([2])
    await tailer.stop()
  })
})
