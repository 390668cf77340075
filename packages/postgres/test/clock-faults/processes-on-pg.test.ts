import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { oneTimePassword } from '@taskboard/kit/access/one-time-password'
import { until } from '@taskboard/kit/processes/until'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'
import { askInTurn, callerOf, EMAIL, PASSWORD } from './api-callers.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const STEP_MS = 30_000
/** Longer than a test: work that happens earlier was due, not found by a poll. */
const NEVER_MS = 600_000
const PATIENCE_MS = 60_000

let board: SharedBoard
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  await endProcesses()
  await board.database.drop()
})

const clocks: [string, number][] = [
  ['an hour ahead', HOUR_MS],
  ['an hour behind', -HOUR_MS],
]

describe.each(clocks)('a process whose clock is %s of the database’s', (_, dateAheadMs) => {
  const start = (options: Partial<Parameters<typeof startProcess>[0]> = {}) =>
    startProcess({
      databaseUrl: board.database.url,
      isStarted: true,
      dateAheadMs,
      pollIntervalMs: NEVER_MS,
      ...options,
    })

  it('starts a planned task when it is due', async () => {
    const { taskboard, workspaceId } = board
    await start({ agent: { concurrency: 1, leaseMs: 60_000, waits: false } }).reported('ready')
    const notBefore = Date.now() + 2_000
    const { id } = await taskboard.board(workspaceId).add({ title: 'Planned', notBefore })
    const done = await until(
      () => taskboard.board(workspaceId).get(id),
      ({ column }) => column === 'DONE',
      PATIENCE_MS,
    )
    expect(done.startedAt).toBeGreaterThanOrEqual(notBefore)
  }, 90_000)

  it('keeps its task while it runs, and loses it when its lease ends', async () => {
    const { taskboard, workspaceId } = board
    const own = taskboard.board(workspaceId)
    const agent = { concurrency: 1, leaseMs: 3_000 }
    const holder = start({ agent: { ...agent, waits: true } })
    await holder.reported('ready')
    const { id } = await own.add({ title: 'Held' })
    await holder.reported('running')
    const first = (await own.get(id)).lease?.expiresAt ?? Number.NaN
    const other = start({ agent: { ...agent, waits: false }, dateAheadMs: -dateAheadMs })
    await other.reported('ready')
    const kept = await until(
      () => own.get(id),
      ({ lease }) => lease === null || lease.expiresAt > first + 3_000,
      PATIENCE_MS,
    )
    expect(kept.fencingToken).toBe(1)

    await holder.kill()
    const last = (await own.get(id)).lease?.expiresAt
    const done = await until(
      () => own.get(id),
      ({ column }) => column === 'DONE',
      PATIENCE_MS,
    )
    expect(done).toMatchObject({ fencingToken: 2, result: `done by ${other.pid}` })
    expect(done.startedAt).toBeGreaterThanOrEqual(last ?? Infinity)
  }, 150_000)

  it('counts requests and login attempts with the others, and returns waits by the database’s clock', async () => {
    const { taskboard, accountId, workspaceId, rows } = board
    await taskboard.accounts.createUser(accountId, { email: EMAIL, password: PASSWORD })
    const { key } = await taskboard.accounts.createKey({ workspaceId, name: 'k', scopes: ['tasks:read'] })
    const processes = [start(), start({ dateAheadMs: 0 })]
    const callers = await Promise.all(
      processes.map(async (each) => callerOf((await each.reported('ready')).url)),
    )
    const requests = await askInTurn(callers, 62, (caller) => caller.list(key))
    expect(requests.passed).toBe(60)
    expect(requests.last.retryAfter).toBeGreaterThan(0)
    expect(requests.last.retryAfter).toBeLessThanOrEqual(60)
    await rows(`update taskboard.rolling_limit set newest = newest - 60000,
      times = array(select t - 60000 from unnest(times) t order by t)`)
    expect((await askInTurn(callers, 2, (caller) => caller.list(key))).passed).toBe(2)

    const guesses = await askInTurn(callers, 12, (caller) => caller.logIn('wrong'))
    expect(guesses.passed).toBe(10)
    expect(guesses.last.retryAfter).toBeGreaterThan(0)
    expect(guesses.last.retryAfter).toBeLessThanOrEqual(900)
    await rows('update taskboard.login_attempt set holds_until = holds_until - 900000')
    for (const caller of callers) expect((await caller.logIn(PASSWORD)).status).toBe(200)
  }, 90_000)

  it('accepts the one-time passwords of the present, and keys until they end', async () => {
    const { taskboard, accountId, workspaceId } = board
    await taskboard.accounts.createUser(accountId, { email: EMAIL, password: PASSWORD })
    const { logIn, send, list } = callerOf((await start().reported('ready')).url)
    const token = String((await logIn(PASSWORD)).body['access_token'])
    const secret = String((await send('POST', '/v2/account/mfa', token)).body['secret'])
    const code = (steps: number) => oneTimePassword(secret, Date.now() + steps * STEP_MS)
    const body = { mfa_code: code(0) }
    expect((await send('POST', '/v2/account/mfa/confirm', token, body)).status).toBe(200)
    expect((await logIn(PASSWORD, code(1))).status).toBe(200)

    const wanted = { name: 'k', scopes: ['tasks:read'], workspace_id: workspaceId }
    const keyUntil = (fromNowMs: number) =>
      send('POST', '/v2/account/api-keys', token, {
        ...wanted,
        expires_at: new Date(Date.now() + fromNowMs).toISOString(),
      })
    expect((await keyUntil(-60_000)).status).toBe(400)
    const { status, body: made } = await keyUntil(HOUR_MS / 2)
    expect(status).toBe(201)
    expect((await list(String(made['key']))).status).toBe(200)
  }, 90_000)

  it('keeps idempotency records for a day, and no longer', async () => {
    const { taskboard, accountId, rows } = board
    const { id } = await taskboard.accounts.createWorkspace(accountId, { name: 'w' })
    for (const [key, ageMs] of Object.entries({ young: DAY_MS - HOUR_MS / 2, old: DAY_MS + HOUR_MS / 2 })) {
      await rows(
        `insert into taskboard.idempotency (scope, key, fingerprint, resource_id, value, created_at)
          values ($1, $2, '', '', 'null', taskboard.now_ms() - $3)`,
        id,
        key,
        ageMs,
      )
    }
    // The same pass prunes these after the idempotency records.
    await rows(
      `insert into taskboard.login_attempt (key, passwords, codes, holds_until) values ('over', 1, 0, 0)`,
    )
    start()
    await until(
      () => rows('select 1 from taskboard.login_attempt'),
      ({ length }) => length === 0,
      PATIENCE_MS,
    )
    expect(await rows('select key from taskboard.idempotency')).toEqual([{ key: 'young' }])
  }, 90_000)
})
