import type { At } from '@taskboard/core/storage'
import { randomUUID } from 'node:crypto'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { scoringColumns } from '../stored-scoring.js'

/** Scoring, run. */
const storeScoring = statement<never>(
  'store_scoring',
  /* sql */ `
  update taskboard.scoring s
  set due_horizon_ms = n.due_horizon_ms, due_far_horizon_ms = n.due_far_horizon_ms, age_horizon_ms = n.age_horizon_ms,
    flag_step = n.flag_step, free_units = n.free_units, due_units = n.due_units, due_slope = n.due_slope,
    due_far_slope = n.due_far_slope, age_slope = n.age_slope, unit = n.unit, rescoring = $2::uuid
  from jsonb_populate_record(null::taskboard.scoring, $1::jsonb) n`,
)

/** Present, the task after which to continue, limit. */
const placeNext = statement<{ readonly count: number; readonly last: string | null }>(
  'rescore_tasks',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  batch as materialized (
    select task_id from taskboard.todo where task_id > $2::text order by task_id limit $3::integer for update
  ),
  placed as (
    update taskboard.todo q
    set ready = n.ready, lane = n.lane, key = n.key, placed_at = n.placed_at, until = n.until, not_before = n.not_before
    from batch b, p, taskboard.task t, lateral taskboard.todo_of(t, p.now) n
    where q.task_id = b.task_id and t.id = b.task_id
    returning q.task_id
  )
  select (select count(*) from placed)::integer as count, (select max(task_id) from batch) as last`,
)

/** Run. A run that began in the meantime recomputes the keys itself. */
const finish = statement<never>(
  'finish_rescore',
  /* sql */ `update taskboard.scoring set rescoring = null where rescoring = $1::uuid`,
)

const BATCH = 2_000

/**
 * `TaskStore.rescore`: stores the bound scoring and recomputes the place of every task in TODO, a few thousand at a time.
 * Meanwhile claims compare old places with new ones: no task is lost, but the order is correct only at the end. Until then, and
 * after an interruption, `open` refuses. Another run starts from the beginning.
 */
export async function rescore(database: Database, at: At<PgConnection>): Promise<number> {
  const run = randomUUID()
  const { scoring } = database.settings.current
  await database.write(at, storeScoring, [JSON.stringify(scoringColumns(scoring)), run])
  let count = 0
  for (let last: string | null = ''; last !== null;) {
    const rows: readonly { readonly count: number; readonly last: string | null }[] = await database.write(
      at,
      placeNext,
      [at.now, last, BATCH],
    )
    count += rows[0]?.count ?? 0
    last = rows[0]?.last ?? null
  }
  await database.write(at, finish, [run])
  return count
}
