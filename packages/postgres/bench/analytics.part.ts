import type { Reach } from '@taskboard/core'
import { isDeepStrictEqual } from 'node:util'
import type { DayFigures, FiguresQuery } from '@taskboard/core/storage'
import { countedEvent, COUNTED_TYPES } from '../src/analytics/analytics-store.js'
import { createBoard } from './board.js'
import { count, median, timed } from './measure.js'
import { atLeast, mustHold, reportFigure } from './report.js'

/**
 * Figures of ninety days with a million tasks, three events each, in twenty workspaces of one account: the answer for all of it
 * with roll-ups, against the same answer from a scan of all events, on the same tables. The last events are not rolled up, as
 * between two sweeps.
 */
const TASKS = 1_000_000
const WORKSPACES = 20
const DAYS = 90
const UNROLLED = 2_000
const BATCH = 5_000
const ROUNDS = 5
const READS = 50
const FIRST_DAY = Math.floor(Date.UTC(2026, 0, 1) / 86_400_000)
const DAY_MS = 86_400_000

const board = await createBoard()
const { storage } = board
const { pool } = board.database
const { account, workspace } = await storage.access.insertAccount(
  { name: 'analytics', tier: 'enterprise', workspaceName: 'analytics', agent: null },
  { now: null },
)
const workspaceIds = [workspace.id]
while (workspaceIds.length < WORKSPACES) {
  const input = { accountId: account.id, name: 'one more', agent: null }
  workspaceIds.push((await storage.access.insertWorkspace(input, { now: null })).id)
}
const reach: Reach = { accountId: account.id, workspaceIds: 'all' }
const query: FiguresQuery = {
  reach,
  workspaceId: null,
  fromDay: FIRST_DAY,
  toDay: FIRST_DAY + DAYS - 1,
  baselines: { defaultMs: 1_800_000, msByType: { report: 7_200_000 } },
}

/** Event `n` of a workspace, fixed for a number: created, then started, then completed, failed or completed by hand. */
async function writeEvents(workspaceId: string): Promise<void> {
  const events = (TASKS / WORKSPACES) * 3
  const last = 3 * (TASKS / WORKSPACES)
  await pool.query({
    text: `insert into taskboard.event_batch (workspace_id, first_seq, last_seq, feed_xid, at, payload_version, stem, types, data)
      select $1, n, n, '3', x.at, 1, gen_random_uuid(), array[x.type], array[x.data]
      from generate_series(1, $2::bigint) n, lateral (
        select ${FIRST_DAY * DAY_MS}::bigint + (n::float8 / ${last} * ${DAYS * DAY_MS - 1})::bigint as at,
          (array['report', 'code', 'mail', null])[1 + n / 3 % 4] as kind
      ) y, lateral (
        select y.at, case n % 3 when 1 then 'task.created' when 2 then 'task.started' else
            case n / 3 % 10 when 0 then 'task.failed' when 1 then 'task.moved' else 'task.completed' end end as type,
          jsonb_build_object('taskId', 'task_' || n / 3, 'title', 'A task like any other', 'type', y.kind,
            'description', repeat('some words of it ', 3), 'reason', 'failed', 'from', 'DOING', 'to', 'DONE',
            'startedAt', y.at - 60000 * (n % 50), 'completedAt', y.at) as data
      ) x`,
    values: [workspaceId, events],
  })
  await pool.query({
    text: `update taskboard.workspace_log set last_seq = $2::bigint, feed_xid = '3' where workspace_id = $1`,
    values: [workspaceId, events],
  })
}

/** The figures from a scan of all events, as a host would write it. */
const SCAN = `
  select c.day, sum(c.created)::float8 as created, sum(c.completed)::float8 as completed, sum(c.failed)::float8 as failed,
    sum(c.timed)::float8 as timed, sum(c.taken_ms)::float8 as "takenMs",
    sum(c.completed * case c.type when 'report' then 7200000 else 1800000 end)::float8 as "baselineMs"
  from taskboard.event e cross join lateral (${countedEvent('e')}) c
  where e.workspace_id = any ($1) and e.type in ${COUNTED_TYPES} and c.day between $2 and $3
  group by c.day order by c.day`

const scan = async (): Promise<readonly DayFigures[]> => {
  const values = [workspaceIds, query.fromDay, query.toDay]
  const { rows } = await pool.query({ text: SCAN, values })
  return rows as DayFigures[]
}
const read = (): Promise<readonly DayFigures[]> => storage.analytics.readFigures(query, { now: null })

for (const id of workspaceIds) await writeEvents(id)
await pool.query({ text: 'vacuum analyze taskboard.event_batch', values: [] })
const expected = await scan()
console.log(
  `   ${count(TASKS)} tasks with ${count(3 * TASKS)} events in ${DAYS} days, ${WORKSPACES} workspaces`,
)

let rolled = 0
const rollMs = await timed(async () => {
  while (rolled < 3 * TASKS - UNROLLED) {
    rolled += await storage.analytics.rollUp(
      { limit: Math.min(BATCH, 3 * TASKS - UNROLLED - rolled) },
      { now: null },
    )
  }
})
reportFigure('events rolled up', (rolled / rollMs) * 1_000, 'per second')
mustHold('figures with roll-ups and what came after equal a scan', isDeepStrictEqual(await read(), expected))

const scans: number[] = []
const reads: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  scans.push(await timed(scan))
  reads.push(
    (await timed(async () => {
      for (let index = 0; index < READS; index++) await read()
    })) / READS,
  )
}
console.log(
  `   a scan ${median(scans).toFixed(0)} ms, an answer with roll-ups ${median(reads).toFixed(2)} ms`,
)
atLeast('figures of 90 days with roll-ups to a scan of all events', median(scans) / median(reads), 20)
await board.end()
