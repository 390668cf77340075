import { telegramBot } from '@taskboard/bots'
import { plainPasswordHasher } from '@taskboard/testing'
import {
  createTaskboard,
  defineAgent,
  isTaskboardError,
  type Clock,
  type Task,
  type Taskboard,
  type TaskContext,
} from '@taskboard/core'
import { systemClock } from '@taskboard/core/storage'
import { EventEmitter, once } from 'node:events'
import pg from 'pg'
import { openPglite } from '../../src/pglite/pglite-directory.js'
import type { PgConnection, PgPool } from '../../src/connection/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { holdStatement } from './held-pool.js'
import {
  BACKOFF,
  ENCRYPTION_KEY,
  PRICES,
  WORKER_TYPE,
  type Order,
  type ProcessOptions,
  type Report,
  type Script,
} from './messages.js'
import { serveBoard } from './serve-board.js'

// One process of a board: its API on a separate port, and optionally its agents and its deliverer.
const [, , given = ''] = process.argv
const { databaseUrl, agent, isStarted, held, clockAheadMs, pollIntervalMs, telegram, isQuiet } = JSON.parse(
  given,
) as ProcessOptions
const orders = new EventEmitter<{ finish: [] }>()

const [scheme, directory = ''] = databaseUrl.split('pglite:')
const own: PgPool =
  scheme === '' ? (await openPglite(directory)).pool : new pg.Pool({ connectionString: databaseUrl, max: 4 })
const pool = held === null ? own : holdStatement(own, held, () => report({ kind: 'held' }))
const aheadClock: Clock = { ...systemClock, now: () => systemClock.now() + clockAheadMs }
const agentsOf = ({ types = [WORKER_TYPE], concurrency, leaseMs }: NonNullable<typeof agent>) =>
  types.map((type) => defineAgent({ concurrency, leaseMs, type, run }))
const taskboard = createTaskboard<PgConnection>({
  storage: postgresStorage({ pool }),
  agents: agent === null ? [] : agentsOf(agent),
  prices: PRICES,
  secrets: { encryptionKey: ENCRYPTION_KEY },
  tokens: { secret: ENCRYPTION_KEY },
  passwordHasher: plainPasswordHasher,
  webhooks: { allow: ['127.0.0.0/8'], mostPerHostPerMinute: 1_000_000 },
  attempts: { backoff: BACKOFF },
  pollIntervalMs,
  publicUrl: 'https://app.example',
  bots: telegram === null ? [] : [telegramBot({ ...telegram, pollSeconds: 0 })],
  ...(isQuiet ? { logger: false as const } : {}),
  ...(clockAheadMs === 0 ? {} : { clock: aheadClock }),
})

async function run(task: Task, context: TaskContext): Promise<string> {
  const { script = '{}' } = task.metadata
  await perform(JSON.parse(String(script)) as Script, context)
  if (agent?.waits !== true) return `done by ${process.pid}`
  report({ kind: 'running', taskId: task.id, fencingToken: task.fencingToken })
  await once(orders, 'finish')
  report({ kind: 'late writes', codes: await writeAll(taskboard, task, context) })
  return `done by ${process.pid}`
}

async function perform(script: Script, context: TaskContext): Promise<void> {
  const { usage = [], failures = 0, approval, workMs = 0 } = script
  const { earlierAttempts } = context.claim
  for (const used of usage[earlierAttempts.length] ?? usage.at(-1) ?? []) {
    await context.usage(used)
    if (context.signal.aborted) report({ kind: 'aborted' })
    context.signal.throwIfAborted()
  }
  if (earlierAttempts.length < failures) throw new Error('as the script says')
  if (approval !== undefined) await context.approval(approval)
  if (workMs > 0) await context.sleep(workMs)
}

/** Every write of an agent, with the claim that the run began with. */
async function writeAll(
  from: Taskboard<PgConnection>,
  { workspaceId, id, fencingToken }: Task,
  context: TaskContext,
): Promise<Record<string, string | null>> {
  const board = from.board(workspaceId)
  const writes: Record<string, () => Promise<unknown>> = {
    progress: () => context.progress(99),
    log: () => context.log('late'),
    output: () => context.output({ type: 'link', name: 'late', url: 'https://late.example' }),
    alert: () => context.alert('late'),
    contextHold: () => context.hold('needs_input', 'late'),
    heartbeat: () => board.heartbeat(id, { fencingToken }),
    complete: () => board.complete(id, { fencingToken, result: 'late' }),
    fail: () => board.fail(id, { fencingToken, reason: 'late' }),
    hold: () => board.hold(id, { fencingToken, reason: 'needs_input', message: 'late' }),
  }
  const codes: Record<string, string | null> = {}
  for (const [name, write] of Object.entries(writes)) codes[name] = await refusal(write)
  return codes
}

async function refusal(write: () => Promise<unknown>): Promise<string | null> {
  try {
    await write()
    return null
  } catch (error) {
    return isTaskboardError(error) ? error.code : String(error)
  }
}

function report(message: Report): void {
  process.send?.(message)
}

process.on('message', (order: Order) => {
  if (order.kind === 'finish') orders.emit('finish')
  else void taskboard.close().then(() => process.exit(0))
})
// The test has ended.
process.on('disconnect', () => process.exit(1))

if (isStarted) await taskboard.start()
report({ kind: 'ready', url: await serveBoard(taskboard) })
