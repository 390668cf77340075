import type pg from 'pg'
import { BEST_FIRST, EACH_LANE } from '../../src/board/claim/lane-sql.js'

/** The present of all operations on the board. */
export const NOW = Date.UTC(2026, 0, 1)

/** Holds six of ten tasks; its first agent holds all leases. */
export const HUGE = 'ws_huge'
export const HUGE_WEBHOOK = 'wh_huge'
export const taskId = (n: number): string => `task_${String(n).padStart(20, '0')}`

const TASKS = 1_000_000
/** `ws_1` and so on. Odd ones have tasks; even ones have an agent of the type `idler`, and nothing to do. */
const SMALL_WORKSPACES = 10_000

const minutesAgo = (n: string): string => `${NOW} - ((${n}) % 28800) * 60000 - 1000`
const padded = (n: string): string => `lpad((${n})::text, 20, '0')`
/** The workspace of the task `n`, where `small` others have tasks. */
const workspaceOf = (n: string, small: number): string =>
  `case when (${n}) % 10 < 6 then '${HUGE}' else 'ws_' || (2 * (((${n}) / 10) % ${small / 2}) + 1) end`
/** 0 to 99, fixed for a number, and spread over neighbours: below 60 TODO, below 62 DOING, else DONE. */
const fate = (n: string): string => `((${n}) / 10 * 37 + (${n}) % 10 * 11) % 100`

/** How many rows of each kind there are, with a share of all, from 0 to 1. */
function sizesOf(share: number) {
  const count = (most: number): number => Math.ceil(most * share)
  const numbers = (most: number): string => `generate_series(0, ${count(most) - 1}) as n`
  return { count, numbers, small: count(SMALL_WORKSPACES) }
}

type Sizes = ReturnType<typeof sizesOf>

/** Fills the tables without triggers or reference checks; writes the triggers' results itself. */
function load(share: number): readonly string[] {
  const sizes = sizesOf(share)
  return [...tasks(sizes), ...conversations(sizes), ...events(sizes), ...limitsAndUsage(sizes)]
}

function tasks({ numbers, small }: Sizes): readonly string[] {
  return [
    `insert into taskboard.account select 'acc_' || n, 'account', 'professional', ${NOW - 9e8} + n from ${numbers(1_000)}`,
    `insert into taskboard.workspace
    select 'ws_' || n, 'acc_' || n % 1000, 'workspace', ${NOW - 8e8} + n from generate_series(1, ${small}) as n
    union all select '${HUGE}', 'acc_0', 'huge', ${NOW - 9e8}`,
    `insert into taskboard.agent (id, workspace_id, name, type, status, created_at)
    select 'agent_' || w.id || '_' || n, w.id, 'agent', case when n = 1 and right(w.id, 1) in ('0', '2', '4', '6', '8')
      then 'idler' else 'worker' end, 'idle', ${NOW - 8e8} + n
    from taskboard.workspace w, generate_series(0, case when w.id = '${HUGE}' then 49 else 1 end) as n`,
    `insert into taskboard.realtime_holder select 'proc_' || n, ${NOW} + 30000 from ${numbers(20)}`,
    `insert into taskboard.realtime_slot
    select 'conn_' || n, 'acc_' || case when n % 10 = 0 then 0 else n % 1000 end, 'proc_' || n % 20 from ${numbers(100_000)}`,
    `insert into taskboard.api_key (id, hash, account_id, default_workspace_id, name, scopes, prefix, created_at)
    select 'ak_' || n, encode(sha256(n::text::bytea), 'hex'), 'acc_' || n % 1000, 'ws_' || n + 1, 'key', '{}', 'tb_live', ${NOW - 7e8}
    from ${numbers(SMALL_WORKSPACES)}`,
    `insert into taskboard.account_user (id, account_id, default_workspace_id, email, password_hash, created_at)
    select 'user_' || n, 'acc_' || n % 1000, 'ws_' || n + 1, 'user_' || n || '@example.com', 'hash', ${NOW - 7e8}
    from ${numbers(SMALL_WORKSPACES)}`,
    `insert into taskboard.task (id, workspace_id, title, type, priority_rank, column_name, hold_reason, hold_since, due_date, not_before,
      tags, metadata, depends_on, created_at, updated_at, started_at, completed_at, attempts, max_attempts, fencing_token,
      lease_agent_id, lease_expires_at, done_by, assigned_to)
    select 'task_' || ${padded('n')}, w, 'Task ' || n, 'type' || n % 50, n % 4, case when f < 60 then 'TODO' when f < 62 then 'DOING' else 'DONE' end,
      case when f < 2 then 'needs_input' end, case when f < 2 then ${NOW - 1000} end,
      case when n % 3 = 0 then ${NOW - 2e9} + n * 10000::bigint end, case when f between 2 and 4 then ${NOW} + 1000 + n end,
      '{}', '{}', '{}', ${minutesAgo('n')}, ${minutesAgo('n * 7')} + 500,
      case when f >= 60 then ${NOW - 1000} - n % 1000 end, case when f >= 62 then ${NOW - 1000} - n % 1000000 end,
      case when f >= 60 then 1 else 0 end, 3, case when f >= 60 then 1 else 0 end,
      case when f between 60 and 61 then 'agent_' || w || '_0' end, case when f between 60 and 61 then ${NOW} + 60000 + n end,
      case when f >= 62 then 'agent_' || w || '_0' end,
      case when f between 5 and 8 then 'agent_' || w || '_0' end
    from ${numbers(TASKS)}, lateral (select ${workspaceOf('n', small)} as w, ${fate('n')} as f offset 0) as x`,
    `insert into taskboard.todo
    select q.* from taskboard.task t, taskboard.todo_of(t, ${NOW}) q where t.column_name = 'TODO'`,
    `insert into taskboard.task_search
    select t.workspace_id, t.id, t.created_at, -coalesce(t.due_date, 9007199254740991), array_to_tsvector(array(
      select t.workspace_id || '/' || term
      from unnest(array['task', n::text, 'common', 'rare' || n % 2000, '=type' || n % 50, '#tag' || n % 300, '!' || t.priority_rank]) as term))
    from taskboard.task t, lateral (select right(t.id, 20)::integer as n) as x`,
  ]
}

function conversations({ numbers, small }: Sizes): readonly string[] {
  return [
    `insert into taskboard.earlier_attempt (task_id, fencing_token, agent_id, started_at, ended_at, outcome)
    select t.id, 0, 'agent_' || t.workspace_id || '_0', t.created_at, t.created_at + 1000, case when n % 2 = 0 then 'retried' else 'revoked' end
    from ${numbers(300_000)} join taskboard.task t on t.id = 'task_' || ${padded('n')}`,
    `insert into taskboard.task_log (task_id, at, level, message)
    select 'task_' || ${padded('n % 100000')}, ${NOW - 1000}, 'info', 'line' from ${numbers(200_000)}`,
    `insert into taskboard.task_output (task_id, type, name, url)
    select 'task_' || ${padded('n')}, 'file', 'name', 'https://example.com' from ${numbers(100_000)}`,
    `insert into taskboard.task_comment (task_id, place, id, kind, body, author_kind, author_name, created_at)
    select 'task_' || ${padded('n / 3')}, n % 3 + 1, 'cmt_' || n, (array['question', 'answer', 'comment'])[n % 3 + 1], 'text', 'user', 'Ada',
      ${NOW - 1000}
    from ${numbers(300_000)}`,
    `insert into taskboard.task_comment (task_id, place, id, kind, body, author_kind, created_at)
    select '${taskId(9_001)}', n + 4, 'cmt_long_' || n, 'comment', 'text', 'host', ${NOW - 1000} from ${numbers(20_000)}`,
    `insert into taskboard.approval (id, workspace_id, task_id, action, summary, input, input_digest, state, agent_id, requested_by_kind,
      asker_kind, asker_is_session, require_other_person, fencing_token, requested_at, expires_at)
    select 'apr_' || ${padded('n')}, ${workspaceOf('n / 10', small)}, 'task_' || ${padded('n / 10')}, 'refund', 'Refund', '{}', 'digest ' || n,
      (array['used', 'rejected', 'approved', 'pending'])[case when n % 1000 = 0 then 4 else n % 3 + 1 end], 'agent_1', 'agent', 'runtime',
      false, false, 1, ${NOW - 1000}, ${NOW} + 600000000
    from ${numbers(300_000)}`,
    `insert into taskboard.link (id, token_hash, account_id, workspace_id, task_id, about_kind, about_id, digest, user_id, created_at, expires_at)
    select 'link_' || ${padded('n')}, 'hash ' || n, 'acc_' || n % 1000, ${workspaceOf('n / 10', small)}, 'task_' || ${padded('n / 10')}, 'approval',
      'apr_' || ${padded('n')}, 'digest ' || n, 'user_' || n % 10000, ${NOW - 1000}, ${NOW} + 600000000
    from ${numbers(100_000)}`,
    `insert into taskboard.task_dependency
    select 'task_' || ${padded('n * 10')}, 'task_' || ${padded('n * 10 + 1')}, false from ${numbers(100_000)}
    where ${fate('n * 10')} >= 60`,
    `update taskboard.task t set has_dependents = true from taskboard.task_dependency d where d.depends_on = t.id`,
  ]
}

/** The webhook or workspace of delivery `n`: half are of the huge workspace. */
const ofDelivery = (huge: 'HUGE' | 'HUGE_WEBHOOK', prefix: string): string =>
  `case when n % 2 = 0 then '${huge === 'HUGE' ? HUGE : HUGE_WEBHOOK}' else '${prefix}' || n / 10 % 2000 + 1 end`

function events({ numbers, count, small }: Sizes): readonly string[] {
  return [
    // In the order of time, as a board writes them; in transactions before this one.
    `insert into taskboard.event_batch (workspace_id, first_seq, last_seq, feed_xid, at, payload_version, stem, types, data)
    select w, seq, seq, (3 + n / 1000)::text::xid8, ${NOW - 1e9} + n * 1000::bigint, 1, gen_random_uuid(), '{task.created}',
      array[jsonb_build_object('taskId', 'task_' || n, 'title', 'Task ' || n, 'status', 'TODO')]
    from (select w, n, row_number() over (partition by w order by n) as seq from ${numbers(400_000)}, lateral (select ${workspaceOf('n', small)} as w offset 0) as x) as numbered order by n`,
    `insert into taskboard.workspace_log
    select w.id, coalesce(max(e.last_seq), 0), coalesce(max(e.feed_xid::text::bigint), 0)::text::xid8, true
    from taskboard.workspace w left join taskboard.event_batch e on e.workspace_id = w.id group by w.id`,
    `insert into taskboard.analytics_mark select workspace_id, greatest(0, last_seq - 20) from taskboard.workspace_log`,
    `insert into taskboard.analytics_day
    select w.id, ${Math.floor(NOW / 86_400_000)} - n, '', 10, 8, 1, 8, 1000000
    from taskboard.workspace w, ${numbers(90)} where w.account_id < 'acc_2'`,
    `insert into taskboard.notification_target
    select workspace_id, 'chat', '{}', last_seq, ${NOW - 1000}, null, true from taskboard.workspace_log`,
    `insert into taskboard.notification_channel (id, workspace_id, type, name, config, secrets, events, created_at, updated_at)
    select 'nch_' || w.id, w.id, 'chat', 'a channel', '{}', '{}', '{task.created}'::text[], ${NOW - 8e8}, ${NOW - 8e8}
    from taskboard.workspace w`,
    `insert into taskboard.notification_target
      (workspace_id, channel, settings, read_through_seq, due_at, rests, channel_id, type)
    select workspace_id, 'nch_' || workspace_id, '{}', last_seq, ${NOW - 1000}, true, 'nch_' || workspace_id, 'chat'
    from taskboard.workspace_log`,
    `insert into taskboard.webhook (id, workspace_id, url, events, secrets, weak_secret, created_at, updated_at)
    select 'wh_' || n, 'ws_' || n, 'https://example.com', '{task.completed}'::text[], '[]'::jsonb, false, ${NOW - 8e8}, ${NOW - 8e8}
    from generate_series(1, ${count(2_000)}) as n
    union all select '${HUGE_WEBHOOK}', '${HUGE}', 'https://example.com', '{task.completed}'::text[], '[]'::jsonb, false, ${NOW - 8e8}, ${NOW - 8e8}`,
    // Nothing is due; every webhook has a waiting delivery.
    `insert into taskboard.due_delivery (id, webhook_id, workspace_id, account_id, seq, attempt_count, next_attempt_at, created_at)
    select 'evt_' || ${padded('n')}, ${ofDelivery('HUGE_WEBHOOK', 'wh_')}, ${ofDelivery('HUGE', 'ws_')},
      case when n % 2 = 0 then 'acc_0' else 'acc_' || (n / 10 % 2000 + 1) % 1000 end, 1, 1, ${NOW} + 60000 + n, ${NOW - 1e9} + n * 3000::bigint
    from ${numbers(300_000)} where n % 10 in (0, 9)`,
    `insert into taskboard.ended_delivery (id, webhook_id, workspace_id, status, seq, attempt_count, attempts, created_at)
    select 'evt_' || ${padded('n')}, ${ofDelivery('HUGE_WEBHOOK', 'wh_')}, ${ofDelivery('HUGE', 'ws_')},
      case when n % 50 = 8 then 'failed' else 'succeeded' end, 1, 1, '[]', ${NOW - 1e9} + n * 3000::bigint
    from ${numbers(300_000)} where n % 10 not in (0, 9)`,
  ]
}

function limitsAndUsage({ numbers, small }: Sizes): readonly string[] {
  return [
    `insert into taskboard.rolling_limit (key, window_ms, times, newest, most, admitted)
    select 'key:' || n, 60000, array_fill((${NOW} + n * 10)::bigint, array[10]), ${NOW} + n * 10, 60, 1 from ${numbers(200_000)}`,
    `insert into taskboard.tier_limit
      (key, hour, total, before_hour, before_minute, seconds, totals, per_hour, per_minute, admitted)
    select 'account:' || n, ${NOW}, 100, 0, 40, array_agg(s order by s), array_agg(40 + (s - ${NOW} / 1000 + 60)),
      10000, 500, 1
    from ${numbers(5_000)}, generate_series(${NOW} / 1000 - 59, ${NOW} / 1000) as s group by n`,
    `insert into taskboard.task_quota select 'acc_' || n, ${NOW - 1e9}, 10, 10000, 1 from ${numbers(20_000)}`,
    `insert into taskboard.schedule
      (id, workspace_id, cron, time_zone, task, overlap, enabled, next_at, created_at, updated_at)
    select 'sch_' || ${padded('n')}, case when n < 1000 then '${HUGE}' else 'ws_' || n % ${small} + 1 end, '0 * * * *', 'UTC', '{}', 'skip', n % 5 > 0,
      case when n % 5 > 0 then ${NOW} + 60000 + n end, ${NOW - 8e8}, ${NOW - 8e8}
    from ${numbers(100_000)}`,
    `insert into taskboard.task_usage
    select 'task_' || ${padded('n')}, 1, 'model', 1, 100, 10, 0, 1000 from ${numbers(200_000)}`,
    `insert into taskboard.usage_day
    select w.id, ${Math.floor(NOW / 86_400_000)} - n, 'agent_' || w.id || '_' || m, 'type', 'model', 1, 100, 10, 0, 1000
    from taskboard.workspace w, ${numbers(20)}, generate_series(0, 1) as m`,
    `insert into taskboard.usage_month
    select a.workspace_id, a.id, ${NOW}, 100, 1000 from taskboard.agent a union all select w.id, '', ${NOW}, 100, 1000 from taskboard.workspace w`,
    `insert into taskboard.monthly_budget
    select workspace_id, agent_id, '{"tokens": 1000000000, "costUsd": null}', 0 from taskboard.usage_month`,
    `insert into taskboard.idempotency
    select 'ak_' || n % 1000, 'key-' || n, 'fingerprint', 'task', 'null', ${NOW - 5e7} + n from ${numbers(300_000)}`,
  ]
}

/** Fills a newly migrated database: a million tasks and their other rows, and what the server knows of them. */
export async function loadLargeBoard(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select c.oid::regclass::text as name, pg_get_indexdef(c.oid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'taskboard'::regnamespace and not i.indisunique`,
  )
  await pool.query(`drop index ${rows.map(({ name }) => name).join(', ')}`)
  await fill(pool, [...load(1), ...rows.map(({ definition }) => definition), 'vacuum analyze'])
}

/** The same with a hundredth of the rows, of which the server knows nothing yet, as after an import. */
export async function loadNewBoard(pool: pg.Pool): Promise<void> {
  await fill(pool, load(0.01))
}

async function fill(pool: pg.Pool, statements: readonly string[]): Promise<void> {
  await leaveTablesAlone(pool)
  const client = await pool.connect()
  try {
    await client.query(
      `set session_replication_role = replica; set work_mem = '256MB'; set maintenance_work_mem = '512MB'`,
    )
    for (const text of statements) await client.query(text)
  } finally {
    client.release(true)
  }
}

/** Neither removes dead rows nor looks at new ones, so that plans do not depend on when that would be. */
export async function leaveTablesAlone(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'taskboard'`,
  )
  for (const { name } of rows)
    await pool.query(`alter table taskboard.${name} set (autovacuum_enabled = off)`)
}

/**
 * Takes the best hundred thousand tasks of the huge workspace from the queue and completes them, with the same writes as claims
 * and completions; two thousand in each transaction, which is faster than as many claims.
 */
export async function workOffHundredThousand(pool: pg.Pool): Promise<void> {
  for (let done = 0; done < 100_000;) {
    const { rows } = await pool.query<{ id: string }>(
      `with best as materialized (
        select q.task_id from ${EACH_LANE} cross join lateral (
          select t.task_id from taskboard.todo t
          where t.ready and t.workspace_id = '${HUGE}' and t.pool = '' and t.lane = l.lane
          order by ${BEST_FIRST} limit 500
        ) q
      ),
      gone as (delete from taskboard.todo where task_id = any (array(select task_id from best)))
      update taskboard.task set column_name = 'DOING', started_at = ${NOW}, attempts = 1, fencing_token = 1,
        lease_agent_id = 'agent_${HUGE}_2', lease_expires_at = ${NOW + 600_000}, version = version + 1
      where id = any (array(select task_id from best)) returning id`,
    )
    await pool.query(
      `update taskboard.task set column_name = 'DONE', completed_at = ${NOW}, done_by = lease_agent_id, lease_agent_id = null, lease_expires_at = null,
        version = version + 1
      where id = any ($1)`,
      [rows.map(({ id }) => id)],
    )
    if (rows.length === 0) throw new Error('the queue is empty')
    done += rows.length
  }
}
