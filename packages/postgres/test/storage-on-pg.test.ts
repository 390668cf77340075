import { storageConformance } from '@taskboard/testing'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyTables } from '@taskboard/kit/postgres/empty-tables'
import { oneSeedEach } from '@taskboard/kit/postgres/one-seed-each'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { readCatalog } from './by-workspace/catalog.js'
import {
  recordPlans,
  recordStatements,
  type RecordedPlans,
  type SentStatement,
} from './by-workspace/recorded-plans.js'
import { faultsOfStatements } from './by-workspace/statements.js'
import { compiledOn, expectedCosts, listedInVain, recordedCosts } from './plans/expected-costs.js'
import { leaveTablesAlone, loadNewBoard } from './plans/large-board.js'
import { sendsNothingNew } from './plans/sending-cases.js'
import { postgresStorage } from '../src/postgres-storage.js'

/** What a pooler that hands out connections by transaction does not keep. */
const OF_A_SESSION =
  /^(listen|unlisten|set (?!local\b)|reset|load|prepare|deallocate|discard|create temp|declare .*with hold)|advisory_(un)?lock|set_config\((?![^)]*, true\))/i

let database: TestDatabase
let recorded: RecordedPlans
/** Whether the case that runs is said to send nothing new; null for one that only has another seed. */
let isQuiet: boolean | null = null
let ofQuiet: () => readonly SentStatement[]
let ofOthers: () => readonly SentStatement[]

beforeAll(async () => {
  database = await createMigratedDatabase()
  await leaveTablesAlone(database.pool)
  recorded = recordPlans(database.pool)
  ofQuiet = recordStatements(database.pool, () => isQuiet === true)
  ofOthers = recordStatements(database.pool, () => isQuiet === false)
})
afterAll(() => database.drop())

describe('the storage keeps the promises of every port on a PostgreSQL server', () => {
  const open = async () => {
    await emptyTables(database.pool)
    const openAnother = async () => {
      const storage = postgresStorage({ pool: database.pool })
      return { storage, close: () => storage.close() }
    }
    return { ...(await openAnother()), openAnother }
  }
  const cases = storageConformance(open)
  const ofOneSeed = new Set(oneSeedEach(cases))
  for (const each of cases) {
    const { id, name, run } = each
    it(`${id}: ${name}`, () => {
      isQuiet = ofOneSeed.has(each) ? sendsNothingNew(id) : null
      return expect(run()).resolves.toBeUndefined()
    })
  }

  // These come last: they read what the cases before them have sent.
  it('sends each statement in a case that is not left out where only the statements count', () => {
    isQuiet = null
    const sent = new Set(ofOthers().map(({ text }) => text))
    expect(ofQuiet().length).toBeGreaterThan(50)
    expect(ofQuiet().filter(({ text }) => !sent.has(text))).toEqual([])
  })

  it('restricts each table to one workspace in each statement, but for those that are listed', async () => {
    const { distributed } = await readCatalog(database.pool)
    expect(await faultsOfStatements(await recorded.read(), distributed)).toEqual([])
  })

  it('plans each statement below the cost at which a server compiles it, but for those that are listed', async () => {
    const statements = recorded.statements()
    expect(statements.length).toBeGreaterThan(200)
    expect(listedInVain(statements)).toEqual([])
    const found = [...compiledOn('boards of the suite', recordedCosts(await recorded.read()))]
    const boards = {
      'a migrated board': leaveTablesAlone,
      'an empty board with statistics': (pool: pg.Pool) => pool.query('vacuum analyze'),
      'ten thousand tasks without statistics': loadNewBoard,
    }
    for (const [board, prepare] of Object.entries(boards)) {
      const other = await createMigratedDatabase()
      await prepare(other.pool)
      found.push(...compiledOn(board, await expectedCosts(other.pool, statements)))
      await other.drop()
    }
    expect(found).toEqual([])
  }, 120_000)

  it('keeps nothing in a session but prepared statements, and that it listens', async () => {
    const { rows } = await database.pool.query<{ body: string }>(
      `select prosrc as body from pg_proc where pronamespace = 'taskboard'::regnamespace`,
    )
    const texts = [...recorded.texts(), ...rows.map(({ body }) => body)]
    expect(texts.length).toBeGreaterThan(200)
    const steps = texts.flatMap((text) => text.split(';')).map((step) => step.trim())
    expect(steps.filter((step) => OF_A_SESSION.test(step)).toSorted()).toEqual([
      'listen taskboard',
      'unlisten taskboard',
    ])
  })
})
