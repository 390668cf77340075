import {
  type Instant,
  type Task,
  TaskboardError,
  type Budget,
  type BudgetHolder,
  type Created,
  type RecordedUsage,
  type UsageAmounts,
} from '@taskboard/core'
import {
  budgetHold,
  type CallContext,
  isBudgetSpent,
  monthStart,
  nextMonthStart,
  type UsageRecord,
} from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { once } from '../database/idempotency.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { applyCommand, type ReadTask, withinSession } from '../board/apply-command.js'
import { taskColumns, toTask } from '../board/task-row.js'
import { followBudget } from './monthly-budgets.js'

/**
 * Present, workspace, task. Locked, so that the reports on one task follow each other. Budgets are set before or after the report: see
 * `takeBudgetTurn`.
 */
const lockTask = statement<ReadTask>(
  'lock_reported_task',
  /* sql */ `
  with turn as materialized (
    select pg_advisory_xact_lock_shared(hashtextextended('taskboard.budgets ' || $2::text, 0))
  )
  select coalesce($1::bigint, taskboard.now_ms())::float8 as now, ${taskColumns('t')}
  from taskboard.task t
  where t.id = $3::text and t.workspace_id = $2::text and (select count(*) from turn) > 0 for update of t`,
)

/** A budget of the month, of the task's agent or its workspace. */
interface BudgetRow {
  readonly agentId: string
  readonly budget: Budget
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicros: number
}

interface SumRow extends UsageAmounts {
  readonly budgets: readonly BudgetRow[]
}

const AMOUNTS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cost_micros'] as const
const columns = AMOUNTS.join(', ')
const sums = (table: string): string =>
  ['reports', ...AMOUNTS].map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')
const amounts = AMOUNTS.map((name) => `n.${name}`).join(', ')

/**
 * A report, by the names of the columns. The sums of months are locked in the order of their ids, the workspace's first. A statement
 * doesn't see its own writes: the sum of the task is the sum before it plus the report.
 */
const addReport = statement<SumRow>(
  'add_usage',
  /* sql */ `
  with n as materialized (
    select * from jsonb_to_record($1::jsonb) as n (
      workspace_id text, task_id text, fencing_token bigint, agent_id text, type text, model text, day integer, month bigint,
      input_tokens bigint, output_tokens bigint, cached_input_tokens bigint, cost_micros bigint
    )
  ),
  before as materialized (
    select ${AMOUNTS.map((name) => `coalesce(sum(u.${name}), 0)::bigint as ${name}`).join(', ')}
    from taskboard.task_usage u where u.task_id = (select task_id from n)
  ),
  of_task as (
    insert into taskboard.task_usage as u (task_id, fencing_token, model, reports, ${columns})
    select n.task_id, n.fencing_token, n.model, 1, ${amounts} from n
    on conflict (task_id, fencing_token, model) do update set ${sums('u')}
  ),
  of_day as (
    insert into taskboard.usage_day as u (workspace_id, day, agent_id, type, model, reports, ${columns})
    select n.workspace_id, n.day, n.agent_id, n.type, n.model, 1, ${amounts} from n
    on conflict (workspace_id, day, agent_id, type, model) do update set ${sums('u')}
  ),
  -- Locked, so that a change of a budget and a report of the same moment follow each other.
  held_budget as materialized (
    select b.* from taskboard.monthly_budget b
    where b.workspace_id = (select workspace_id from n) and b.agent_id in ('', (select agent_id from n))
    order by b.agent_id for update of b
  ),
  of_month as (
    insert into taskboard.usage_month as u (workspace_id, agent_id, month, tokens, cost_micros)
    select n.workspace_id, h.agent_id, n.month, n.input_tokens + n.output_tokens, n.cost_micros
    from n cross join lateral (select '' as agent_id union select n.agent_id) as h
    order by h.agent_id
    on conflict (workspace_id, agent_id) do update set
      month = greatest(u.month, excluded.month),
      tokens = excluded.tokens + case when u.month >= excluded.month then u.tokens else 0 end,
      cost_micros = excluded.cost_micros + case when u.month >= excluded.month then u.cost_micros else 0 end
    returning u.agent_id, u.tokens, u.cost_micros
  )
  select ${[
    ['input_tokens', 'inputTokens'],
    ['output_tokens', 'outputTokens'],
    ['cached_input_tokens', 'cachedInputTokens'],
    ['cost_micros', 'costMicros'],
  ]
    .map(([name, member]) => `(b.${name} + n.${name})::float8 as "${member}"`)
    .join(', ')},
    coalesce((
      select jsonb_agg(jsonb_build_object('agentId', m.agent_id, 'budget', g.budget, 'inputTokens', m.tokens,
        'outputTokens', 0, 'costMicros', m.cost_micros))
      from of_month m join held_budget g on g.agent_id = m.agent_id
    ), '[]') as budgets
  from n, before b`,
)

/** `UsageStore.recordUsage`. */
export async function recordUsage(
  database: Database,
  record: UsageRecord,
  call: CallContext<PgConnection>,
): Promise<Created<RecordedUsage>> {
  let isRevoked = false
  const make = async (session: Session): Promise<RecordedUsage> => {
    const recorded = await recordWithin(session, database, record, call)
    isRevoked = recorded.isRevoked
    return recorded.usage
  }
  const created = await database.atomically(call, async (session) => {
    if (record.idempotency === null) return { value: await make(session), replayed: false }
    // A task that does not exist is reported before a key that was used.
    await lockedTask(session, record, call)
    return once(session, record.idempotency, call.now, make)
  })
  if (isRevoked) database.recordRevocation(call)
  return created
}

async function lockedTask(
  session: Session,
  { workspaceId, taskId }: UsageRecord,
  call: CallContext<PgConnection>,
): Promise<ReadTask> {
  const [row] = await session.run(lockTask, [call.now, workspaceId, taskId])
  if (row === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  return row
}

async function recordWithin(
  session: Session,
  database: Database,
  record: UsageRecord,
  call: CallContext<PgConnection>,
): Promise<{ readonly usage: RecordedUsage; readonly isRevoked: boolean }> {
  const { workspaceId, taskId, report, fencingToken, leaseMs } = record
  const row = await lockedTask(session, record, call)
  const { now } = row
  const within = withinSession(session)
  const task =
    fencingToken === null
      ? toTask(row)
      : await applyCommand(within, record, { kind: 'renew', fencingToken, leaseMs }, call, row)
  const attempt = task.lease !== null && task.lease.expiresAt > now ? task.lease : null
  const [sum] = await session.run(addReport, [JSON.stringify(toRow(record, task, attempt, now))])
  if (sum === undefined) throw new Error('a report has no sum')
  const { budgets, ...total } = sum
  const spent = await spentHolder(session, { workspaceId, task, total, budgets }, now)
  const command = spent === null ? null : budgetHold(task, spent, fencingToken, now)
  if (command !== null && command.kind !== 'edit') await applyCommand(within, record, command, call)
  const usage = {
    id: database.settings.current.newId('use'),
    workspaceId,
    taskId,
    agentId: attempt?.agentId ?? null,
    fencingToken: attempt?.fencingToken ?? null,
    model: report.model,
    inputTokens: report.inputTokens,
    outputTokens: report.outputTokens,
    cachedInputTokens: report.cachedInputTokens,
    costMicros: report.costMicros,
    at: now,
    total,
    spent,
  }
  return { usage, isRevoked: command?.kind === 'hold' && attempt !== null }
}

const DAY_MS = 86_400_000

function toRow(
  { workspaceId, taskId, report }: UsageRecord,
  task: Task,
  attempt: Task['lease'],
  now: Instant,
): object {
  return {
    workspace_id: workspaceId,
    task_id: taskId,
    fencing_token: attempt?.fencingToken ?? 0,
    agent_id: attempt?.agentId ?? '',
    type: task.type ?? '',
    model: report.model,
    day: Math.floor(now / DAY_MS),
    month: monthStart(now),
    input_tokens: report.inputTokens,
    output_tokens: report.outputTokens,
    cached_input_tokens: report.cachedInputTokens,
    cost_micros: report.costMicros,
  }
}

/** The budgets that are used up; keeps the agents from further tasks when one is monthly. */
async function spentHolder(
  session: Session,
  {
    workspaceId,
    task,
    total,
    budgets,
  }: { workspaceId: string; task: Task; total: UsageAmounts; budgets: readonly BudgetRow[] },
  now: Instant,
): Promise<BudgetHolder | null> {
  const spent = budgets.filter((row) => isBudgetSpent(row.budget, row)).map(({ agentId }) => agentId)
  for (const agentId of spent.toSorted()) {
    await followBudget(session, { workspaceId, agentId, spentUntil: nextMonthStart(now) })
  }
  if (isBudgetSpent(task.budget, total)) return 'task'
  if (spent.some((agentId) => agentId !== '')) return 'agent'
  return spent.length > 0 ? 'workspace' : null
}
