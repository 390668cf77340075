// The cost of a broadcast and of an idle connection, compared with bare `ws`. One run; the ratios count. Loopback only.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LoggedEvent } from '@taskboard/core/storage'
import { encodeFrames } from '@taskboard/core/transport'
import { recordFigure } from '@taskboard/kit/bench/figure'
import { serveMeasured, type MeasuredServer } from './measured-server.js'
import { runClients, startClients, type RawClients } from './raw-clients.js'

const PROGRAM = fileURLToPath(import.meta.url)
const ROUNDS = 6
const BURST = 16
const HEAD_BYTES = 2
const TEXT = 'x'.repeat(60)
const IDLE = 5_000
const IDLE_ROUNDS = 5

interface Contender {
  readonly name: string
  readonly bytes: number
  /** Sends so many messages in one tick to every client. */
  send(messages: number): void
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Messages per second that reach clients, from the first call to the arrival of the last byte. */
async function rate(
  clients: RawClients,
  contender: Contender,
  count: number,
  burst: number,
): Promise<number> {
  const ticks = Math.max(4, Math.round((burst === 1 ? 40_000 : 160_000) / (count * burst)))
  const bytes = ticks * burst * count * contender.bytes
  const arrived = clients.expect(bytes)
  const start = process.hrtime.bigint()
  for (let tick = 0; tick < ticks; tick++) {
    contender.send(burst)
    await yieldToEventLoop()
  }
  await arrived
  return (ticks * burst * count) / (Number(process.hrtime.bigint() - start) / 1e9)
}

async function compare(
  clients: RawClients,
  title: string,
  count: number,
  burst: number,
  pair: readonly Contender[],
) {
  const rates = pair.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, contender] of pair.entries()) {
      const measured = await rate(clients, contender, count, burst)
      if (round > 0) rates[index]?.push(measured)
    }
  }
  const [floor = 0, ours = 0] = rates.map(median)
  const shown = `${Math.round(floor / 1000)}k -> ${Math.round(ours / 1000)}k messages/s`
  const what = `${title}, ${count} clients, ${burst} a tick`
  recordFigure({ what, value: ours / floor, unit: 'x' })
  console.log(`${what}: ${shown}, ${(ours / floor).toFixed(2)}x`)
}

function onBare({ bare, ports }: MeasuredServer): readonly Contender[] {
  const bytes = HEAD_BYTES + TEXT.length
  return [
    {
      name: 'ws.send',
      bytes,
      send(messages) {
        for (let n = 0; n < messages; n++) for (const webSocket of bare) webSocket.send(TEXT)
      },
    },
    {
      name: 'framed once',
      bytes,
      send(messages) {
        const together = encodeFrames(Array.from({ length: messages }, () => TEXT))
        for (const port of ports) if (port.bufferedBytes < 2 ** 30) port.send(together)
      },
    },
  ]
}

/** The whole path of an event from the log, and `ws.send` of an equally long text. */
function onChannel(server: MeasuredServer): Contender {
  let seq = 1_000_000_000_000
  const { workspaceId } = server
  const data = { taskId: 'task_01', progress: 40 }
  const eventOf = (): LoggedEvent => ({
    type: 'task.progress',
    data,
    id: 'log_1',
    workspaceId,
    seq: (seq += 1),
    at: 0,
    payloadVersion: 1,
  })
  const text = JSON.stringify({
    type: 'task.progress',
    channel: `workspace.${workspaceId}`,
    task_id: 'task_01',
    progress: 40,
    workspace_id: workspaceId,
    seq,
    timestamp: new Date(0).toISOString(),
  })
  return {
    name: 'channel',
    bytes: text.length + (text.length > 125 ? 4 : 2),
    send(messages) {
      for (let n = 0; n < messages; n++) server.taskboard.services.realtime.publish(eventOf())
    },
  }
}

async function broadcasts(count: number): Promise<void> {
  const server = await serveMeasured({ withPorts: true })
  const clients = startClients(PROGRAM)
  await clients.open(server.port, '/bare', count)
  for (const burst of [1, BURST]) await compare(clients, '60 bytes', count, burst, onBare(server))
  const channel = onChannel(server)
  const long = 'x'.repeat(channel.bytes - 4)
  const bare: Contender = {
    name: 'ws.send',
    bytes: channel.bytes,
    send(messages) {
      for (let n = 0; n < messages; n++) for (const webSocket of server.bare) webSocket.send(long)
    },
  }
  // Both kinds of connection at once, so that both are measured in turn.
  await clients.open(server.port, '/v2/realtime', count, server.say, '"subscribed"')
  const title = `channel, task.progress of ${channel.bytes} bytes`
  for (const burst of [1, BURST]) await compare(clients, title, count, burst, [bare, channel])
  clients.end()
  await server.close()
}

interface Memory {
  readonly heap: number
  readonly rss: number
}

const medians = (all: readonly Memory[]): Memory => ({
  heap: median(all.map(({ heap }) => heap)),
  rss: median(all.map(({ rss }) => rss)),
})

/** Bytes that an idle connection holds, in a separate process. */
async function idleBytes(kind: 'bare' | 'channel'): Promise<Memory> {
  const child = fork(PROGRAM, [`idle-${kind}`], { execArgv: ['--expose-gc'] })
  const [bytes] = (await once(child, 'message')) as [Memory]
  await once(child, 'exit')
  return bytes
}

async function measureIdle(kind: 'bare' | 'channel'): Promise<void> {
  const server = await serveMeasured({ withPorts: false })
  const clients = startClients(PROGRAM)
  const open = (count: number): Promise<void> =>
    kind === 'bare'
      ? clients.open(server.port, '/bare', count, ['hello'], '"ready"')
      : clients.open(server.port, '/v2/realtime', count, server.say, '"subscribed"')
  await open(500)
  const before = await settledMemory()
  await open(IDLE)
  const after = await settledMemory()
  process.send?.({ heap: (after.heap - before.heap) / IDLE, rss: (after.rss - before.rss) / IDLE })
  clients.end()
  await server.close()
  process.exit()
}

async function settledMemory(): Promise<Memory> {
  for (let pass = 0; pass < 4; pass++) {
    await sleep(200)
    // Checking credentials makes garbage each second, which is not what a connection holds.
    globalThis.gc?.()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}

const role = process.argv[2]
if (role === 'clients') runClients()
else if (role === 'idle-bare' || role === 'idle-channel')
  await measureIdle(role === 'idle-bare' ? 'bare' : 'channel')
else {
  if (role !== 'idle') for (const count of [1_000, 5_000]) await broadcasts(count)
  const measured: { readonly bare: Memory[]; readonly channel: Memory[] } = { bare: [], channel: [] }
  for (let round = 0; round < IDLE_ROUNDS; round++) {
    for (const kind of ['bare', 'channel'] as const) measured[kind].push(await idleBytes(kind))
  }
  const [bare, channel] = [medians(measured.bare), medians(measured.channel)]
  recordFigure({ what: 'an idle connection: heap', value: channel.heap / bare.heap, unit: 'x' })
  recordFigure({ what: 'an idle connection: resident memory', value: channel.rss / bare.rss, unit: 'x' })
  const kib = (bytes: number): string => (bytes / 1024).toFixed(1)
  console.log(
    `an idle connection, subscribed: heap ${kib(bare.heap)} -> ${kib(channel.heap)} KiB, ${(channel.heap / bare.heap).toFixed(2)}x;` +
      ` resident ${kib(bare.rss)} -> ${kib(channel.rss)} KiB, ${(channel.rss / bare.rss).toFixed(2)}x`,
  )
}
