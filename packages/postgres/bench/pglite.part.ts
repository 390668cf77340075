import { createTaskboard, scopes, type Task } from '@taskboard/core'
import express from 'express'
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { taskboardRouter } from '@taskboard/express'
import { migrate, openPglite, postgresStorage, type PgPool } from '../src/index.js'
import { createBenchDatabase } from './board.js'
import { median, timed } from './measure.js'
import { startReceiver } from './receiver.js'
import { atMost, reportFigure } from './report.js'

/**
 * A host's waits on PGlite, the default of `npm start`, compared to a PostgreSQL server: a create over HTTP on Express by one
 * caller, with webhooks that answer and with some that fail, and in-process adds and cycles (complete, and take the next task).
 * Each storage, the caller and the receiver of the webhooks have a process each. PGlite creates its database first.
 */
const CREATES = 200
const WARM_UP = 60
const IN_PROCESS = 300
/** A port without a listener. */
const NOBODY = 'http://127.0.0.1:1'

interface Order {
  /** Replaces the webhooks by this many at this origin. */
  readonly webhooks?: { readonly count: number; readonly origin: string }
  readonly measure?: 'in process' | undefined
}

/** The answer of a served process to an order, sent when it is done. */
interface Report {
  readonly url: string
  readonly key: string
  readonly cpuMs: number
  readonly residentMb: number
  readonly highestMb: number
  readonly addMs: number
  readonly cycleMs: number
}

async function openPool(
  subject: string,
): Promise<{ readonly pool: PgPool; readonly end: () => Promise<void> }> {
  if (subject !== 'PGlite') {
    const database = await createBenchDatabase()
    return { pool: database.pool, end: () => database.end() }
  }
  const directory = await mkdtemp(join(tmpdir(), 'taskboard-bench-'))
  const opened = await openPglite(directory)
  const end = async (): Promise<void> => {
    await opened.close()
    await rm(directory, { recursive: true })
  }
  return { pool: opened.pool, end }
}

async function serve(subject: string): Promise<void> {
  const { pool, end } = await openPool(subject)
  await migrate(pool)
  const storage = postgresStorage({ pool })
  const taskboard = createTaskboard({
    storage,
    secrets: { encryptionKey: randomBytes(32) },
    limits: { boardPerMinute: 100_000 },
    webhooks: { allow: ['127.0.0.0/8'], mostPerHostPerMinute: 1_000_000 },
    logger: false,
  })
  const { workspace } = await taskboard.accounts.create({ name: 'bench', tier: 'custom' })
  const worker = await taskboard.agents.create(workspace.id, { name: 'worker', type: 'worker' })
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'bench',
    scopes: [...scopes],
  })
  await taskboard.start()
  const server = express().use(taskboardRouter(taskboard)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const board = taskboard.board(workspace.id)

  async function inProcess(): Promise<Pick<Report, 'addMs' | 'cycleMs'>> {
    const adds: number[] = []
    const add = async (): Promise<void> =>
      void adds.push(await timed(() => board.add({ title: 'A task', type: 'worker' })))
    for (let n = 0; n < IN_PROCESS; n++) await add()
    const cycles: number[] = []
    const target = { workspaceId: workspace.id, agentId: worker.id, leaseMs: 600_000 }
    let [held] = (await storage.tasks.claimTasks({ target, limit: 1 }, { now: null })).tasks
    for (let n = 0; n < IN_PROCESS - 1; n++) {
      cycles.push(await timed(async () => (held = await cycle(held))))
    }
    return { addMs: median(adds.slice(WARM_UP)), cycleMs: median(cycles.slice(WARM_UP)) }

    async function cycle(task: Task | undefined): Promise<Task | undefined> {
      const proof = {
        workspaceId: workspace.id,
        taskId: task?.id ?? '',
        fencingToken: task?.fencingToken ?? -1,
      }
      return (await storage.tasks.completeTask({ proof, result: 'done', next: target }, { now: null })).next
        ?.tasks[0]
    }
  }

  async function replaceWebhooks({ count, origin }: NonNullable<Order['webhooks']>): Promise<void> {
    for (const { id } of await taskboard.webhooks.list(workspace.id)) {
      await taskboard.webhooks.delete(workspace.id, id)
    }
    for (let n = 0; n < count; n++) {
      const webhook = { url: `${origin}/${n}`, events: ['task.created' as const] }
      await taskboard.webhooks.register(workspace.id, webhook)
    }
  }

  async function follow({ webhooks, measure }: Order): Promise<void> {
    if (webhooks !== undefined) await replaceWebhooks(webhooks)
    const measured = measure ? await inProcess() : { addMs: Number.NaN, cycleMs: Number.NaN }
    const { user, system } = process.cpuUsage()
    const memory = await readFile('/proc/self/status', 'utf8').catch(() => '')
    const megabytes = (field: string): number =>
      Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(memory)?.[1]) / 1_000
    process.send?.({
      ...measured,
      url,
      key,
      cpuMs: (user + system) / 1_000,
      residentMb: megabytes('VmRSS'),
      highestMb: megabytes('VmHWM'),
    } satisfies Report)
  }
  process.on('message', (order: Order) => void follow(order))
  process.once('disconnect', () => {
    server.close()
    server.closeAllConnections()
    void taskboard.close({ drainTimeoutMs: 0 }).then(end)
  })
  await follow({})
}

interface Served {
  readonly name: string
  ask(order: Order): Promise<Report>
  stop(): Promise<void>
}

async function start(name: string): Promise<Served> {
  const child = fork(fileURLToPath(import.meta.url), [name])
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended`)))
  ended.catch(() => undefined)
  const nextReport = async (): Promise<Report> => {
    const [report] = (await Promise.race([once(child, 'message'), ended])) as [Report]
    return report
  }
  await nextReport()
  return {
    name,
    ask(order) {
      child.send(order)
      return nextReport()
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended.catch(() => undefined)
    },
  }
}

const BODY = JSON.stringify({ title: 'Summarise the figures', priority: 'high', tags: ['report', 'finance'] })

async function create(agent: Agent, { url, key }: Report): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = request(`${url}/api/board?action=add`, { method: 'POST', agent, headers })
  sent.end(BODY)
  const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }]
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 200) throw new Error(`a create returned ${answer.statusCode}`)
}

/** The median create in milliseconds, and its processor time, including the work that follows. */
async function creates(
  served: Served,
  order: Order,
): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const before = await served.ask(order)
  for (let n = 0; n < WARM_UP; n++) await create(agent, before)
  const { cpuMs } = await served.ask({})
  const took: number[] = []
  for (let n = 0; n < CREATES; n++) took.push(await timed(() => create(agent, before)))
  const after = await served.ask({})
  agent.destroy()
  return { ms: median(took), cpuMs: (after.cpuMs - cpuMs) / CREATES }
}

async function compare(): Promise<void> {
  const receiver = await startReceiver()
  const subjects = [await start('PGlite'), await start('PostgreSQL')]
  try {
    for (const served of subjects) {
      const { residentMb, highestMb } = await served.ask({})
      reportFigure(`${served.name}: memory after the first start`, residentMb, 'MB')
      reportFigure(`${served.name}: the most memory during the first start`, highestMb, 'MB')
      const { addMs, cycleMs } = await served.ask({ measure: 'in process' })
      reportFigure(`${served.name}: an add in process`, addMs, 'ms')
      reportFigure(`${served.name}: a cycle in process`, cycleMs, 'ms')
    }
    const alone = new Map<string, number>()
    for (const { what, webhooks } of [
      { what: 'no webhooks', webhooks: { count: 0, origin: receiver.origin } },
      { what: '5 webhooks', webhooks: { count: 5, origin: receiver.origin } },
      { what: '10 webhooks', webhooks: { count: 10, origin: receiver.origin } },
      { what: '10 webhooks that fail', webhooks: { count: 10, origin: NOBODY } },
    ]) {
      for (const served of subjects) {
        const { ms, cpuMs } = await creates(served, { webhooks })
        const name = `${served.name}: a create over HTTP with ${what}`
        reportFigure(`${name}, processor's time`, cpuMs, 'ms')
        const isJudged = served.name === 'PGlite'
        if (isJudged && webhooks.count === 0) atMost(name, ms, 6, 'ms')
        else reportFigure(name, ms, 'ms')
        const ratio = ms / (alone.get(served.name) ?? ms)
        if (webhooks.count === 0) alone.set(served.name, ms)
        else if (isJudged && webhooks.count === 10) atMost(`${name}, to one with none`, ratio, 1.5)
        else reportFigure(`${name}, to one with none`, ratio, 'x')
      }
    }
  } finally {
    for (const served of subjects) await served.stop()
    receiver.stop()
  }
}

const [, , subject] = process.argv
await (subject === undefined ? compare() : serve(subject))
