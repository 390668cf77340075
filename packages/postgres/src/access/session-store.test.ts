import {
  createStorageSettings,
  type CallContext,
  type AccessStore,
  type SessionStore,
} from '@taskboard/core/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { createDatabase } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { createAccessStore } from './access-store.js'
import { createSessionStore } from './session-store.js'

const PROCESSES = 4
/** By the database's clock, which all processes use. */
const call: CallContext<PgConnection> = { now: null }

const DAY_MS = 86_400_000
const LASTING = {
  ttlMs: DAY_MS,
  longestMs: DAY_MS,
  origin: { clientAddress: '192.0.2.1', userAgent: null },
}

describe('logins in processes that share a database', () => {
  let test: TestDatabase
  let access: AccessStore<PgConnection>
  const stores: SessionStore<PgConnection>[] = []

  beforeAll(async () => {
    test = await createMigratedDatabase()
    const databases = Array.from({ length: PROCESSES }, () =>
      createDatabase({ pool: test.pool, settings: createStorageSettings(), preparedStatements: true }),
    )
    stores.push(...databases.map(createSessionStore))
    access = createAccessStore(databases[0] as (typeof databases)[number])
  })
  afterAll(() => test.drop())

  /** Calls all processes at the same time, each `times` times. */
  function everywhere<T>(
    times: number,
    ask: (store: SessionStore<PgConnection>, index: number) => Promise<T>,
  ) {
    const calls = Array.from({ length: times * PROCESSES }, (_, index) => index)
    return Promise.all(
      calls.map((index) => ask(stores[index % PROCESSES] as SessionStore<PgConnection>, index)),
    )
  }

  async function addUser(email: string): Promise<string> {
    const owner = { email, passwordHash: 'h', scopes: [] }
    const account = { name: 'n', tier: 'custom', workspaceName: 'w', agent: null, owner } as const
    return (await access.insertAccount(account, call)).user?.id ?? ''
  }

  it('allow ten passwords and five codes of many concurrent guesses', async () => {
    const passwords = await everywhere(15, (store) =>
      store.takeLoginAttempt({ key: 'p', kind: 'password' }, call),
    )
    expect(passwords.filter(({ allowed }) => allowed)).toHaveLength(10)
    const codes = await everywhere(15, (store) => store.takeLoginAttempt({ key: 'c', kind: 'code' }, call))
    expect(codes.filter(({ allowed }) => allowed)).toHaveLength(5)
    for (const { allowed, retryAfterMs } of [...passwords, ...codes]) {
      expect(allowed ? retryAfterMs === 0 : retryAfterMs > 840_000 && retryAfterMs <= 900_000).toBe(true)
    }
  })

  it('accept a time step once and a recovery code once', async () => {
    const userId = await addUser('steps@example.com')
    const [store] = stores as [SessionStore<PgConnection>]
    await store.changeMfa({ userId, change: { kind: 'offer', sealedSecret: 'sealed' } }, call)
    await store.changeMfa(
      { userId, change: { kind: 'enrol', sealedSecret: 'sealed', step: 1, recoveryHashes: ['r'] } },
      call,
    )
    const steps = await everywhere(5, (each) => each.redeemMfa({ userId, step: 2 }, call))
    const codes = await everywhere(5, (each) => each.redeemMfa({ userId, recoveryHash: 'r' }, call))
    expect([steps, codes].map((all) => all.filter(Boolean).length)).toEqual([1, 1])
  })

  it('keep a session ended when a refresh waited for its end', async () => {
    const userId = await addUser('logout@example.com')
    const [store] = stores as [SessionStore<PgConnection>]
    const begun = { userId, familyHash: 'over', tokenHash: 't', ...LASTING }
    const { id } = await store.insertSession(begun, call)
    const ending = await test.pool.connect()
    await ending.query('begin')
    await ending.query(`select from taskboard.session where id = '${id}' for update`)
    const request = { ...begun, nextTokenHash: 'next', reuseGraceMs: 60_000 }
    const refresh = store.consumeRefreshToken(request, { now: Date.now() - 1 })
    while ((await waiting()) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await store.endSession({ id }, { now: null, tx: ending })
    await ending.query('commit')
    ending.release()
    expect(await refresh).toBeNull()
    expect(await access.findPrincipal({ sessionId: id }, call)).toBeNull()
  })

  it('end a login that was in progress when the password changed', async () => {
    const userId = await addUser('password@example.com')
    const [store] = stores as [SessionStore<PgConnection>]
    const begun = { userId, passwordHash: 'h', familyHash: 'under way', tokenHash: 't', ...LASTING }
    const login = await test.pool.connect()
    await login.query('begin')
    const { id } = await store.insertSession(begun, { now: null, tx: login })
    const change = access.setPassword({ userId, passwordHash: 'another' }, call)
    while ((await waiting()) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await login.query('commit')
    login.release()
    expect(await change).toEqual([id])
    expect(await access.findPrincipal({ sessionId: id }, call)).toBeNull()
  })

  /** How many of this database's statements wait for a lock. */
  async function waiting(): Promise<number> {
    const { rows } = await test.pool.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.count ?? 0
  }

  it('exchange a refresh token once in each round, and the session stays valid', async () => {
    const userId = await addUser('refresh@example.com')
    const [store] = stores as [SessionStore<PgConnection>]
    await store.insertSession({ userId, familyHash: 'f', tokenHash: 't', ...LASTING }, call)
    let tokenHash = 't'
    for (let round = 0; round < 10; round++) {
      const shown = { ...LASTING, familyHash: 'f', tokenHash, reuseGraceMs: 60_000 }
      const next = (index: number) => `${round}.${index}`
      const outcomes = await everywhere(3, (each, index) =>
        each.consumeRefreshToken({ ...shown, nextTokenHash: next(index) }, call),
      )
      const rotated = outcomes.flatMap((each, index) => (each?.outcome === 'rotated' ? [index] : []))
      expect(rotated).toHaveLength(1)
      expect(outcomes.filter((each) => each?.outcome === 'reused')).toHaveLength(11)
      tokenHash = next(rotated[0] ?? -1)
    }
  })
})
