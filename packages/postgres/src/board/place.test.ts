import {
  createScoring,
  defaultScoring,
  priorities,
  silentLogger,
  type Scorable,
  type Scoring,
  type ScoringOptions,
} from '@taskboard/core'
import { createNewId, placeTask, scoreUnits, systemClock } from '@taskboard/core/storage'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresStorage } from '../postgres-storage.js'

const DAY_MS = 86_400_000
const ORIGIN = Date.UTC(2026, 0, 1)
const instant = fc.integer({ min: ORIGIN - 60 * DAY_MS, max: ORIGIN + 60 * DAY_MS })
const scorable: fc.Arbitrary<Required<Scorable>> = fc.record({
  priority: fc.constantFrom(...priorities),
  createdAt: instant,
  dueDate: fc.option(fc.integer({ min: ORIGIN - 60 * DAY_MS, max: ORIGIN + 300 * DAY_MS }), { nil: null }),
  openDependencies: fc.nat(2),
})
const weight = fc.integer({ min: 1, max: 60 })

/** Null for the few that have no exact common unit, which are refused. */
function scoringOf(options: ScoringOptions): Scoring | null {
  try {
    return createScoring(options)
  } catch {
    return null
  }
}

const scoring = fc
  .record({
    weights: fc.record(Object.fromEntries(Object.keys(defaultScoring.weights).map((name) => [name, weight]))),
    dueHorizonMs: fc.constantFrom(DAY_MS, 14 * DAY_MS, 180 * DAY_MS),
  })
  .map(scoringOf)
  .filter((made) => made !== null)

/** The columns of a task that its score depends on. */
const rowOf = ({ priority, createdAt, dueDate, openDependencies }: Scorable) => ({
  priority_rank: priorities.toReversed().indexOf(priority),
  created_at: createdAt,
  due_date: dueDate,
  open_dependencies: openDependencies,
})

/** Columns that never change. */
const constant = ['id', 'workspace_id', 'created_at']

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

describe('the place of a task in the order of claims', () => {
  it('is the same in SQL as in TypeScript, for any task, time and weights', async () => {
    const settings = { clock: systemClock, logLimit: 5, outputLimit: 3, logger: silentLogger }
    const sample = fc.array(fc.record({ task: scorable, now: instant }), { minLength: 20, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(scoring, sample, async (weights, tasks) => {
        const storage = postgresStorage({ pool: database.pool, listen: false })
        storage.bind({ scoring: weights, newId: createNewId(), ...settings })
        await storage.tasks.rescore({ now: ORIGIN })
        await storage.close()
        const { rows } = await database.pool.query(
          `select q.lane, q.key::float8, nullif(q.until, 9223372036854775807)::float8 as until, taskboard.score_units(t, e.now)::float8 as units
           from rows from (jsonb_to_recordset($1) as (task jsonb, now bigint)) with ordinality as e (task, now, ord),
             lateral jsonb_populate_record(null::taskboard.task, e.task) t, lateral taskboard.todo_of(t, e.now) q
           order by e.ord`,
          [JSON.stringify(tasks.map(({ task, now }) => ({ task: rowOf(task), now })))],
        )
        expect(rows).toEqual(
          tasks.map(({ task, now }) => {
            const { lane, key, laneUntil } = placeTask(task, now, weights)
            const until = laneUntil === Infinity ? null : laneUntil
            return { lane, key, until, units: scoreUnits(task, now, weights) }
          }),
        )
      }),
    )
  })

  it('is computed again when any column changes that it depends on', async () => {
    const { rows } = await database.pool.query<{ name: string; body: string }>(
      `select proname as name, prosrc as body from pg_proc
       where pronamespace = 'taskboard'::regnamespace and proname in ('todo_of', 'enter_queue')`,
    )
    const columnsIn = (name: string, row: string): readonly string[] => {
      const body = rows.find((each) => each.name === name)?.body ?? ''
      return [...body.matchAll(new RegExp(`\\b${row}\\.(\\w+)`, 'g'))].map(([, column = '']) => column)
    }
    const read = columnsIn('todo_of', 't').filter((column) => !constant.includes(column))
    expect(read).toContain('priority_rank')
    for (const row of ['old', 'new'])
      expect(columnsIn('enter_queue', row)).toEqual(expect.arrayContaining(read))
  })
})
