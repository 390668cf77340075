import { createTaskboard, defineAgent, isTaskboardError } from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { webhookReceiver } from '@taskboard/testing'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { EmbeddedServer } from '@taskboard/kit/postgres/embedded-server'
import { until } from '@taskboard/kit/processes/until'
import { type ServerPair, urlOfPair } from '@taskboard/kit/postgres/standby'
import { failoverPool } from '../../src/failover/failover-pool.js'
import { migrate } from '../../src/migrations/migrate.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { bodiesById, violations } from '../faults/invariants.js'

/** Two processes' boards on a pair of servers, under load. */
export interface BoardsOnPair {
  /** Resolves once each of them has had `count` more adds acknowledged; to the milliseconds that took. */
  acknowledge(count: number): Promise<number>
  /** Ends the load, lets all work finish, and resolves to the promises that were broken, by the data of `primary`. */
  settle(primary: EmbeddedServer): Promise<readonly string[]>
  close(): Promise<void>
}

const ADDERS = 2
/** Requests that a key of the board API may make in a minute. */
const PER_MINUTE = 60
const secrets = { encryptionKey: Buffer.alloc(32) }

export async function openBoardsOnPair(pair: ServerPair): Promise<BoardsOnPair> {
  const connectionString = urlOfPair(pair)
  const receiver = await webhookReceiver()
  await migrateOn(pair.primary)
  const first = openProcess(connectionString)
  const { account, workspace } = await first.taskboard.accounts.create({ name: 'a', tier: 'enterprise' })
  const { key } = await first.taskboard.accounts.createKey({
    accountId: account.id,
    name: 'k',
    scopes: ['tasks:read'],
  })
  const events = ['task.created', 'task.started', 'task.completed', 'task.failed'] as const
  await first.taskboard.webhooks.register(workspace.id, { url: receiver.url, events: [...events] })
  const processes = [first, openProcess(connectionString)]
  for (const { taskboard } of processes) await taskboard.start()
  const load = startLoad(processes, workspace.id, key)

  return {
    async acknowledge(count) {
      const begun = performance.now()
      const enough = load.acknowledged.map(({ length }) => length + count)
      await until(
        () => load.acknowledged.map(({ length }) => length),
        (seen) => seen.every((length, index) => length >= (enough[index] ?? 0)),
        30_000,
      )
      return performance.now() - begun
    },
    async settle(primary) {
      await load.stop()
      const admin = new pg.Pool({ connectionString: primary.url, max: 2 })
      try {
        await atRest(admin)
        const { rows } = await admin.query<{ id: string }>(
          `select id from taskboard.event where type like 'task.%'`,
        )
        const logged = new Set(rows.map(({ id }) => id))
        await until(
          () => processes.map(({ seen }) => seen.length),
          (lengths) => lengths.every((length) => length >= logged.size),
        )
        const received = bodiesById(receiver.deliveries)
        const broken = await violations(admin, { acknowledged: load.acknowledged.flat(), received })
        const ofReaders = processes.flatMap(({ seen }) => readerFaults(seen, logged))
        return [...load.faults, ...broken, ...ofReaders, ...limitFaults(load.admitted)]
      } finally {
        await admin.end()
      }
    },
    async close() {
      await load.stop()
      for (const { taskboard, pool } of processes) {
        await taskboard.close({ drainTimeoutMs: 500 })
        await pool.end()
      }
      await receiver.close()
    },
  }
}

async function migrateOn({ url }: EmbeddedServer): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  await migrate(pool)
  await pool.end()
}

/** Adds tasks through each process, and asks with one key for more than its limit. */
function startLoad(processes: readonly Process[], workspaceId: string, key: string) {
  const acknowledged: string[][] = processes.map(() => [])
  const faults: string[] = []
  /** When a request within the limit was admitted. */
  const admitted: number[] = []
  const load = { isOn: true }

  async function addOn({ taskboard }: Process, index: number): Promise<void> {
    const board = taskboard.board(workspaceId)
    let turn = 0
    while (load.isOn) {
      try {
        const { id } = await board.add({ title: `task ${index} ${(turn += 1)} ${Math.random()}` })
        acknowledged[index]?.push(id)
      } catch (error) {
        if (!isTaskboardError(error, 'SERVICE_UNAVAILABLE'))
          faults.push(`an add was refused: ${String(error)}`)
      }
      await sleep(10)
    }
  }

  async function requestOn({ handle }: Process): Promise<void> {
    const headers = { authorization: `Bearer ${key}` }
    while (load.isOn) {
      const { status } = await handle(new Request('http://host/api/board?action=todo&limit=1', { headers }))
      if (status === 200) admitted.push(performance.now())
      else if (status !== 429 && status !== 503) faults.push(`a request got ${status}`)
      await sleep(40)
    }
  }

  const loading = Promise.all(
    processes.flatMap((each, index) => [
      ...Array.from({ length: ADDERS }, () => addOn(each, index)),
      requestOn(each),
    ]),
  )
  return {
    acknowledged,
    faults,
    admitted,
    async stop() {
      load.isOn = false
      await loading
    },
  }
}

async function atRest(admin: pg.Pool): Promise<void> {
  await until(
    async () => {
      // Claims whose answers were lost last for minutes: end them here.
      await admin.query(`update taskboard.due_delivery set next_attempt_at = 0
        where claim_token is not null and next_attempt_at - taskboard.now_ms() < 119000`)
      const { rows } = await admin.query<{ n: string }>(`select (select count(*) from taskboard.task
        where column_name <> 'DONE') + (select count(*) from taskboard.due_delivery) as n`)
      return Number(rows[0]?.n)
    },
    (left) => left === 0,
    30_000,
  )
}

type Process = ReturnType<typeof openProcess>

function openProcess(connectionString: string) {
  const pool = failoverPool(pg, { connectionString, max: 8, checkIntervalMs: 500 })
  pool.on('error', () => undefined)
  const taskboard = createTaskboard({
    logger: false,
    storage: postgresStorage({ pool, statementTimeoutMs: 5_000 }),
    agents: [defineAgent({ type: 'worker', concurrency: 3, leaseMs: 1_500, run: () => sleep(5, 'done') })],
    secrets,
    attempts: { max: 50, backoff: { baseMs: 20, factor: 1, maxMs: 20 } },
    limits: { boardPerMinute: PER_MINUTE },
    webhooks: { allow: ['127.0.0.1/32'], retryDelaysMs: [100, 100, 100], mostPerHostPerMinute: 1_000_000 },
    pollIntervalMs: 100,
  })
  const seen: string[] = []
  taskboard.events.on('*', ({ id, type }) => {
    if (type.startsWith('task.')) seen.push(id)
  })
  return { pool, taskboard, handle: toFetchHandler(taskboard), seen }
}

/** A reader of the feed sees each event of the log, once. */
function readerFaults(seen: readonly string[], logged: ReadonlySet<string>): readonly string[] {
  const unknown = seen.filter((id) => !logged.has(id))
  const faults: string[] = []
  if (new Set(seen).size < seen.length) faults.push('a listener heard an event twice')
  if (new Set(seen).size < logged.size) faults.push('a listener missed an event')
  if (unknown.length > 0) faults.push(`a listener heard an event that is not in the log: ${unknown[0]}`)
  return faults
}

/** The clocks of the servers are one, and an answer comes after its admission by less than a second. */
function limitFaults(admitted: readonly number[]): readonly string[] {
  return admitted.some((time, index) => (admitted[index + PER_MINUTE] ?? Infinity) - time < 59_000)
    ? ['a limit was granted twice']
    : []
}
