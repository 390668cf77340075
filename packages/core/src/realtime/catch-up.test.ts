import { describe, expect, it } from 'vitest'
import { currentPayloadVersion, type EventStore, type LoggedEvent } from '../events/index.js'
import { startLogSubscriptions } from './catch-up.js'
import { workspaceTopic } from './topics.js'
import { LogSubscription } from './log-subscription.js'
import { createHub } from './hub.js'
import type { EncodedFrames } from './encoded-frames.js'

type Page = Parameters<EventStore['readEvents']>[0]

const topic = workspaceTopic('ws_1')

function logged(seq: number, size: number): LoggedEvent {
  const data = { taskId: `task_${'x'.repeat(size)}`, progress: 1 }
  const place = { id: `log_${seq}`, workspaceId: 'ws_1', seq, at: 0 }
  return { ...place, type: 'task.progress', data, payloadVersion: currentPayloadVersion }
}

/** A log subscription three hundred events behind, and what it receives. Each `step` answers the waiting reads and writes. */
function setUp(size: number) {
  const waiting: (() => void)[] = []
  const turn = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))
  const sent: string[] = []
  const subscriber = {
    broadcast: () => undefined,
    failed: () => undefined,
    async sendAlone({ texts }: EncodedFrames) {
      sent.push(...texts)
      await turn()
    },
  }
  const events = {
    async readEvents({ afterSeq: after, limit }: Page) {
      await turn()
      const count = Math.max(0, Math.min(limit, 300 - after))
      return Array.from({ length: count }, (_, index) => logged(after + 1 + index, size))
    },
  }
  const logSubscription = new LogSubscription(subscriber, {
    workspaceId: 'ws_1',
    audience: 'workspace',
    topic,
  })
  startLogSubscriptions([logSubscription], new Map([['ws_1', 300]]), subscriber, {
    events,
    replayLimit: 1_000,
  })
  const step = async (): Promise<void> => {
    waiting.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { logSubscription, sent, step }
}

describe('catching up', () => {
  it('sends the whole log, then is live', async () => {
    const { logSubscription, sent, step } = setUp(1)
    for (let turns = 0; logSubscription.state !== 'live' && turns < 20; turns++) await step()
    expect(logSubscription.state).toBe('live')
    expect(sent.map((text) => (JSON.parse(text) as { seq: number }).seq)).toEqual(
      Array.from({ length: 300 }, (_, index) => index + 1),
    )
  })

  it('sends nothing more when its logSubscription ends during a read of the log', async () => {
    const { logSubscription, sent, step } = setUp(1)
    logSubscription.state = 'ended'
    for (let turns = 0; turns < 5; turns++) await step()
    expect(sent).toEqual([])
  })

  it('sends nothing more when its logSubscription ends while the peer reads', async () => {
    const { logSubscription, sent, step } = setUp(10_000)
    for (let turns = 0; sent.length === 0 && turns < 5; turns++) await step()
    const before = sent.length
    expect(before).toBeGreaterThan(0)
    logSubscription.state = 'ended'
    for (let turns = 0; turns < 5; turns++) await step()
    expect(sent.length).toBe(before)
  })

  it('handles one channel of a subscriber at a time, so that no more data waits than for one channel', async () => {
    let [waiting, most] = [0, 0]
    const subscriber = {
      broadcast: () => undefined,
      failed: () => undefined,
      async sendAlone({ texts }: EncodedFrames) {
        waiting += texts.reduce((sum, { length }) => sum + length, 0)
        most = Math.max(most, waiting)
        await new Promise((resolve) => setImmediate(resolve))
        waiting = 0
      },
    }
    const events = {
      readEvents: async ({ afterSeq: after, limit }: Page) =>
        Array.from({ length: Math.min(limit, 20 - after) }, (_, index) => logged(after + 1 + index, 10_000)),
    }
    const logSubscriptions = Array.from({ length: 20 }, (_, index) => {
      const workspaceId = `ws_${index}`
      const place = { workspaceId, audience: 'workspace', topic: workspaceTopic(workspaceId) } as const
      return new LogSubscription(subscriber, place)
    })
    for (const logSubscription of logSubscriptions) {
      startLogSubscriptions([logSubscription], new Map([[logSubscription.workspaceId, 20]]), subscriber, {
        events,
        replayLimit: 1_000,
      })
    }
    for (let turns = 0; logSubscriptions.some(({ state }) => state !== 'live') && turns < 1_000; turns++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(logSubscriptions.map(({ state, position }) => `${state} ${position}`)).toEqual(
      logSubscriptions.map(() => 'live 20'),
    )
    expect(most).toBeLessThan(200_000)
  })
})

/**
 * A log subscription two events behind. More events are raised while it catches up: `raiseAt` has the numbers of the reads and writes after
 * which this happens. Returns the events in the order in which the peer received them.
 */
async function catchUpWhile(raiseAt: readonly number[], { isFlushed }: { isFlushed: boolean }) {
  const hub = createHub()
  const log = [logged(1, 1), logged(2, 1)]
  const received: number[] = []
  const receive = ({ texts }: EncodedFrames) =>
    void received.push(...texts.map((text) => (JSON.parse(text) as { seq: number }).seq))
  function raise(): void {
    const event = logged(log.length + 1, 1)
    log.push(event)
    hub.publish(event)
    // Otherwise the hub sends it in the next turn, when the log subscription may be live.
    if (isFlushed) hub.flush()
  }
  let steps = 0
  async function step(): Promise<void> {
    await Promise.resolve()
    for (const at of raiseAt) if (at === steps) raise()
    steps += 1
  }
  const subscriber = {
    broadcast: receive,
    failed: () => undefined,
    async sendAlone(messages: EncodedFrames) {
      receive(messages)
      await step()
    },
  }
  const events = {
    async readEvents({ afterSeq: after, limit }: Page) {
      const page = log.filter(({ seq }) => seq > after).slice(0, limit)
      await step()
      return page
    },
  }
  const logSubscription = new LogSubscription(subscriber, {
    workspaceId: 'ws_1',
    audience: 'workspace',
    topic,
  })
  hub.join(logSubscription)
  startLogSubscriptions([logSubscription], new Map([['ws_1', 2]]), subscriber, { events, replayLimit: 1_000 })
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve))
  raise()
  hub.flush()
  return { received, raised: log.map(({ seq }) => seq), state: logSubscription.state }
}

describe('between the replay and the live log subscription', () => {
  it.each([{ isFlushed: true }, { isFlushed: false }])(
    'sends every event once, whenever it is raised ($isFlushed)',
    async (options) => {
      const moments = [[0], [1], [2], [3], [0, 1], [1, 1], [1, 2, 3], [1, 3, 5], [0, 1, 2, 3, 4, 5]]
      for (const raiseAt of moments) {
        const { received, raised, state } = await catchUpWhile(raiseAt, options)
        expect({ raiseAt, received, state }).toEqual({ raiseAt, received: raised, state: 'live' })
      }
    },
  )

  it('sends what passed by before the read that found the end of the log', async () => {
    const hub = createHub()
    const received: string[] = []
    const subscriber = {
      broadcast: () => undefined,
      failed: () => undefined,
      sendAlone: async ({ texts }: EncodedFrames) => void received.push(...texts),
    }
    const logSubscription = new LogSubscription(subscriber, {
      workspaceId: 'ws_1',
      audience: 'workspace',
      topic,
    })
    hub.join(logSubscription)
    logSubscription.position = 2
    // The end of the log was read before this one.
    hub.publish(logged(3, 1))
    hub.flush()
    const events = { readEvents: async () => [logged(3, 1)] }
    startLogSubscriptions([logSubscription], new Map([['ws_1', 2]]), subscriber, {
      events,
      replayLimit: 1_000,
    })
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(received.map((text) => (JSON.parse(text) as { seq: number }).seq)).toEqual([3])
    expect(logSubscription.state).toBe('live')
  })

  it('passes over events of a later release, of which those of tasks are gaps', async () => {
    const received: string[] = []
    const failures: unknown[] = []
    const subscriber = {
      broadcast: () => undefined,
      failed: (error: unknown) => failures.push(error),
      sendAlone: async ({ texts }: EncodedFrames) => void received.push(...texts),
    }
    const logSubscription = new LogSubscription(subscriber, {
      workspaceId: 'ws_1',
      audience: 'workspace',
      topic,
    })
    const log = [
      { ...logged(1, 1), type: 'invoice.new' },
      { ...logged(2, 1), type: 'task.archived' },
      logged(3, 1),
    ]
    const events = { readEvents: async () => log as unknown as readonly LoggedEvent[] }
    startLogSubscriptions([logSubscription], new Map([['ws_1', 3]]), subscriber, {
      events,
      replayLimit: 1_000,
    })
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(failures).toEqual([])
    expect(received.map((text) => JSON.parse(text) as object)).toEqual([
      { type: 'gap', channel: topic.name, workspace_id: 'ws_1', from: 2, to: 2 },
      expect.objectContaining({ type: 'task.progress', seq: 3 }),
    ])
    expect(logSubscription.state).toBe('live')
  })
})
