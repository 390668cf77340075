import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createEnvironment, silentLogger, type Instant } from '../environment/index.js'
import { currentPayloadVersion, type EventDraft, type LoggedEvent } from './catalog.js'
import type { NotificationStore } from './notification-store.js'
import type { NotificationChannel } from './notification-channel.js'
import { createNotifier, type NotifierOptions } from './notifier.js'

interface TargetRow {
  readonly workspaceId: string
  readonly channel: string
  readThroughSeq: number
  dueAt: Instant
  claimToken: string | null
}

/** As much of a store as needed: targets that start at the first event, claims that expire, and faults on demand. */
function miniStore(log: readonly LoggedEvent[], rows: readonly TargetRow[]) {
  let tokens = 0
  const faults = { settles: 0, claims: 0 }
  const unread = (row: TargetRow): LoggedEvent[] =>
    log.filter((event) => event.workspaceId === row.workspaceId && event.seq > row.readThroughSeq)
  const store: Pick<NotificationStore, 'claimNotifications' | 'settleNotifications'> = {
    claimNotifications(request, { now }) {
      if (faults.claims-- > 0) return Promise.reject(new Error('storage down'))
      const present = now ?? 0
      const waiting = rows.filter((row) => request.channels.includes(row.channel) && unread(row).length > 0)
      const due = waiting.filter((row) => row.dueAt <= present).slice(0, request.limit)
      const batches = due.map((row) => {
        const claimToken = String(++tokens)
        Object.assign(row, { claimToken, dueAt: present + request.claimMs })
        const { workspaceId, channel } = row
        return {
          workspaceId,
          channel,
          claimToken,
          settings: { to: workspaceId },
          events: unread(row).slice(0, request.eventsPerTarget),
        }
      })
      const nextDueInMs = Math.min(
        ...waiting.filter((row) => row.dueAt > present).map((row) => row.dueAt - present),
      )
      return Promise.resolve({ batches, nextDueInMs: nextDueInMs === Infinity ? null : nextDueInMs })
    },
    settleNotifications(result, { now }) {
      if (faults.settles-- > 0) return Promise.reject(new Error('storage down'))
      const row = rows.find((each) => each.claimToken === result.claimToken)
      if (row === undefined) return Promise.resolve(false)
      Object.assign(row, {
        claimToken: null,
        readThroughSeq: result.readThroughSeq,
        dueAt: (now ?? 0) + (result.retryInMs ?? 0),
      })
      return Promise.resolve(true)
    },
  }
  return { store, faults }
}

const START = Date.UTC(2026, 0, 1)
const channelNames = ['chat', 'mail']

function setup(
  send: NotificationChannel['send'],
  options: Partial<NotifierOptions> = {},
  workspaces = ['ws_1'],
) {
  const clock = virtualClock(START, { ioPatienceMs: 20 })
  const log: LoggedEvent[] = []
  const rows: TargetRow[] = workspaces.flatMap((workspaceId) =>
    channelNames.map((channel) => ({
      workspaceId,
      channel,
      readThroughSeq: 0,
      dueAt: START,
      claimToken: null,
    })),
  )
  const { store, faults } = miniStore(log, rows)
  const sent: string[] = []
  const record: NotificationChannel['send'] = async (notification, sendOptions) => {
    await send(notification, sendOptions)
    sent.push(`${(clock.now() - START) / 1000}s chat ${notification.workspaceId} ${notification.event.seq}`)
  }
  const mailed: string[] = []
  const channels: NotificationChannel[] = [
    { name: 'chat', send: record },
    {
      name: 'mail',
      send({ settings, text }) {
        mailed.push(`${settings['to']}: ${text}`)
        return Promise.resolve()
      },
    },
  ]
  const errors: string[] = []
  const logger = { ...silentLogger, error: (_: object, message: string) => errors.push(message) }
  const environment = createEnvironment({ clock, logger })
  const notifier = createNotifier({
    environment,
    store,
    channels,
    linkOf: () => null,
    pollIntervalMs: null,
    ...options,
  })
  const append = (draft: EventDraft, workspaceId = 'ws_1'): void => {
    const seq = log.filter((event) => event.workspaceId === workspaceId).length + 1
    const at = clock.now()
    log.push({
      ...draft,
      id: `log_${workspaceId}_${seq}`,
      workspaceId,
      seq,
      at,
      payloadVersion: currentPayloadVersion,
    })
    notifier.wake()
  }
  return { clock, notifier, append, sent, mailed, faults, errors, rows }
}

const alert = (message: string): EventDraft => ({ type: 'agent.alert', data: { message } })
const progress: EventDraft = { type: 'task.progress', data: { taskId: 't', progress: 1 } }
const email: EventDraft = { type: 'email.received', data: { subject: 's' } }
const succeed = (): Promise<void> => Promise.resolve()
const hang = (): Promise<void> => new Promise(() => undefined)

describe('the notifier', () => {
  it('passes over events of a later release', async () => {
    const { clock, notifier, append, mailed, errors } = setup(succeed)
    notifier.start()
    append({ type: 'task.archived', data: {} } as unknown as EventDraft)
    append(alert('after'))
    await clock.advance({ minutes: 1 })
    expect([mailed, errors]).toEqual([['ws_1: Alert: after'], []])
    await notifier.stop()
  })

  it('sends every change of state to every channel, in order, and nothing else', async () => {
    const { clock, notifier, append, sent, mailed } = setup(succeed)
    append(alert('one'))
    await clock.advance({ minutes: 1 })
    expect(sent).toEqual([])
    notifier.start()
    for (const draft of [progress, email, alert('two'), progress]) append(draft)
    await clock.settle()
    expect(sent).toEqual(['60s chat ws_1 1', '60s chat ws_1 4'])
    expect(mailed).toEqual(['ws_1: Alert: one', 'ws_1: Alert: two'])
    await notifier.stop()
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('retries after 1 s, doubling, while later events of that target wait and other channels continue', async () => {
    let failuresLeft = 4
    const tries: number[] = []
    const flaky = setup(({ event }) => {
      tries.push(event.seq)
      return failuresLeft-- > 0 ? Promise.reject(new Error('refused')) : Promise.resolve()
    })
    flaky.notifier.start()
    flaky.append(alert('one'))
    flaky.append(alert('two'))
    await flaky.clock.settle()
    expect(flaky.mailed).toHaveLength(2)
    await flaky.clock.advance({ seconds: 20 })
    expect(tries).toEqual([1, 1, 1, 1, 1, 2])
    expect(flaky.sent).toEqual(['15s chat ws_1 1', '15s chat ws_1 2'])
    await flaky.notifier.stop()
  })

  it('skips an event after ten tries with an error in the log, and continues with the next', async () => {
    const instants: number[] = []
    const poisoned = setup(({ event }) => {
      if (event.seq !== 1) return Promise.resolve()
      instants.push((poisoned.clock.now() - START) / 1000)
      throw new Error('poison')
    })
    poisoned.notifier.start()
    poisoned.append(alert('one'))
    poisoned.append(alert('two'))
    await poisoned.clock.advance({ hours: 1 })
    expect(instants).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511])
    expect(poisoned.sent).toEqual(['511s chat ws_1 2'])
    expect(poisoned.errors).toEqual(['a notification was skipped after too many tries'])
    await poisoned.notifier.stop()
  })

  it('never waits longer than five minutes between two tries', async () => {
    const instants: number[] = []
    const failing = setup(
      () => {
        instants.push((failing.clock.now() - START) / 1000)
        return Promise.reject(new Error('refused'))
      },
      { maxTries: 12 },
    )
    failing.notifier.start()
    failing.append(alert('one'))
    await failing.clock.advance({ hours: 1 })
    expect(instants.slice(-3)).toEqual([511, 811, 1111])
    await failing.notifier.stop()
  })

  it('ends a hanging send after 30 s, without delay for other workspaces and channels', async () => {
    const signals: AbortSignal[] = []
    const hanging = setup(
      ({ workspaceId }, { signal }) => {
        if (workspaceId !== 'ws_slow') return Promise.resolve()
        signals.push(signal)
        return signals.length === 1 ? hang() : Promise.resolve()
      },
      {},
      ['ws_slow', 'ws_1'],
    )
    hanging.notifier.start()
    hanging.append(alert('slow'), 'ws_slow')
    hanging.append(alert('quick'))
    await hanging.clock.advance({ seconds: 29 })
    hanging.append(alert('quick again'))
    await hanging.clock.settle()
    expect(hanging.sent).toEqual(['0s chat ws_1 1', '29s chat ws_1 2'])
    expect(hanging.mailed).toHaveLength(3)
    expect(signals[0]?.aborted).toBe(false)
    await hanging.clock.advance({ seconds: 2 })
    expect(signals[0]?.aborted).toBe(true)
    expect(hanging.sent).toContain('31s chat ws_slow 1')
    await hanging.notifier.stop()
  })

  it('returns a long batch before its claim ends, so that no other process sends the same', async () => {
    const slow = setup(() => slow.clock.sleep(29_000))
    slow.notifier.start()
    for (let i = 0; i < 9; i++) slow.append(alert(String(i)))
    await slow.clock.advance({ minutes: 10 })
    expect(slow.sent.map((line) => line.slice(-1)).join('')).toBe('123456789')
    await slow.notifier.stop()
  })

  it('serves no more workspaces at a time than its limit, and all of them in the end', async () => {
    let underWay = 0
    let most = 0
    const workspaces = Array.from({ length: 7 }, (_, index) => `ws_${index}`)
    const busy = setup(
      async () => {
        most = Math.max(most, ++underWay)
        await busy.clock.sleep(1_000)
        underWay--
      },
      { concurrency: 3 },
      workspaces,
    )
    busy.notifier.start()
    for (const workspaceId of workspaces) busy.append(alert('hello'), workspaceId)
    await busy.clock.advance({ seconds: 3 })
    expect(busy.sent).toHaveLength(7)
    expect(most).toBe(3)
    await busy.notifier.stop()
  })

  it('sends to many workspaces at once without a warning from Node', async () => {
    const warnings: string[] = []
    const hear = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', hear)
    const workspaces = Array.from({ length: 15 }, (_, index) => `ws_${index}`)
    const busy = setup(() => busy.clock.sleep(1_000), {}, workspaces)
    busy.notifier.start()
    for (const workspaceId of workspaces) busy.append(alert('hello'), workspaceId)
    await busy.clock.advance({ seconds: 2 })
    expect(busy.sent).toHaveLength(15)
    await busy.notifier.stop()
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })

  it('survives a storage that is down, at least once', async () => {
    const { clock, notifier, append, sent, faults, rows } = setup(succeed)
    notifier.start()
    faults.claims = 3
    faults.settles = 3
    append(alert('one'))
    await clock.advance({ minutes: 5 })
    expect(sent).toHaveLength(1)
    faults.settles = 1_000
    append(alert('two'))
    await clock.advance({ minutes: 5 })
    faults.settles = 0
    await clock.advance({ minutes: 5 })
    expect(sent.length).toBeGreaterThan(2)
    expect(rows.map((row) => row.readThroughSeq)).toEqual([2, 2])
    await notifier.stop()
  })

  it('counts tries from zero after it has lost its claim', async () => {
    const instants: number[] = []
    const lost = setup(() => {
      instants.push((lost.clock.now() - START) / 1000)
      if (instants.length === 1) for (const row of lost.rows) row.claimToken = 'another'
      return Promise.reject(new Error('refused'))
    })
    lost.notifier.start()
    lost.append(alert('one'))
    await lost.clock.advance({ seconds: 123 })
    expect(instants).toEqual([0, 120, 121, 123])
    await lost.notifier.stop()
    expect(lost.clock.pending().timers).toEqual([])
  })

  it('does not spin when the storage reports work as due that it does not return', async () => {
    const clock = virtualClock(START)
    let claims = 0
    const store = {
      ...miniStore([], []).store,
      claimNotifications: () => {
        claims += 1
        return Promise.resolve({ batches: [], nextDueInMs: 0 })
      },
    }
    const channels = [{ name: 'mail', send: succeed }]
    const notifier = createNotifier({
      linkOf: () => null,
      environment: createEnvironment({ clock }),
      store,
      channels,
      pollIntervalMs: null,
    })
    notifier.start()
    await clock.advance({ seconds: 1 })
    expect(claims).toBe(11)
    await notifier.stop()
  })

  it('aborts hanging sends when it stops, and sends them again after the next start', async () => {
    let isHanging = true
    const { clock, notifier, append, sent } = setup(() => (isHanging ? hang() : Promise.resolve()))
    notifier.start()
    append(alert('one'))
    await clock.settle()
    await notifier.stop()
    expect(clock.pending()).toEqual({ timers: [], works: [] })
    expect(sent).toEqual([])
    isHanging = false
    notifier.start()
    await clock.settle()
    expect(sent).toEqual(['0s chat ws_1 1'])
    await notifier.stop()
  })

  it('waits for sends in progress when it stops', async () => {
    const { clock, notifier, append, sent } = setup(() => clock.sleep(5_000))
    notifier.start()
    append(alert('one'))
    append(alert('two'))
    await clock.settle()
    const stopped = notifier.stop(7_000)
    await clock.advance({ seconds: 7 })
    await stopped
    expect(sent).toEqual(['5s chat ws_1 1'])
    expect(clock.pending().works).toEqual([])
  })

  it('stops on a clock that stands still', async () => {
    const { clock, notifier, append } = setup(hang)
    notifier.start()
    append(alert('one'))
    await clock.settle()
    await notifier.stop(50)
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('refuses channels with a blank or repeated name', () => {
    const channel = { name: 'mail', send: succeed }
    const { store } = miniStore([], [])
    const environment = createEnvironment()
    const options = { pollIntervalMs: null, environment, store, linkOf: () => null }
    const invalid = expect.objectContaining({ code: 'INVALID_CONFIG' }) as Error
    expect(() => createNotifier({ ...options, channels: [channel, channel] })).toThrow(invalid)
    expect(() => createNotifier({ ...options, channels: [{ ...channel, name: ' ' }] })).toThrow(invalid)
  })
})
