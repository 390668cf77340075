import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { openCuttingProxy } from '@taskboard/kit/net/cutting-proxy'
import { serveBoard } from '@taskboard/kit/hosts/board-host'
import { seededNumbers } from '@taskboard/kit/random/seeded-numbers'
import { createRealtime, type RealtimeMessage, type Subscription } from './index.js'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** The `seq`s of what it received, by `channel workspace_id`. */
type Received = Map<string, number[]>

/** Reads a subscription; `slowness` is how many turns of the event loop each message takes. */
function read(messages: Subscription, slowness: number) {
  const received: Received = new Map()
  const others: RealtimeMessage[] = []
  const ended = (async () => {
    for await (const message of messages) {
      for (let turns = slowness; turns > 0; turns--) await yieldToEventLoop()
      if (!('seq' in message) || message.type === 'subscribed') {
        others.push(message)
        continue
      }
      const key = `${message.channel} ${message.workspace_id}`
      const list = received.get(key) ?? []
      received.set(key, list)
      list.push(message.seq)
    }
  })()
  return { messages, received, others, ended }
}

describe('subscriptions over 200 random cuts', () => {
  it('receive every event once and in order, beside subscriptions that come and go', async () => {
    const host = await serveBoard({ bounds: { replayLimit: 1_000_000, messagesPerMinute: 1_000_000 } })
    cleanUps.push(host.close)
    const proxy = await openCuttingProxy(host.url)
    cleanUps.push(() => proxy.close())
    const random = seededNumbers(7)
    const realtime = createRealtime({
      url: `${proxy.url.replace('http', 'ws')}/v2/realtime`,
      token: () => Promise.resolve(host.key),
      WebSocket,
      timings: { firstDelayMs: 2, longestDelayMs: 4 },
    })
    const channel = `workspace.${host.workspaceId}`
    const readers = [
      read(realtime.subscribe('tasks'), 0),
      read(realtime.subscribe(['tasks', channel]), 0),
      read(realtime.subscribe([channel, 'tasks'], { bufferLimit: 40 }), 1),
    ]
    const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
      while (!(await isSo())) await yieldToEventLoop()
    }
    await until(() => readers.every(({ others }) => others.length > 0))

    const workspaceIds = [host.workspaceId]
    const writer = { isOn: true }
    const written = (async () => {
      for (let n = 0; writer.isOn; n++) {
        if (n % 200 === 100) {
          const { id } = await host.taskboard.accounts.createWorkspace(host.accountId, { name: `${n}` })
          workspaceIds.push(id)
        }
        const board = host.taskboard.board(workspaceIds[random(workspaceIds.length)] ?? '')
        const { id } = await board.add({ title: `${n}` })
        if (random(2) === 0) await board.move(id, 'DONE')
        if (random(8) === 0) await host.taskboard.publish(host.workspaceId, 'order.new', { n })
        for (let turns = 4 + random(24); turns > 0; turns--) await yieldToEventLoop()
      }
    })()

    for (let cut = 0; cut < 200; cut++) {
      const { passed } = proxy
      for (let turns = random(60); turns > 0; turns--) await yieldToEventLoop()
      if (random(10) === 0) {
        const joining = realtime.subscribe(channel)
        readers.push(read(joining, 0))
        cleanUps.push(() => joining.return())
        if (random(2) === 0) void joining.return()
      }
      proxy.cut()
      proxy.mend()
      await until(() => proxy.passed > passed)
    }
    writer.isOn = false
    await written
    const seqsOf = async (workspaceId: string): Promise<number[]> => {
      const query = { workspaceId, afterSeq: 0, limit: 1_000_000 }
      const events = await host.storage.events.readEvents(query, { now: null })
      return events.filter(({ type }) => type.startsWith('task.')).map(({ seq }) => seq)
    }
    const expected = new Map<string, number[]>()
    for (const id of workspaceIds) {
      const seqs = await seqsOf(id)
      if (seqs.length > 0) expected.set(`tasks ${id}`, seqs)
    }
    const own = await seqsOf(host.workspaceId)
    expect(own.length).toBeGreaterThan(200)
    const [first, second, slow] = readers as [(typeof readers)[0], (typeof readers)[0], (typeof readers)[0]]
    const last = (received: Received, key: string) => received.get(key)?.at(-1)
    for (const { received } of [first, second, slow]) {
      await until(() =>
        workspaceIds.every((id) => last(received, `tasks ${id}`) === expected.get(`tasks ${id}`)?.at(-1)),
      )
      if (received !== first.received)
        await until(() => last(received, `${channel} ${host.workspaceId}`) === own.at(-1))
    }
    for (const { messages, ended } of readers) {
      await messages.return()
      await ended
    }
    expect(first.received).toEqual(expected)
    expected.set(`${channel} ${host.workspaceId}`, own)
    expect(second.received).toEqual(expected)
    expect(slow.received).toEqual(expected)
    for (const { others } of [first, second, slow]) {
      expect(new Set(others.map(({ type }) => type))).toEqual(new Set(['subscribed']))
    }
    expect(proxy.passed).toBeGreaterThanOrEqual(200)
  })
})
