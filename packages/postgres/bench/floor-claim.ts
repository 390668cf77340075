import type pg from 'pg'
import { taskColumns } from '../src/board/task-row.js'

/**
 * The floor: takes the best task by a fixed priority with SKIP LOCKED, and writes the rows that a claim writes (queue, task,
 * event, the workspace's sequence). It shares the task table with the board, and takes from the other end.
 */
const CLAIM = `
  with taken as materialized (
    select task_id from floor_todo where workspace_id = $1::text
    order by priority desc, created_at, task_id limit 1
    for update skip locked
  ),
  left_queue as (delete from floor_todo q using taken where q.task_id = taken.task_id),
  claimed as (
    update taskboard.task t
    set column_name = 'DOING', started_at = p.now, updated_at = p.now, progress = 0, attempts = t.attempts + 1,
      fencing_token = t.fencing_token + 1, lease_agent_id = $2::text, lease_expires_at = p.now + $3::bigint,
      version = t.version + 1
    from taken, (select taskboard.now_ms() as now) p
    where t.id = taken.task_id
    returning t.*
  ),
  place as (
    update taskboard.workspace_log l set last_seq = l.last_seq + 1 from claimed c
    where l.workspace_id = c.workspace_id returning l.workspace_id, l.last_seq
  ),
  logged as (
    insert into taskboard.event_batch (workspace_id, first_seq, last_seq, feed_xid, at, payload_version, stem, types, data)
    select c.workspace_id, place.last_seq, place.last_seq, pg_current_xact_id(), c.started_at, 1, gen_random_uuid(),
      '{task.started}', array[jsonb_build_object('taskId', c.id, 'title', c.title, 'status', 'DOING',
        'agentId', c.lease_agent_id, 'attempt', c.attempts, 'startedAt', c.started_at)]
    from claimed c join place on place.workspace_id = c.workspace_id
  )
  select ${taskColumns('c')} from claimed c`

/** Puts every task of the board in the floor's queue, the board's best task last. */
export async function fillFloor(pool: pg.Pool): Promise<void> {
  await pool.query(`
    create table if not exists floor_todo (
      task_id text primary key, workspace_id text not null, priority bigint not null, created_at bigint not null
    ) with (fillfactor = 80)`)
  await pool.query(`
    create index if not exists floor_pickup on floor_todo (workspace_id, priority desc, created_at, task_id)`)
  await pool.query('truncate floor_todo')
  await pool.query(
    `insert into floor_todo select task_id, workspace_id, -key, created_at from taskboard.todo`,
  )
  await pool.query('vacuum (analyze) floor_todo')
}

/** One claim from the floor. */
export async function claimFloor(
  pool: pg.Pool,
  workspaceId: string,
  agentId: string,
  leaseMs: number,
): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'floor_claim',
    text: CLAIM,
    values: [workspaceId, agentId, leaseMs],
  })
  if (rowCount !== 1) throw new Error('nothing left to claim')
}
