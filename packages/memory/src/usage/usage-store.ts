import {
  type Instant,
  type MonthlyBudget,
  type Task,
  TaskboardError,
  type BudgetHolder,
  type EnteredUsage,
  type RecordedUsage,
  type UsageAmounts,
  type UsageSum,
} from '@taskboard/core'
import {
  addUsage,
  budgetHold,
  entryDay,
  isBudgetSpent,
  monthStart,
  nextMonthStart,
  noUsage,
  requireCorrectable,
  type UsageEntry,
  type UsageQuery,
  type UsageRecord,
  type UsageStore,
} from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import { isWithin } from '../tables/reach.js'
import type { TaskChanges } from '../board/task-changes.js'
import type { MemoryTransaction } from '../tables/transactions.js'
import { type DayUsageRow, holderKey, type TaskUsageRow, usageOfTask } from '../tables/usage-rows.js'

type Store = UsageStore<MemoryTransaction>

const DAY_MS = 86_400_000

export function createUsageStore(database: Database, changes: TaskChanges): Store {
  const { transactions, tables } = database
  const { read, write } = transactions

  return {
    recordUsage: (record, call) =>
      write(call, (now) => {
        changes.require(record.workspaceId, record.taskId)
        return database.idempotency.once(record.idempotency, now, () =>
          recordUsage(database, changes, record, now),
        )
      }),
    sumUsage: (query, call) =>
      read(call, () => {
        if ('taskId' in query) {
          changes.require(query.workspaceId, query.taskId)
          return summed(rowsOfTask(database, query), query.limit, null)
        }
        if ('taskIds' in query)
          return summed(rowsOfTasks(database, query.taskIds), query.taskIds.length, null)
        return summed(rowsOfDays(database, query), query.limit, query.afterKey)
      }),
    enterUsage: (entry, call) =>
      write(call, (now) => {
        requireHolder(database, entry.workspaceId, entry.agentId)
        return database.idempotency.once(entry.idempotency, now, () => enterUsage(database, entry, now))
      }),
    setBudget: ({ workspaceId, agentId, budget }, call) =>
      write(call, (now) => {
        requireHolder(database, workspaceId, agentId)
        const key = holderKey(workspaceId, agentId)
        if (budget === null) tables.budgets.delete(key)
        else {
          const copied = { tokens: budget.tokens, costUsd: budget.costUsd }
          tables.budgets.set(key, { workspaceId, agentId, budget: copied, spentUntil: 0 })
        }
        followBudget(database, workspaceId, agentId, now)
        return monthlyBudget(database, workspaceId, agentId, now)
      }),
    listBudgets: ({ workspaceId, afterId, limit }, call) =>
      read(call, (now) => {
        database.requireWorkspace(workspaceId)
        const agentIds = [...tables.budgets.values()].flatMap((each) =>
          each.workspaceId === workspaceId && each.agentId !== null ? [each.agentId] : [],
        )
        const ids = [...(afterId === null ? [null] : []), ...agentIds.sort()]
        return ids
          .filter((id) => id === null || afterId === null || id > afterId)
          .slice(0, limit)
          .map((agentId) => monthlyBudget(database, workspaceId, agentId, now))
      }),
  }
}

function requireHolder(database: Database, workspaceId: string, agentId: string | null): void {
  database.requireWorkspace(workspaceId)
  if (agentId === null || database.tables.agents.get(agentId)?.workspaceId === workspaceId) return
  throw new TaskboardError('NOT_FOUND', 'no such agent')
}

/** Notes until when a budget is spent. */
function followBudget(database: Database, workspaceId: string, agentId: string | null, now: Instant): void {
  const { budgets } = database.tables
  const key = holderKey(workspaceId, agentId)
  const stored = budgets.get(key)
  if (stored === undefined) return
  const isSpent = isBudgetSpent(stored.budget, spentBy(database, workspaceId, agentId, now))
  budgets.set(key, { ...stored, spentUntil: isSpent ? nextMonthStart(now) : 0 })
}

function enterUsage(database: Database, entry: UsageEntry, now: Instant): EnteredUsage {
  const { workspaceId, agentId, report, correction } = entry
  const { day, month, firstDay, lastDay } = entryDay(entry, now)
  const holders = agentId === null ? [null] : [null, agentId]
  if (correction !== null) {
    const rows = [...database.tables.usageDays.values()].filter(
      (row) => row.workspaceId === workspaceId && row.day >= firstDay && row.day <= lastDay,
    )
    const sums = holders.map((holder) =>
      rows
        .filter((row) => holder === null || row.agentId === holder)
        .reduce((sum, { amounts }) => addUsage(sum, amounts), noUsage),
    )
    requireCorrectable(report, sums)
  }
  const reports = correction === null ? 1 : 0
  const row = { workspaceId, day, agentId: agentId ?? '', type: '', model: report.model }
  addToDay(database, row, report, reports)
  addToMonths(database, { workspaceId, holders, month, isPast: month < monthStart(now) }, report)
  for (const holder of holders) followBudget(database, workspaceId, holder, now)
  return {
    id: database.settings.current.newId('use'),
    workspace: monthlyBudget(database, workspaceId, null, now),
    agent: agentId === null ? null : monthlyBudget(database, workspaceId, agentId, now),
  }
}

function recordUsage(
  database: Database,
  changes: TaskChanges,
  { workspaceId, taskId, report, fencingToken, leaseMs }: UsageRecord,
  now: Instant,
): RecordedUsage {
  const renewed = fencingToken === null ? undefined : ({ kind: 'renew', fencingToken, leaseMs } as const)
  const found = changes.require(workspaceId, taskId)
  const task = renewed === undefined ? found : changes.apply(found, renewed, now)
  const attempt = task.lease !== null && task.lease.expiresAt > now ? task.lease : null
  const agentId = attempt?.agentId ?? null
  addToSums(database, task, { model: report.model, amounts: report, attempt }, now)
  const total = usageOfTask(database.tables.taskUsage, taskId)
  const spent = spentHolder(database, task, agentId, total, now)
  const command = spent === null ? null : budgetHold(task, spent, fencingToken, now)
  if (command !== null && command.kind !== 'edit') changes.apply(task, command, now)
  const { model, inputTokens, outputTokens, cachedInputTokens, costMicros } = report
  return {
    id: database.settings.current.newId('use'),
    workspaceId,
    taskId,
    agentId,
    fencingToken: attempt?.fencingToken ?? null,
    model,
    inputTokens,
    outputTokens,
    cachedInputTokens,
    costMicros,
    at: now,
    total,
    spent,
  }
}

interface Addition {
  readonly model: string
  readonly amounts: UsageAmounts
  readonly attempt: Task['lease']
}

function addToSums(
  database: Database,
  task: Task,
  { model, amounts, attempt }: Addition,
  now: Instant,
): void {
  const { id: taskId, workspaceId } = task
  const { tables } = database
  const fencingToken = attempt?.fencingToken ?? null
  const agentId = attempt?.agentId ?? ''
  const ofTask = tables.taskUsage.get(taskId) ?? []
  const isSame = (row: TaskUsageRow): boolean => row.fencingToken === fencingToken && row.model === model
  const row = ofTask.find(isSame) ?? { fencingToken, model, reports: 0, amounts: noUsage }
  const others = ofTask.filter((each) => !isSame(each))
  tables.taskUsage.set(taskId, [...others, added(row, amounts)])

  const day = Math.floor(now / DAY_MS)
  addToDay(database, { workspaceId, day, agentId, type: task.type ?? '', model }, amounts, 1)
  const holders = agentId === '' ? [null] : [agentId, null]
  addToMonths(database, { workspaceId, holders, month: monthStart(now), isPast: false }, amounts)
}

function addToDay(
  { tables }: Database,
  row: Omit<DayUsageRow, 'reports' | 'amounts'>,
  amounts: UsageAmounts,
  reports: number,
): void {
  const key = JSON.stringify([row.workspaceId, row.day, row.agentId, row.type, row.model])
  const before = tables.usageDays.get(key) ?? { ...row, reports: 0, amounts: noUsage }
  tables.usageDays.set(key, added(before, amounts, reports))
}

interface MonthAddition {
  readonly workspaceId: string
  /** Null for the workspace. */
  readonly holders: readonly (string | null)[]
  readonly month: Instant
  /** It counts in this month alone, not in a later one. */
  readonly isPast: boolean
}

function addToMonths(
  { tables }: Database,
  { workspaceId, holders, month, isPast }: MonthAddition,
  amounts: UsageAmounts,
): void {
  for (const holder of holders) {
    const key = holderKey(workspaceId, holder)
    const before = tables.usageMonths.get(key)
    // A clock that steps back adds to the later month.
    const isNew = before === undefined || before.month < month
    if (isPast && !isNew && before.month > month) continue
    tables.usageMonths.set(
      key,
      isNew
        ? { month, amounts: addUsage(noUsage, amounts) }
        : { ...before, amounts: addUsage(before.amounts, amounts) },
    )
  }
}

function added<R extends { readonly reports: number; readonly amounts: UsageAmounts }>(
  row: R,
  amounts: UsageAmounts,
  reports = 1,
): R {
  return { ...row, reports: row.reports + reports, amounts: addUsage(row.amounts, amounts) }
}

function spentBy(
  { tables }: Database,
  workspaceId: string,
  agentId: string | null,
  now: Instant,
): UsageAmounts {
  const used = tables.usageMonths.get(holderKey(workspaceId, agentId))
  return used !== undefined && used.month >= monthStart(now) ? used.amounts : noUsage
}

/** The budgets that are used up; notes it for monthly ones. */
function spentHolder(
  database: Database,
  task: Task,
  agentId: string | null,
  total: UsageAmounts,
  now: Instant,
): BudgetHolder | null {
  const { workspaceId } = task
  const isAgentSpent = agentId !== null && markSpent(database, workspaceId, agentId, now)
  const isWorkspaceSpent = markSpent(database, workspaceId, null, now)
  if (isBudgetSpent(task.budget, total)) return 'task'
  return isAgentSpent ? 'agent' : isWorkspaceSpent ? 'workspace' : null
}

function markSpent(database: Database, workspaceId: string, agentId: string | null, now: Instant): boolean {
  const { budgets } = database.tables
  const key = holderKey(workspaceId, agentId)
  const stored = budgets.get(key)
  if (stored === undefined) return false
  if (!isBudgetSpent(stored.budget, spentBy(database, workspaceId, agentId, now))) return false
  budgets.set(key, { ...stored, spentUntil: nextMonthStart(now) })
  return true
}

function monthlyBudget(
  database: Database,
  workspaceId: string,
  agentId: string | null,
  now: Instant,
): MonthlyBudget {
  const budget = database.tables.budgets.get(holderKey(workspaceId, agentId))?.budget ?? null
  const spent = spentBy(database, workspaceId, agentId, now)
  const { inputTokens, outputTokens, costMicros } = spent
  return {
    workspaceId,
    agentId,
    budget,
    month: monthStart(now),
    tokens: inputTokens + outputTokens,
    costMicros,
    isSpent: isBudgetSpent(budget, spent),
  }
}

type Grouped = readonly (readonly [key: string, row: Pick<TaskUsageRow, 'reports' | 'amounts'>])[]

function rowsOfTask(
  { tables }: Database,
  { taskId, groupBy }: Extract<UsageQuery, { readonly taskId: string }>,
): Grouped {
  return (tables.taskUsage.get(taskId) ?? []).map((row) => [
    groupBy === 'model' ? row.model : String(row.fencingToken ?? ''),
    row,
  ])
}

function rowsOfTasks({ tables }: Database, taskIds: readonly string[]): Grouped {
  return taskIds.flatMap((id) => (tables.taskUsage.get(id) ?? []).map((row) => [id, row] as const))
}

function rowsOfDays(database: Database, query: Extract<UsageQuery, { readonly reach: unknown }>): Grouped {
  const { reach, workspaceId, firstDay, lastDay, groupBy } = query
  if (workspaceId !== null && !isWithin(database, reach, workspaceId)) {
    throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  }
  const isAsked = (row: DayUsageRow): boolean =>
    row.day >= firstDay &&
    row.day <= lastDay &&
    (workspaceId === null ? isWithin(database, reach, row.workspaceId) : row.workspaceId === workspaceId)
  const keys: { readonly [G in typeof groupBy]: (row: DayUsageRow) => string } = {
    day: ({ day }) => new Date(day * DAY_MS).toISOString().slice(0, 10),
    agent: ({ agentId }) => agentId,
    type: ({ type }) => type,
    model: ({ model }) => model,
  }
  return [...database.tables.usageDays.values()].filter(isAsked).map((row) => [keys[groupBy](row), row])
}

function summed(rows: Grouped, limit: number, afterKey: string | null): readonly UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const [key, { reports, amounts }] of rows) {
    const sum = sums.get(key) ?? { key, reports: 0, ...noUsage }
    sums.set(key, { key, reports: sum.reports + reports, ...addUsage(sum, amounts) })
  }
  return [...sums.values()]
    .filter(({ key }) => afterKey === null || byBytes(key, afterKey) > 0)
    .sort((one, other) => byBytes(one.key, other.key))
    .slice(0, limit)
}

/** The order of a database: UTF-16 units have another one. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
