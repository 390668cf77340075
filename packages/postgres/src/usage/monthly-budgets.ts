import { type Instant, type MonthlyBudget, TaskboardError, type Budget } from '@taskboard/core'
import { type CallContext, isBudgetSpent, monthStart, nextMonthStart } from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

/** Workspace, agent or '', until when the budget is spent. */
const markBudget = statement<never>(
  'mark_budget',
  /* sql */ `
  update taskboard.monthly_budget set spent_until = $3::bigint
  where workspace_id = $1::text and agent_id = $2::text and spent_until <> $3::bigint`,
)

/** Workspace, agent or '' for all. A separate statement, which sees the agents that were added until the budget was locked. */
const markAgents = statement<never>(
  'mark_budgeted_agents',
  /* sql */ `
  with marked as materialized (
    select a.id, greatest(
      coalesce((select b.spent_until from taskboard.monthly_budget b
        where b.workspace_id = $1::text and b.agent_id = ''), 0),
      coalesce((select b.spent_until from taskboard.monthly_budget b
        where b.workspace_id = $1::text and b.agent_id = a.id), 0)
    ) as spent_until
    from taskboard.agent a
    where a.workspace_id = $1::text and ($2::text = '' or a.id = $2::text)
    order by a.id for update of a
  )
  update taskboard.agent a set spent_until = m.spent_until
  from marked m where a.id = m.id and a.workspace_id = $1::text and a.spent_until <> m.spent_until`,
)

/** Notes until when a budget is spent (0 for not), for itself and for the agents that it concerns. */
export async function followBudget(
  session: Session,
  { workspaceId, agentId, spentUntil }: { workspaceId: string; agentId: string; spentUntil: Instant },
): Promise<void> {
  await session.run(markBudget, [workspaceId, agentId, spentUntil])
  await session.run(markAgents, [workspaceId, agentId])
}

interface HolderRow {
  readonly now: Instant
  /** Empty for the workspace. */
  readonly agentId: string
  readonly budget: Budget | null
  readonly month: Instant | null
  readonly tokens: number | null
  readonly costMicros: number | null
}

const holderColumns = /* sql */ `coalesce($1::bigint, taskboard.now_ms())::float8 as now, h.agent_id as "agentId", b.budget,
    m.month::float8 as month, m.tokens::float8 as tokens, m.cost_micros::float8 as "costMicros"`

/** What belongs to holder `h` (agent_id) of the workspace, parameter 2. */
const JOINED = /* sql */ `
    left join taskboard.monthly_budget b on b.workspace_id = $2::text and b.agent_id = h.agent_id
    left join taskboard.usage_month m on m.workspace_id = $2::text and m.agent_id = h.agent_id`

/** Present, workspace, agent or '' for the workspace. Returns nothing when it doesn't exist. */
const findHolder = statement<HolderRow>(
  'find_budget_holder',
  /* sql */ `
  select ${holderColumns}
  from (
    select '' as agent_id from taskboard.workspace w where w.id = $2::text and $3::text = ''
    union all
    select a.id from taskboard.agent a where a.id = $3::text and a.workspace_id = $2::text
  ) as h ${JOINED}`,
)

/** Present, workspace, the agent before, or null for the workspace itself first, limit. */
const listHolders = statement<HolderRow>(
  'list_budgets',
  /* sql */ `
  select ${holderColumns}
  from (
    select '' as agent_id from taskboard.workspace w where w.id = $2::text
    union all
    (
      select c.agent_id from taskboard.monthly_budget c
      where c.workspace_id = $2::text and c.agent_id > coalesce($3::text, '')
      order by c.agent_id limit $4::integer
    )
  ) as h ${JOINED}
  order by h.agent_id limit $4::integer + 1`,
)

/** Workspace, agent or '', budget. */
const storeBudget = statement<never>(
  'set_budget',
  /* sql */ `
  insert into taskboard.monthly_budget (workspace_id, agent_id, budget) values ($1::text, $2::text, $3::jsonb)
  on conflict (workspace_id, agent_id) do update set budget = excluded.budget`,
)

const removeBudget = statement<never>(
  'remove_budget',
  /* sql */ `delete from taskboard.monthly_budget where workspace_id = $1::text and agent_id = $2::text`,
)

/** Workspace. Waits for the reports that are being written, which don't see a new budget; later ones wait, and see it. */
export const takeBudgetTurn = statement<never>(
  'take_budget_turn',
  `select pg_advisory_xact_lock(hashtextextended('taskboard.budgets ' || $1::text, 0))`,
)

/** The budget of a holder, with '' for the workspace, and the present; null when it doesn't exist. */
export async function findMonthlyBudget(
  session: Session,
  { workspaceId, agentId }: { readonly workspaceId: string; readonly agentId: string },
  call: CallContext<PgConnection>,
): Promise<{ readonly budget: MonthlyBudget; readonly now: Instant } | null> {
  const [row] = await session.run(findHolder, [call.now, workspaceId, agentId])
  return row === undefined ? null : { budget: toMonthlyBudget(row, workspaceId), now: row.now }
}

/** `UsageStore.setBudget`. */
export function setBudget(
  database: Database,
  change: { readonly workspaceId: string; readonly agentId: string | null; readonly budget: Budget | null },
  call: CallContext<PgConnection>,
): Promise<MonthlyBudget> {
  const { workspaceId, budget } = change
  const agentId = change.agentId ?? ''
  return database.atomically(call, async (session) => {
    await session.run(takeBudgetTurn, [workspaceId])
    const found = await session.run(findHolder, [call.now, workspaceId, agentId])
    if (found.length === 0) throw unknownHolder(agentId)
    if (budget === null) await session.run(removeBudget, [workspaceId, agentId])
    else await session.run(storeBudget, [workspaceId, agentId, JSON.stringify(budget)])
    const [row] = await session.run(findHolder, [call.now, workspaceId, agentId])
    if (row === undefined) throw unknownHolder(agentId)
    const after = toMonthlyBudget(row, workspaceId)
    const spentUntil = after.isSpent ? nextMonthStart(row.now) : 0
    await followBudget(session, { workspaceId, agentId, spentUntil })
    return after
  })
}

/** `UsageStore.listBudgets`. */
export async function listBudgets(
  database: Database,
  {
    workspaceId,
    afterId,
    limit,
  }: { readonly workspaceId: string; readonly afterId: string | null; readonly limit: number },
  call: CallContext<PgConnection>,
): Promise<readonly MonthlyBudget[]> {
  const rows = await database.read(call, listHolders, [call.now, workspaceId, afterId, limit])
  if (rows.length === 0) throw unknownHolder('')
  const asked = afterId === null ? rows : rows.filter(({ agentId }) => agentId !== '')
  return asked.slice(0, limit).map((row) => toMonthlyBudget(row, workspaceId))
}

function toMonthlyBudget({ now, agentId, budget, ...used }: HolderRow, workspaceId: string): MonthlyBudget {
  const month = monthStart(now)
  const isCurrent = used.month !== null && used.month >= month
  const tokens = isCurrent ? (used.tokens ?? 0) : 0
  const costMicros = isCurrent ? (used.costMicros ?? 0) : 0
  const isSpent = isBudgetSpent(budget, { inputTokens: tokens, outputTokens: 0, costMicros })
  return { workspaceId, agentId: agentId === '' ? null : agentId, budget, month, tokens, costMicros, isSpent }
}

function unknownHolder(agentId: string): TaskboardError {
  return new TaskboardError('NOT_FOUND', agentId === '' ? 'no such workspace' : 'no such agent')
}
