import { createNewId, systemClock } from '@taskboard/core/storage'
import { defaultScoring, silentLogger } from '@taskboard/core'
import { storageConformance } from '@taskboard/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { createTestPool } from '@taskboard/kit/postgres/test-database'
import { oneSeedEach } from '@taskboard/kit/postgres/one-seed-each'
import { migrate } from '../../src/migrations/migrate.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { mayBeCompiled } from '../plans/expected-costs.js'
import { parsePlan } from '../plans/plan.js'
import { sendingCases } from '../plans/sending-cases.js'
import { debianServerWithJit, startDebianServer } from './debian-server.js'

const given = process.env['TASKBOARD_JIT_DATABASE_URL']
const programs = debianServerWithJit()
const isMissing = given === undefined && programs === null
/** The server reports the plan of each statement, which takes several times as long as to execute it. */
const REPORTED_CASE_MS = 90_000
const EXPENSIVE = 'select count(*) from generate_series(1, 20000) a, generate_series(1, 1000) b'
const REPORT = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
}

/** A pool on which the server reports what it executes, and the statements that it compiled. */
function observedPool(connectionString: string) {
  const options = Object.entries(REPORT).map(([name, value]) => `-c ${name}=${value}`)
  const pool = createTestPool({ connectionString, options: options.join(' ') })
  const compiled = new Set<string>()
  const verbs = new Map<string, string>()
  let executed = 0
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const plan = parsePlan(message)
      if (plan === null) return
      executed += 1
      if (plan.JIT !== undefined) compiled.add(plan['Query Text'])
    })
    const query = client.query.bind(client) as (...sent: unknown[]) => unknown
    client.query = ((first: pg.QueryConfig, ...rest: unknown[]) => {
      const [, verb] = /^taskboard_(.*)_[0-9a-f]{8}$/.exec(first.name ?? '') ?? []
      if (verb !== undefined) verbs.set(first.text, verb)
      return query(first, ...rest)
    }) as typeof client.query
  })
  const verbOf = (text: string): string => verbs.get(text) ?? text
  return { pool, executed: () => executed, compiled: () => [...compiled].map(verbOf) }
}

describe.skipIf(isMissing)(
  'a server with JIT (TASKBOARD_JIT_DATABASE_URL, or postgresql of Debian with llvmjit)',
  () => {
    let observed: ReturnType<typeof observedPool>
    let stop: () => Promise<void> = () => Promise.resolve()

    beforeAll(async () => {
      const server = given === undefined ? await startDebianServer(programs ?? '') : null
      const url = new URL(given ?? server?.url ?? '')
      const admin = new pg.Client({ connectionString: url.href })
      await admin.connect()
      const name = `taskboard_jit_${process.pid}_${Date.now()}`
      await admin.query(`create database ${name}`)
      url.pathname = `/${name}`
      // Each migration runs once, whatever it costs.
      const pool = createTestPool({ connectionString: url.href, max: 1 })
      await migrate(pool)
      await pool.end()
      observed = observedPool(url.href)
      stop = async () => {
        await observed.pool.end()
        await admin.query(`drop database ${name} with (force)`)
        await admin.end()
        await server?.stop()
      }
    }, 60_000)
    afterAll(() => stop())

    it('compiles what is expensive, so that this proves something', async () => {
      await observed.pool.query(EXPENSIVE)
      expect(observed.compiled()).toEqual([EXPENSIVE])
    })

    it('is named when the storage opens, with what to run; not when the role has switched it off', async () => {
      const warnings: string[] = []
      const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) }
      const open = async (): Promise<void> => {
        const storage = postgresStorage({ pool: observed.pool, listen: false })
        storage.bind({
          scoring: defaultScoring,
          newId: createNewId(),
          clock: systemClock,
          logLimit: 1,
          outputLimit: 1,
          logger,
        })
        await storage.open()
        await storage.close()
      }
      await open()
      const { rows } = await observed.pool.query<{ role: string }>('select quote_ident(current_user) as role')
      const statement = `alter role ${rows[0]?.role} set jit = off`
      expect(warnings).toEqual([expect.stringContaining(statement)])
      const client = await observed.pool.connect()
      await client.query('set jit = off')
      client.release()
      await open()
      expect(warnings).toHaveLength(1)
      const same = await observed.pool.connect()
      await same.query('set jit = on')
      same.release()
    })

    const open = async () => {
      await emptyTables(observed.pool)
      const openAnother = async () => {
        const storage = postgresStorage({ pool: observed.pool })
        return { storage, close: () => storage.close() }
      }
      return { ...(await openAnother()), openAnother }
    }
    for (const { id, name, run } of sendingCases(oneSeedEach(storageConformance(open)))) {
      it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined(), REPORTED_CASE_MS)
    }

    // Last: it reads what the cases before it have sent.
    it('compiles no statement of the storage, but for those that are listed', () => {
      expect(observed.executed()).toBeGreaterThan(10_000)
      const compiled = observed.compiled().filter((verb) => mayBeCompiled[verb] === undefined)
      expect(compiled).toEqual([EXPENSIVE])
    })
  },
)
