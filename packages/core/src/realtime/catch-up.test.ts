import { describe, expect, it } from 'vitest'
import { currentPayloadVersion, type LoggedEvent } from '../events/index.js'
import { startFeeds } from './catch-up.js'
import { workspaceChannel } from './channels.js'
import { Feed } from './feed.js'
import type { Outgoing } from './outgoing.js'

const channel = workspaceChannel('ws_1')

function logged(seq: number, size: number): LoggedEvent {
  const facts = { taskId: `task_${'x'.repeat(size)}`, progress: 1 }
  const place = { id: `log_${seq}`, workspaceId: 'ws_1', seq, at: 0 }
  return { ...place, type: 'task.progress', facts, payloadVersion: currentPayloadVersion }
}

/** A feed that is three hundred events behind, and what it is sent; reads and writes are answered when `step` is called. */
function setUp(size: number) {
  const waiting: (() => void)[] = []
  const turn = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))
  const sent: string[] = []
  const subscriber = {
    broadcast: () => undefined,
    failed: () => undefined,
    async sendAlone({ texts }: Outgoing) {
      sent.push(...texts)
      await turn()
    },
  }
  const events = {
    async readEvents(_workspaceId: string, after: number, limit: number) {
      await turn()
      const count = Math.max(0, Math.min(limit, 300 - after))
      return Array.from({ length: count }, (_, index) => logged(after + 1 + index, size))
    },
  }
  const feed = new Feed(subscriber, { workspaceId: 'ws_1', audience: 'workspace', channel })
  startFeeds([feed], new Map([['ws_1', 300]]), subscriber, { events, replayLimit: 1_000 })
  const step = async (): Promise<void> => {
    waiting.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { feed, sent, step }
}

describe('catching up', () => {
  it('tells all there is, and is live then', async () => {
    const { feed, sent, step } = setUp(1)
    for (let turns = 0; feed.state !== 'live' && turns < 20; turns++) await step()
    expect([feed.state, sent.length]).toEqual(['live', 300])
  })

  it('tells nothing more once its feed has ended while the log was read', async () => {
    const { feed, sent, step } = setUp(1)
    feed.state = 'ended'
    for (let turns = 0; turns < 5; turns++) await step()
    expect(sent).toEqual([])
  })

  it('tells nothing more once its feed has ended while the peer was reading', async () => {
    const { feed, sent, step } = setUp(10_000)
    for (let turns = 0; sent.length === 0 && turns < 5; turns++) await step()
    const before = sent.length
    expect(before).toBeGreaterThan(0)
    feed.state = 'ended'
    for (let turns = 0; turns < 5; turns++) await step()
    expect(sent.length).toBe(before)
  })

  it('is done for one channel of a subscriber after the other, so that no more waits for it than for one', async () => {
    let [waiting, most] = [0, 0]
    const subscriber = {
      broadcast: () => undefined,
      failed: () => undefined,
      async sendAlone({ texts }: Outgoing) {
        waiting += texts.reduce((sum, { length }) => sum + length, 0)
        most = Math.max(most, waiting)
        await new Promise((resolve) => setImmediate(resolve))
        waiting = 0
      },
    }
    const events = {
      readEvents: async (_workspaceId: string, after: number, limit: number) =>
        Array.from({ length: Math.min(limit, 20 - after) }, (_, index) => logged(after + 1 + index, 10_000)),
    }
    const feeds = Array.from({ length: 20 }, (_, index) => {
      const workspaceId = `ws_${index}`
      const place = { workspaceId, audience: 'workspace', channel: workspaceChannel(workspaceId) } as const
      return new Feed(subscriber, place)
    })
    for (const feed of feeds) {
      startFeeds([feed], new Map([[feed.workspaceId, 20]]), subscriber, { events, replayLimit: 1_000 })
    }
    for (let turns = 0; feeds.some(({ state }) => state !== 'live') && turns < 1_000; turns++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(feeds.map(({ state, position }) => `${state} ${position}`)).toEqual(feeds.map(() => 'live 20'))
    expect(most).toBeLessThan(200_000)
  })
})
