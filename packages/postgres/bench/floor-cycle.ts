import type pg from 'pg'
import { rateOf } from './measure.js'

/**
 * The floor of completing and taking the next: one statement for a whole batch that writes only the rows that the board writes
 * (the task twice, its place in the queue, an attempt, two events). Its tables are as narrow as that allows, with only primary
 * keys and the queue's order as indexes. A fixed priority, one agent, no workspaces, no webhooks, no library. Its rate is the
 * cost of the rows on this machine.
 */
const TABLES = `
  create table floor_task (
    id text primary key, title text not null, status text not null, created_at bigint not null, updated_at bigint not null,
    started_at bigint, completed_at bigint, attempts integer not null default 0, fencing_token bigint not null default 0,
    lease_agent_id text, lease_expires_at bigint, result text
  ) with (fillfactor = 50);
  create table floor_todo (task_id text primary key, priority bigint not null) with (fillfactor = 80);
  create index on floor_todo (priority desc, task_id);
  create table floor_attempt (
    task_id text not null, fencing_token bigint not null, agent_id text not null, started_at bigint not null,
    ended_at bigint not null, outcome text not null, primary key (task_id, fencing_token)
  );
  create table floor_event (seq bigint primary key, type text not null, at bigint not null, data jsonb not null);
  create sequence floor_seq cache 1000;`

/** $1 the ids of the tasks to complete, $2 the agent. */
const CYCLE = `
  with p as materialized (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now),
  done as (
    update floor_task t
    set status = 'DONE', completed_at = p.now, updated_at = p.now, lease_agent_id = null, lease_expires_at = null,
      result = 'done'
    from p where t.id = any ($1::text[]) and t.lease_agent_id = $2::text and t.lease_expires_at > p.now
    returning t.id, t.title, t.fencing_token, t.started_at
  ),
  taken as materialized (
    -- Limits that the planner does not assume to be small, or it would plan every call.
    select * from (
      select task_id from floor_todo order by priority desc, task_id limit (select cardinality($1::text[]))
      for update skip locked
    ) as heads limit 200
  ),
  left_queue as (delete from floor_todo q using taken where q.task_id = taken.task_id),
  claimed as (
    update floor_task t
    set status = 'DOING', started_at = p.now, updated_at = p.now, attempts = t.attempts + 1,
      fencing_token = t.fencing_token + 1, lease_agent_id = $2::text, lease_expires_at = p.now + 600000
    from p, taken where t.id = taken.task_id
    returning t.*
  ),
  ended as (
    insert into floor_attempt select d.id, d.fencing_token, $2::text, d.started_at, p.now, 'completed' from done d, p
  ),
  logged as (
    insert into floor_event
    select nextval('floor_seq'), e.type, p.now, jsonb_build_object('taskId', e.id, 'title', e.title, 'attempt', e.attempt)
    from p, (
      select 'task.completed' as type, id, title, fencing_token as attempt from done
      union all select 'task.started', id, title, fencing_token from claimed
    ) as e
  )
  select * from claimed`

const AGENT = 'agent_00000000000000000000000000'

/** Creates the floor's empty tables. */
export async function prepareFloorCycle(pool: pg.Pool): Promise<void> {
  await pool.query(TABLES)
}

/** Adds tasks of random priorities. */
export async function fillFloorCycle(pool: pg.Pool, tasks: number): Promise<void> {
  await pool.query(
    `with added as (
      insert into floor_task (id, title, status, created_at, updated_at)
      select 'task_' || replace(gen_random_uuid()::text, '-', ''), 'Task ' || n, 'TODO', n, n
      from generate_series(1, $1::integer) as n
      returning id
    )
    insert into floor_todo select id, (random() * 1e9)::bigint from added`,
    [tasks],
  )
  await pool.query('vacuum (analyze) floor_todo')
  await pool.query('vacuum (analyze) floor_task')
}

/** Tasks a second that are completed in batches of `workers`, each taking the next one with it. */
export async function floorCycleRate(pool: pg.Pool, workers: number, ms: number): Promise<number> {
  let held: readonly string[] = []
  const cycle = async (ids: readonly string[]): Promise<void> => {
    const { rows } = await pool.query<{ id: string }>({
      name: 'floor_cycle',
      text: CYCLE,
      values: [ids, AGENT],
    })
    if (rows.length !== workers) throw new Error('nothing left to claim')
    held = rows.map(({ id }) => id)
  }
  // Completes none, because these ids do not exist, and takes as many.
  await cycle(Array.from({ length: workers }, () => ''))
  return rateOf(1, ms, async () => {
    await cycle(held)
    return workers
  })
}
