import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/test-database.js'
import { readSchemaText, type SchemaText } from '../../test/schema-text.js'
import { embeddedMigrations } from './embedded-migrations.js'

/** The names of the schema that are new. */
const RENAMES: readonly (readonly [RegExp, string])[] = [
  [/\baccount_row\b/g, 'every_account'],
  [/\bworkspace_row\b/g, 'every_workspace'],
  [/\bflag_step\b/g, 'priority_step'],
  [/\bfree_units\b/g, 'unblocked_units'],
  [/\bis_free\b/g, 'is_unblocked'],
  [/\bflag\b/g, 'priority_rank'],
  [/\bfacts\b/g, 'data'],
]
const RENAMES_OF: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  'table todo': [[/\bagent_id\b/g, 'pool']],
  'function route_some': [[/\bagent_id\b/g, 'pool']],
  'function is_misrouted': [[/\bagent_id\b/g, 'pool']],
  'function first_wait_for_agent': [[/\bt\.agent_id\b/g, 't.pool']],
  'function first_wait_for_type': [[/\b([te])\.agent_id\b/g, '$1.pool']],
  'function first_wait_for_fallback': [[/\b([te])\.agent_id\b/g, '$1.pool']],
  'table every_account': [[/\baccount_pkey\b/g, 'every_account_pkey']],
  'table every_workspace': [
    [/\bworkspace_pkey\b/g, 'every_workspace_pkey'],
    [/\bworkspace_account_id_fkey\b/g, 'every_workspace_account_id_fkey'],
  ],
}

function renamed(text: SchemaText): SchemaText {
  const apply = (line: string, renames: readonly (readonly [RegExp, string])[]) =>
    renames.reduce((all, [from, to]) => all.replace(from, to), line)
  return new Map(
    [...text].map(([object, lines]) => {
      const name = apply(object, RENAMES)
      return [name, lines.map((line) => apply(apply(line, RENAMES), RENAMES_OF[name] ?? []))]
    }),
  )
}

/** In an order that does not depend on that of columns; functions as one line without comments. */
function comparable(text: SchemaText): SchemaText {
  return new Map(
    [...text].map(([object, lines]) => [
      object,
      object.startsWith('function ')
        ? [
            lines
              .map((line) => line.replace(/--.*/, ''))
              .join(' ')
              .replaceAll(/\s+/g, ' '),
          ]
        : lines.toSorted(),
    ]),
  )
}

it(
  'the schema has what the chain of migrations makes, under its new names',
  { timeout: 120_000 },
  async () => {
    const [old, present] = [await createTestDatabase(), await createTestDatabase()]
    await old.pool.query('create schema taskboard')
    for (const { sql } of embeddedMigrations) await old.pool.query(sql)
    const folder = new URL('../../schema/', import.meta.url)
    for (const file of readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .toSorted()) {
      await present.pool.query(readFileSync(new URL(file, folder), 'utf8'))
    }
    await present.pool.query('drop table taskboard.migration')
    const before = comparable(renamed(await readSchemaText(old.pool)))
    const after = comparable(await readSchemaText(present.pool))
    const out: string[] = []
    for (const object of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
      const [was, is] = [before.get(object), after.get(object)]
      if (was === undefined || is === undefined)
        out.push(`${object}: only in the ${was === undefined ? 'new' : 'old'}`)
      else {
        for (const line of was.filter((each) => !is.includes(each))) out.push(`${object}\n  - ${line}`)
        for (const line of is.filter((each) => !was.includes(each))) out.push(`${object}\n  + ${line}`)
      }
    }
    await Promise.all([old.drop(), present.drop()])
    // Two defaults were for rows of earlier versions, and `todo_of` follows the order of the queue's columns.
    expect(out.map((line) => line.split('\n')[0])).toEqual([
      'function todo_of',
      'function todo_of',
      'table approval',
      'table approval',
      'table delivery',
      'table delivery',
    ])
  },
)

it('both place tasks alike', { timeout: 120_000 }, async () => {
  const rowsOf = async (isOld: boolean) => {
    const { pool, drop } = await createTestDatabase()
    const folder = new URL('../../schema/', import.meta.url)
    const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
    await pool.query('create schema if not exists taskboard')
    for (const sql of isOld
      ? embeddedMigrations.map((each) => each.sql)
      : names.toSorted().map((name) => readFileSync(new URL(name, folder), 'utf8')))
      await pool.query(sql)
    if (isOld)
      await pool.query(`insert into taskboard.scoring (due_horizon_ms, due_far_horizon_ms, age_horizon_ms, flag_step, free_units,
        due_units, due_slope, due_far_slope, age_slope, unit) values (1209600000, 15552000000, 2592000000, 191232000000, 215136000000,
        430272000000, 249, 6, 83, 1434240000000)`)
    const now = Date.UTC(2026, 0, 1)
    await pool.query(`insert into taskboard.account values ('acc', 'a', 'custom', 0);
      insert into taskboard.workspace values ('ws', 'acc', 'w', 0);
      insert into taskboard.agent (id, workspace_id, name, type, status, created_at) values ('agent', 'ws', 'a', 'type1', 'idle', 0);
      insert into taskboard.task (id, workspace_id, title, type, ${isOld ? 'flag' : 'priority_rank'}, assigned_to, hold_reason, due_date, not_before,
        open_dependencies, tags, metadata, depends_on, created_at, updated_at, max_attempts)
      select 'task_' || n, 'ws', 't', case when n % 3 > 0 then 'type' || n % 3 end, n % 4, case when n % 11 = 0 then 'agent' end,
        case when n % 13 = 0 then 'paused' end, case when n % 5 > 0 then ${now} + (n * 7919 % 400 - 100) * 86400000::bigint + n end,
        case when n % 7 = 0 then ${now} + n * 1000000::bigint end, case when n % 17 = 0 then 1 else 0 end, '{}', '{}', '{}',
        ${now} - n % 60 * 86400000::bigint, ${now} - n % 60 * 86400000::bigint, 3 from generate_series(1, 5000) n`)
    const { rows } = await pool.query<Record<string, unknown>>(
      `select at.at, to_jsonb(q) as row, taskboard.score_units(t.${isOld ? 'flag' : 'priority_rank'}, t.due_date, t.created_at, t.open_dependencies = 0, at.at)
      from taskboard.task t, (values (${now}::bigint), (${now + 864e5 * 20}), (${now + 864e5 * 200})) at (at), taskboard.todo_of(t, at.at) q
      union all select null, to_jsonb(q), null from taskboard.todo q order by 1, 2`,
    )
    await drop()
    return rows
      .map(({ row, ...rest }) => {
        const { agent_id: agentId, ...others } = row as Record<string, unknown>
        return JSON.stringify([
          rest,
          Object.entries(agentId === undefined ? others : { ...others, pool: agentId }).toSorted(),
        ])
      })
      .toSorted()
  }
  const [was, is] = [await rowsOf(true), await rowsOf(false)]
  expect(was.length).toBe(20_000)
  expect(is).toEqual(was)
})
