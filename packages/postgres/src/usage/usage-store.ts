import { TaskboardError, type UsageGroup, type UsageSum } from '@taskboard/core'
import type { CallContext, UsageQuery, UsageStore } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement, type Statement } from '../connection/statement.js'
import { enterUsage } from './enter-usage.js'
import { listBudgets, setBudget } from './monthly-budgets.js'
import { recordUsage } from './record-usage.js'

/** The columns of a `UsageSum` next to its key, of rows `u`. */
const SUMS = /* sql */ `sum(u.reports)::float8 as reports, sum(u.input_tokens)::float8 as "inputTokens",
    sum(u.output_tokens)::float8 as "outputTokens", sum(u.cached_input_tokens)::float8 as "cachedInputTokens",
    sum(u.cost_micros)::float8 as "costMicros"`

/** Keys in the order of their bytes, whatever the language of the database. */
const BY_KEY = 'order by s.key collate "C"'

/** No report gives a row without a key; a task or a workspace that isn't there gives no row. */
type SumRow = UsageSum | { readonly key: null }

/** Workspace, task, limit. */
const ofTask = (verb: string, key: string): Statement<SumRow> =>
  statement<SumRow>(
    verb,
    /* sql */ `
  with found as (select t.id from taskboard.task t where t.id = $2::text and t.workspace_id = $1::text),
  summed as (
    select * from (
      select ${key} as key, ${SUMS} from taskboard.task_usage u where u.task_id in (select id from found) group by 1
    ) as s ${BY_KEY} limit $3::integer
  )
  select s.* from found left join summed s on true ${BY_KEY}`,
  )

const taskStatements = {
  attempt: ofTask(
    'sum_usage_of_task',
    `case when u.fencing_token = 0 then '' else u.fencing_token::text end`,
  ),
  model: ofTask('sum_usage_of_task_by_model', 'u.model'),
}

/** Tasks. */
const ofTasks = statement<UsageSum>(
  'sum_usage_of_tasks',
  /* sql */ `
  select s.* from (
    select u.task_id as key, ${SUMS} from taskboard.task_usage u where u.task_id = any ($1::text[]) group by 1
  ) as s ${BY_KEY}`,
)

/** Account, workspaces within reach, workspace or null, first day, last day, limit, greatest key before. */
const ofDays = (group: UsageGroup, key: string): Statement<SumRow> =>
  statement<SumRow>(
    `sum_usage_by_${group}`,
    /* sql */ `
  with reached_workspace as materialized (
    select w.id from taskboard.workspace w
    where w.account_id = $1::text and ($2::text[] is null or w.id = any ($2::text[]))
      and ($3::text is null or w.id = $3::text)
  ),
  summed as (
    select * from (
      select ${key} as key, ${SUMS}
      from reached_workspace w join taskboard.usage_day u
        on u.workspace_id = w.id and u.day between $4::integer and $5::integer
      where $7::text is null or (${key}) collate "C" > $7::text
      group by 1
    ) as s ${BY_KEY} limit $6::integer
  )
  select s.*
  from (select where $3::text is null or exists (select from reached_workspace)) r left join summed s on true ${BY_KEY}`,
  )

const dayStatements: { readonly [G in UsageGroup]: Statement<SumRow> } = {
  day: ofDays('day', `(date '1970-01-01' + u.day)::text`),
  agent: ofDays('agent', 'u.agent_id'),
  type: ofDays('type', 'u.type'),
  model: ofDays('model', 'u.model'),
}

/** `UsageStore.sumUsage`. */
async function sumUsage(
  database: Database,
  query: UsageQuery,
  call: CallContext<PgConnection>,
): Promise<readonly UsageSum[]> {
  if ('taskId' in query) {
    const { workspaceId, taskId, groupBy, limit } = query
    const rows = await database.readLatest(call, taskStatements[groupBy], () => [workspaceId, taskId, limit])
    if (rows.length === 0) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
    return withKeys(rows)
  }
  if ('taskIds' in query) return database.readLatest(call, ofTasks, () => [query.taskIds])
  const { reach, workspaceId, groupBy, firstDay, lastDay, limit, afterKey } = query
  const workspaceIds = reach.workspaceIds === 'all' ? null : reach.workspaceIds
  const values = [reach.accountId, workspaceIds, workspaceId, firstDay, lastDay, limit, afterKey]
  const rows = await database.readLatest(call, dayStatements[groupBy], () => values)
  if (rows.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  return withKeys(rows)
}

function withKeys(rows: readonly SumRow[]): readonly UsageSum[] {
  return rows.filter((row): row is UsageSum => row.key !== null)
}

export function createUsageStore(database: Database): UsageStore<PgConnection> {
  return {
    recordUsage: (record, call) => recordUsage(database, record, call),
    sumUsage: (query, call) => sumUsage(database, query, call),
    enterUsage: (entry, call) => enterUsage(database, entry, call),
    setBudget: (change, call) => setBudget(database, change, call),
    listBudgets: (query, call) => listBudgets(database, query, call),
  }
}
