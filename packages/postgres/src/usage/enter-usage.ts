import {
  type Created,
  type EnteredUsage,
  type Instant,
  type MonthlyBudget,
  TaskboardError,
  type UsageAmounts,
} from '@taskboard/core'
import {
  type CallContext,
  entryDay,
  monthStart,
  nextMonthStart,
  requireCorrectable,
  type UsageEntry,
} from '@taskboard/core/storage'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import type { Database, Session } from '../database/database.js'
import { once } from '../database/idempotency.js'
import { findMonthlyBudget, followBudget, takeBudgetTurn } from './monthly-budgets.js'

/** Workspace, agent or '' for all, first day, last day. */
const sumMonth = statement<UsageAmounts>(
  'sum_usage_of_month',
  /* sql */ `
  select coalesce(sum(u.input_tokens), 0)::float8 as "inputTokens",
    coalesce(sum(u.output_tokens), 0)::float8 as "outputTokens",
    coalesce(sum(u.cached_input_tokens), 0)::float8 as "cachedInputTokens",
    coalesce(sum(u.cost_micros), 0)::float8 as "costMicros"
  from taskboard.usage_day u
  where u.workspace_id = $1::text and u.day between $3::integer and $4::integer
    and ($2::text = '' or u.agent_id = $2::text)`,
)

/** An entry, by the names of the columns. Usage of a past month isn't added to a later one. */
const addEntry = statement<never>(
  'enter_usage',
  /* sql */ `
  with n as materialized (
    select * from jsonb_to_record($1::jsonb) as n (
      workspace_id text, agent_id text, model text, day integer, month bigint, is_past boolean, reports bigint,
      input_tokens bigint, output_tokens bigint, cached_input_tokens bigint, cost_micros bigint
    )
  ),
  of_day as (
    insert into taskboard.usage_day as u (workspace_id, day, agent_id, type, model, reports, input_tokens, output_tokens,
      cached_input_tokens, cost_micros)
    select n.workspace_id, n.day, n.agent_id, '', n.model, n.reports, n.input_tokens, n.output_tokens,
      n.cached_input_tokens, n.cost_micros
    from n
    on conflict (workspace_id, day, agent_id, type, model) do update set
      reports = u.reports + excluded.reports,
      input_tokens = u.input_tokens + excluded.input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens,
      cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
      cost_micros = u.cost_micros + excluded.cost_micros
  )
  insert into taskboard.usage_month as u (workspace_id, agent_id, month, tokens, cost_micros)
  select n.workspace_id, h.agent_id, n.month, n.input_tokens + n.output_tokens, n.cost_micros
  from n cross join lateral (select '' as agent_id union select n.agent_id) as h
  order by h.agent_id
  on conflict (workspace_id, agent_id) do update set
    month = greatest(u.month, excluded.month),
    tokens = excluded.tokens + case when u.month >= excluded.month then u.tokens else 0 end,
    cost_micros = excluded.cost_micros + case when u.month >= excluded.month then u.cost_micros else 0 end
  where u.month <= excluded.month or not (select n.is_past from n)`,
)

/** `UsageStore.enterUsage`. */
export function enterUsage(
  database: Database,
  entry: UsageEntry,
  call: CallContext<PgConnection>,
): Promise<Created<EnteredUsage>> {
  return database.atomically(call, async (session) => {
    await session.run(takeBudgetTurn, [entry.workspaceId])
    // A workspace or an agent that does not exist is reported before a key that was used.
    const { now } = await holdersOf(session, entry, call)
    const make = (within: Session): Promise<EnteredUsage> => enterWithin(within, database, entry, call, now)
    if (entry.idempotency === null) return { value: await make(session), replayed: false }
    return once(session, entry.idempotency, call.now, make)
  })
}

async function enterWithin(
  session: Session,
  database: Database,
  entry: UsageEntry,
  call: CallContext<PgConnection>,
  now: Instant,
): Promise<EnteredUsage> {
  const { workspaceId, report, correction } = entry
  const { day, month, firstDay, lastDay } = entryDay(entry, now)
  const agentIds = entry.agentId === null ? [''] : ['', entry.agentId]
  if (correction !== null) {
    const sums: UsageAmounts[] = []
    for (const agentId of agentIds) {
      sums.push(...(await session.run(sumMonth, [workspaceId, agentId, firstDay, lastDay])))
    }
    requireCorrectable(report, sums)
  }
  const row = {
    workspace_id: workspaceId,
    agent_id: entry.agentId ?? '',
    model: report.model,
    day,
    month,
    is_past: month < monthStart(now),
    reports: correction === null ? 1 : 0,
    input_tokens: report.inputTokens,
    output_tokens: report.outputTokens,
    cached_input_tokens: report.cachedInputTokens,
    cost_micros: report.costMicros,
  }
  await session.run(addEntry, [JSON.stringify(row)])
  const { workspace, agent } = await holdersOf(session, entry, call)
  const holders = agent === null ? [workspace] : [workspace, agent]
  for (const { agentId, isSpent } of holders) {
    const spentUntil = isSpent ? nextMonthStart(now) : 0
    await followBudget(session, { workspaceId, agentId: agentId ?? '', spentUntil })
  }
  return { id: database.settings.current.newId('use'), workspace, agent }
}

/** @throws TaskboardError `NOT_FOUND`. */
async function holdersOf(
  session: Session,
  { workspaceId, agentId }: UsageEntry,
  call: CallContext<PgConnection>,
): Promise<{
  readonly workspace: MonthlyBudget
  readonly agent: MonthlyBudget | null
  readonly now: Instant
}> {
  const workspace = await findMonthlyBudget(session, { workspaceId, agentId: '' }, call)
  if (workspace === null) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  const { now } = workspace
  if (agentId === null) return { workspace: workspace.budget, agent: null, now }
  const agent = await findMonthlyBudget(session, { workspaceId, agentId }, call)
  if (agent === null) throw new TaskboardError('NOT_FOUND', 'no such agent')
  return { workspace: workspace.budget, agent: agent.budget, now }
}
