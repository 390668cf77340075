import { createTaskboard, defineAgent, isTaskboardError, type Board } from '@taskboard/core'
import { healthRoutes, toFetchHandler } from '@taskboard/core/transport'
import { webhookReceiver } from '@taskboard/testing'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestPool } from '@taskboard/kit/postgres/test-database'
import { until } from '@taskboard/kit/processes/until'
import { migrate } from '../../src/migrations/migrate.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { bodiesById, violations } from './invariants.js'

/** A board under load, with agents, a webhook and people who add tasks, over the connection string that it was opened with. */
export interface BoardUnderLoad {
  readonly board: Board
  /** The codes with which adds were refused. Any code except `SERVICE_UNAVAILABLE` is a fault of the library. */
  readonly refusals: ReadonlyMap<string, number>
  /** Adds tasks until `settle`. */
  begin(): void
  /** Resolves once `count` more adds have been acknowledged. */
  acknowledge(count: number): Promise<void>
  /** Resolves once `count` more adds have been refused. */
  refuse(count: number): Promise<void>
  /** Posts a task over HTTP. */
  post(): Promise<{ readonly status: number; readonly code: unknown }>
  /** The statuses of the health routes, and why they are not 200. */
  health(): Promise<{ readonly statuses: readonly number[]; readonly codes: readonly string[] }>
  /** Lets all work finish; resolves to the promises that were broken. */
  settle(): Promise<readonly string[]>
  close(): Promise<void>
}

interface HealthBody {
  readonly reasons: readonly { readonly code: string }[]
}

const CLIENTS = 3
const PAUSE_MS = 15
const TIMEOUT_MS = 800

async function openBoard(url: string, adminUrl: string) {
  const admin = createTestPool({ connectionString: adminUrl, max: 1 })
  // A connection that never opens keeps its place in a pool without a time-out.
  const pool = createTestPool({ connectionString: url, max: 8, connectionTimeoutMillis: TIMEOUT_MS })
  await migrate(admin)
  const receiver = await webhookReceiver()
  const taskboard = createTaskboard({
    logger: false,
    storage: postgresStorage({ pool, statementTimeoutMs: TIMEOUT_MS, connectTimeoutMs: TIMEOUT_MS }),
    agents: [defineAgent({ type: 'worker', concurrency: 4, leaseMs: 1_500, run: () => sleep(5, 'done') })],
    secrets: { encryptionKey: Buffer.alloc(32) },
    attempts: { max: 50, backoff: { baseMs: 20, factor: 1, maxMs: 20 } },
    limits: { boardPerMinute: 10_000 },
    webhooks: { allow: ['127.0.0.1/32'], retryDelaysMs: [100, 100, 100], mostPerHostPerMinute: 1_000_000 },
    pollIntervalMs: 100,
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'professional' })
  const { key } = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'k',
    scopes: ['tasks:write'],
  })
  const events = ['task.created', 'task.started', 'task.completed', 'task.failed'] as const
  await taskboard.webhooks.register(workspace.id, { url: receiver.url, events: [...events] })
  await taskboard.start()
  const board = taskboard.board(workspace.id)
  const handle = toFetchHandler(taskboard, {
    routes: [healthRoutes(taskboard, { storageTimeoutMs: 3 * TIMEOUT_MS })],
  })
  return { admin, pool, receiver, taskboard, board, handle, key }
}

async function healthOf(handle: ReturnType<typeof toFetchHandler>): ReturnType<BoardUnderLoad['health']> {
  const paths = ['/healthz', '/readyz']
  const answers = await Promise.all(paths.map((path) => handle(new Request(`http://host${path}`))))
  const bodies = await Promise.all(answers.map((answer) => answer.json() as Promise<HealthBody>))
  return {
    statuses: answers.map(({ status }) => status),
    codes: bodies.flatMap(({ reasons }) => reasons.map(({ code }) => code)),
  }
}

/** `adminUrl` leads to the same database without the faults. */
export async function boardUnderLoad(url: string, adminUrl = url): Promise<BoardUnderLoad> {
  const { admin, pool, receiver, taskboard, board, handle, key } = await openBoard(url, adminUrl)
  const acknowledged: string[] = []
  const refusals = new Map<string, number>()
  let refused = 0
  const load = { isOn: false }
  let titles = 0
  let clients: Promise<unknown> = Promise.resolve()

  async function addOn(): Promise<void> {
    while (load.isOn) {
      try {
        const { id } = await board.add({ title: `task ${(titles += 1)}` })
        acknowledged.push(id)
      } catch (error) {
        const code = isTaskboardError(error) ? error.code : String(error)
        refusals.set(code, (refusals.get(code) ?? 0) + 1)
        refused += 1
      }
      await sleep(PAUSE_MS)
    }
  }

  return {
    board,
    refusals,
    begin() {
      load.isOn = true
      clients = Promise.all(Array.from({ length: CLIENTS }, addOn))
    },
    async acknowledge(count) {
      const enough = acknowledged.length + count
      await until(
        () => acknowledged.length,
        (seen) => seen >= enough,
      )
    },
    async refuse(count) {
      const enough = refused + count
      await until(
        () => refused,
        (seen) => seen >= enough,
      )
    },
    async post() {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ title: `posted ${(titles += 1)}` })
      const answer = await handle(
        new Request('http://host/api/board?action=add', { method: 'POST', headers, body }),
      )
      const { code, error } = (await answer.json()) as { code?: unknown; error?: { code?: unknown } }
      return { status: answer.status, code: code ?? error?.code }
    },
    health: () => healthOf(handle),
    async settle() {
      load.isOn = false
      await clients
      const left = async () => {
        // Claims whose answers were lost last for minutes: end them here.
        await admin.query(`update taskboard.due_delivery set next_attempt_at = 0
          where claim_token is not null and next_attempt_at - taskboard.now_ms() < 119000`)
        const { rows } = await admin.query<{ n: number }>(`select (select count(*) from taskboard.task
          where column_name <> 'DONE') + (select count(*) from taskboard.due_delivery) as n`)
        return Number(rows[0]?.n)
      }
      await until(left, (seen) => seen === 0)
      return violations(admin, { acknowledged, received: bodiesById(receiver.deliveries) })
    },
    async close() {
      load.isOn = false
      await clients
      await taskboard.close({ drainTimeoutMs: 500 })
      await Promise.all([pool.end(), admin.end(), receiver.close()])
    },
  }
}
