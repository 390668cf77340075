import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import type { PlanNode } from '../plans/plan.js'
import { conjunctsOf, tableUses } from './restrictions.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

async function usesIn(text: string): Promise<readonly string[]> {
  const explained = `explain (generic_plan, verbose, format json) ${text}`
  const { rows } = await database.pool.query<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(explained)
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  if (plan === undefined) throw new Error('there is no plan')
  return tableUses(plan, ['task', 'todo', 'agent']).map(({ table, restriction }) => `${table} ${restriction}`)
}

describe('a plan restricts a table', () => {
  it.each([
    ['by a parameter', 'select from taskboard.task where workspace_id = $1', ['task one']],
    [
      'by nothing, when it finds a row by its id',
      'select from taskboard.task where id = $1::text',
      ['task none'],
    ],
    [
      'by nothing, when the condition need not hold',
      'select from taskboard.task where workspace_id = $1 or id = $2',
      ['task none'],
    ],
    [
      'by nothing, when the other workspaces are meant',
      'select from taskboard.task where workspace_id <> $1',
      ['task none'],
    ],
    ['by several', 'select from taskboard.task where workspace_id = any ($1::text[])', ['task several']],
    [
      'by what it is joined with',
      'select from taskboard.task t join taskboard.agent a on a.workspace_id = t.workspace_id where t.workspace_id = $1',
      ['agent one', 'task one'],
    ],
    [
      'by nothing, when it is joined by an id alone',
      'select from taskboard.task t join taskboard.agent a on a.id = t.assigned_to where t.workspace_id = $1',
      ['agent none', 'task one'],
    ],
    [
      'by nothing, when neither of two tables is',
      'select from taskboard.task t join taskboard.todo q on q.workspace_id = t.workspace_id where t.id = $1',
      ['task none', 'todo none'],
    ],
    [
      'by the rows of a list',
      'select from unnest($1::text[]) as u (w) join taskboard.task t on t.workspace_id = u.w',
      ['task several'],
    ],
    [
      'through the result of a query',
      `with q as materialized (select * from taskboard.todo where workspace_id = $1)
       select from q join taskboard.task t on t.id = q.task_id and t.workspace_id = q.workspace_id`,
      ['task one', 'todo one'],
    ],
    [
      'when it is updated',
      'update taskboard.task set title = $2 where id = $1 and workspace_id = $3',
      ['task one'],
    ],
    [
      'by nothing, when it is updated by its id',
      'update taskboard.task set title = $2 where id = $1',
      ['task none'],
    ],
    [
      'in a view of it',
      'select from taskboard.workspace w where exists (select from taskboard.task t where t.workspace_id = w.id) and w.id = $1',
      ['task one'],
    ],
  ])('%s', async (_, text, expected) => expect((await usesIn(text)).toSorted()).toEqual(expected))

  it('by each part of a condition that must hold, whatever texts are in it', () => {
    expect(
      conjunctsOf("((a.x = $1) AND ((a.y = 'it''s (AND) '::text) OR (a.z = $2)) AND (a.w = $3))"),
    ).toEqual(['a.x = $1', "(a.y = 'it''s (AND) ') OR (a.z = $2)", 'a.w = $3'])
  })
})
