import { plainPasswordHasher } from '@taskboard/testing'
import { createTaskboard } from '@taskboard/core'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fillPgliteDirectory } from '@taskboard/kit/postgres/migrated-pglite'
import { until } from '@taskboard/kit/processes/until'
import { openPglite } from '../../src/pglite/pglite-directory.js'
import type { PgConnection } from '../../src/connection/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { ENCRYPTION_KEY, WORKER_TYPE } from '../processes/messages.js'
import { askInTurn, callerOf, EMAIL, PASSWORD, type Caller } from './api-callers.js'

const HOUR_MS = 3_600_000
const PATIENCE_MS = 120_000

let directory: string
let key: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'taskboard-clocks-'))
  await fillPgliteDirectory(directory)
  const { pool, close } = await openPglite(directory)
  const taskboard = createTaskboard<PgConnection>({
    storage: postgresStorage({ pool }),
    secrets: { encryptionKey: ENCRYPTION_KEY },
    tokens: { secret: ENCRYPTION_KEY },
    passwordHasher: plainPasswordHasher,
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Ada', tier: 'professional' })
  await taskboard.agents.create(workspace.id, { name: 'Agent', type: WORKER_TYPE })
  await taskboard.accounts.createUser(account.id, { email: EMAIL, password: PASSWORD })
  const scopes = ['tasks:read', 'tasks:write'] as const
  ;({ key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'k',
    scopes: [...scopes],
  }))
  await taskboard.close()
  await close()
}, PATIENCE_MS)
afterEach(async () => {
  await endProcesses()
  await rm(directory, { recursive: true })
})

async function start(dateAheadMs: number) {
  const child = startProcess({
    databaseUrl: `pglite:${directory}`,
    isStarted: true,
    agent: { concurrency: 1, leaseMs: 60_000, waits: false },
    dateAheadMs,
  })
  return { child, caller: callerOf((await child.reported('ready')).url) }
}

/** Adds a task that may start in a moment, by the process's clock, which is the database's; waits until it is done. */
async function workOne({ send }: Caller, dateAheadMs: number): Promise<void> {
  const due = Date.now() + dateAheadMs + 1_000
  const task = { title: 'Planned', not_before: new Date(due).toISOString() }
  const { body } = await send('POST', '/v2/tasks', key, task)
  const { body: done } = await until(
    () => send('GET', `/v2/tasks/${String(body['id'])}`, key),
    (answer) => answer.body['status'] === 'completed',
    PATIENCE_MS,
  )
  expect(Date.parse(String(done['started_at']))).toBeGreaterThanOrEqual(due)
}

it.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  'a board whose clock was an hour %s works normally, and no wait exceeds a window once the clock is corrected',
  async (_, dateAheadMs) => {
    const wrong = await start(dateAheadMs)
    await workOne(wrong.caller, dateAheadMs)
    const requests = await askInTurn([wrong.caller], 62, ({ list }) => list(key))
    expect(requests.last.retryAfter).toBeLessThanOrEqual(60)
    const guesses = await askInTurn([wrong.caller], 12, ({ logIn }) => logIn('wrong'))
    expect(guesses.passed).toBe(10)
    expect(guesses.last.retryAfter).toBeLessThanOrEqual(900)
    await wrong.child.kill()

    const { caller } = await start(0)
    const isAhead = dateAheadMs > 0
    const request = await caller.list(key)
    const guess = await caller.logIn(PASSWORD)
    expect([request.status, guess.status]).toEqual(isAhead ? [429, 429] : [200, 200])
    if (!isAhead) return
    expect(request.retryAfter).toBeLessThanOrEqual(60)
    expect(guess.retryAfter).toBeLessThanOrEqual(900)
  },
  300_000,
)
