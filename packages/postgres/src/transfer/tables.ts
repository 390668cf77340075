import { countedEvent, COUNTED_TYPES } from '../analytics/analytics-store.js'

/** A table that exports have, in an order that references allow. */
export interface TransferTable {
  readonly name: string
  /** The columns of its primary key, in order. */
  readonly key: readonly string[]
  /** Which of its rows `r` are exported; $1 has the accounts, $2 the workspaces, $3 is whether whole accounts are exported. */
  readonly condition: string
  /** Where the rows come from, when that isn't the table itself. */
  readonly source?: string
  /** Columns that aren't exported: the importing database fills them. */
  readonly omitted?: readonly string[]
  /** Columns with other values than those stored. */
  readonly replaced?: Readonly<Record<string, string>>
  /** Tables whose rows are exported within the row that their `task_id` names, with the order of those rows. */
  readonly parts?: readonly TransferPart[]
  /** The work on the rows that an import has added; $1 has the rows as JSON. */
  readonly afterwards?: string
}

export interface TransferPart {
  readonly name: string
  readonly order: string
  readonly omitted?: readonly string[]
}

const OF_WORKSPACE = 'r.workspace_id = any ($2::text[])'
const OF_WHOLE_ACCOUNT = '$3::boolean and r.account_id = any ($1::text[])'
/** Events aren't exported: what they count is in the figures, and readers begin behind the last one. */
const LAST_SEQ = '(select l.last_seq from taskboard.workspace_log l where l.workspace_id = r.workspace_id)'

const figures = /* sql */ `(
  select f.workspace_id, f.day, f.type, sum(f.created)::bigint as created, sum(f.completed)::bigint as completed,
    sum(f.failed)::bigint as failed, sum(f.timed)::bigint as timed, sum(f.taken_ms)::bigint as taken_ms
  from (
    select d.workspace_id, d.day, d.type, d.created, d.completed, d.failed, d.timed, d.taken_ms from taskboard.analytics_day d
    where d.workspace_id = any ($2::text[])
    union all
    select e.workspace_id, c.day, c.type, c.created, c.completed, c.failed, c.timed, c.taken_ms
    from taskboard.event e left join taskboard.analytics_mark m on m.workspace_id = e.workspace_id
      cross join lateral (${countedEvent('e')}) c
    where e.workspace_id = any ($2::text[]) and e.last_seq > coalesce(m.seq, 0) and e.seq > coalesce(m.seq, 0) and e.type in ${COUNTED_TYPES}
  ) f
  group by f.workspace_id, f.day, f.type
)`

const marks = /* sql */ `(select l.workspace_id, l.last_seq as seq from taskboard.workspace_log l)`

/** What accounts need first, and what refers to tasks last. */
export const transferTables: readonly TransferTable[] = [
  // Where it is imported, hosts need the key of the exported secrets.
  { name: 'key_check', key: ['only_row'], condition: 'true' },
  {
    name: 'every_account',
    key: ['id'],
    condition: 'not r.deleting and r.id = any ($1::text[])',
    omitted: ['deleting'],
  },
  {
    name: 'every_workspace',
    key: ['id'],
    condition: 'not r.deleting and r.id = any ($2::text[])',
    omitted: ['deleting'],
  },
  {
    name: 'workspace_log',
    key: ['workspace_id'],
    condition: OF_WORKSPACE,
    omitted: ['feed_xid', 'has_resting'],
  },
  { name: 'account_user', key: ['id'], condition: OF_WHOLE_ACCOUNT },
  {
    name: 'api_key',
    key: ['id'],
    condition:
      'case when $3::boolean then r.account_id = any ($1::text[]) else r.workspace_id = any ($2::text[]) end',
  },
  { name: 'task_quota', key: ['account_id'], condition: OF_WHOLE_ACCOUNT },
  { name: 'audit', key: ['id'], condition: OF_WHOLE_ACCOUNT },
  { name: 'monthly_budget', key: ['workspace_id', 'agent_id'], condition: OF_WORKSPACE },
  {
    name: 'agent',
    key: ['id'],
    condition: OF_WORKSPACE,
    omitted: ['fallback'],
    // A trigger gives a new agent what its workspace has spent; it may have spent its own.
    afterwards: /* sql */ `
      update taskboard.agent a set spent_until = g.spent_until
      from json_populate_recordset(null::taskboard.agent, $1::json) g where a.id = g.id and a.spent_until < g.spent_until`,
  },
  { name: 'schedule', key: ['id'], condition: OF_WORKSPACE },
  { name: 'webhook', key: ['id'], condition: OF_WORKSPACE },
  { name: 'notification_channel', key: ['id'], condition: OF_WORKSPACE },
  {
    name: 'notification_target',
    key: ['workspace_id', 'channel'],
    condition: OF_WORKSPACE,
    omitted: ['rests', 'claim_token'],
    replaced: { read_through_seq: LAST_SEQ },
  },
  { name: 'bot_link', key: ['id'], condition: OF_WHOLE_ACCOUNT },
  { name: 'bot_conversation', key: ['id'], condition: OF_WORKSPACE },
  { name: 'bot_message', key: ['id'], condition: OF_WORKSPACE, omitted: ['claim_token'] },
  { name: 'analytics_day', key: ['workspace_id', 'day', 'type'], condition: OF_WORKSPACE, source: figures },
  { name: 'analytics_mark', key: ['workspace_id'], condition: OF_WORKSPACE, source: marks },
  { name: 'usage_day', key: ['workspace_id', 'day', 'agent_id', 'type', 'model'], condition: OF_WORKSPACE },
  { name: 'usage_month', key: ['workspace_id', 'agent_id'], condition: OF_WORKSPACE },
  {
    name: 'task',
    key: ['id'],
    condition: OF_WORKSPACE,
    parts: [
      { name: 'task_search', order: 'p.task_id' },
      // Their numbers count the rows of the whole database.
      { name: 'task_log', order: 'p.id', omitted: ['id'] },
      { name: 'task_output', order: 'p.id', omitted: ['id'] },
      { name: 'earlier_attempt', order: 'p.fencing_token' },
      { name: 'task_comment', order: 'p.place' },
      { name: 'task_usage', order: 'p.fencing_token, p.model' },
    ],
  },
  {
    name: 'task_dependency',
    key: ['depends_on', 'task_id'],
    condition:
      'exists (select from taskboard.task t where t.id = r.task_id and t.workspace_id = any ($2::text[]))',
    // Tasks that were done and had not freed all others yet.
    afterwards: /* sql */ `
      insert into taskboard.freeing (task_id)
      select distinct g.depends_on from json_populate_recordset(null::taskboard.task_dependency, $1::json) g
        join taskboard.task_dependency d on d.depends_on = g.depends_on and d.task_id = g.task_id and d.is_open
        join taskboard.task t on t.id = d.depends_on and t.column_name = 'DONE'
      on conflict (task_id) do update set horizon = null`,
  },
  { name: 'approval', key: ['id'], condition: OF_WORKSPACE },
  // So that a client that repeats a request at the importing host gets the answer that it missed.
  {
    name: 'idempotency',
    key: ['scope', 'key'],
    condition: 'taskboard.workspace_of_scope(r.scope) = any ($2::text[])',
  },
]

/** The other tables, with why exports don't have them. A new table is in one of the two lists. */
export const tablesLeftOut: Readonly<Record<string, string>> = {
  migration: 'the schema of the importing database, which must be the same',
  scoring: 'the weights by which the importing database orders its queue',
  todo: 'the queue, which triggers fill',
  freeing: 'work that is left, which the import finds again',
  rerouting: 'work that is left, which triggers find again',
  deletion: 'work that is left: what is being deleted is not exported',
  event_batch: 'the order of the transactions of one database; the figures have what they count',
  due_delivery: 'sent by the host that the events are of',
  ended_delivery: 'sent by the host that the events are of',
  agent_runtime: 'until when runtimes of the host are at work',
  realtime_holder: 'connections of the host',
  realtime_slot: 'connections of the host',
  session: 'people log in again',
  link: 'people get another link from the importing host',
  bot_link_code: 'people get another code, which lasts ten minutes',
  bot_update: 'updates of the messengers of the host',
  bot_polling: 'updates of the messengers of the host',
  invitation: 'people are invited again',
  login_attempt: 'short-lived counts',
  rolling_limit: 'short-lived counts',
  tier_limit: 'short-lived counts',
}
