export { budgetHolders, isBudgetSpent, nextMonthStart, parseBudget, requireNoMore } from './budget.js'
export type { Budget, BudgetHolder, BudgetInput, Spending } from './budget.js'
export {
  addUsage,
  microsPerUsd,
  noUsage,
  requireModest,
  toUsageReport,
  usageFields,
  usageInput,
  usageInputWith,
} from './usage.js'
export type { ModelPrice, ModelPrices, UsageAmounts, UsageInput, UsageReport } from './usage.js'
export { usageGroups } from './usage-store.js'
export type {
  MonthlyBudget,
  EnteredUsage,
  RecordedUsage,
  UsageEntry,
  UsageGroup,
  UsageQuery,
  UsageRecord,
  UsageStore,
  UsageSum,
} from './usage-store.js'
export { correctionInput, createUsage } from './usage-directory.js'
export type { BudgetPage, CorrectionInput, Usage, UsageFilter, UsagePage } from './usage-directory.js'
export { entryDay, requireCorrectable, type MonthSums } from './correction.js'
