import { accessCases } from './access-cases.js'
import { agentCases } from './agent-cases.js'
import { agentFigureCases } from './agent-figure-cases.js'
import { agentRuntimeCases } from './agent-runtime-cases.js'
import { analyticsCases } from './analytics-cases.js'
import { budgetCases } from './budget-cases.js'
import { restCases } from './rest-cases.js'
import { channelCases } from './channel-cases.js'
import { checkCases } from './check-cases.js'
import { claimCases } from './claim-cases.js'
import { claimOrderCases } from './claim-order-cases.js'
import { completionCases } from './completion-cases.js'
import { conversationCases } from './conversation-cases.js'
import { deletionCases } from './deletion-cases.js'
import { deliveryCases } from './delivery-cases.js'
import { deliveryLogCases } from './delivery-log-cases.js'
import { deliveryResultCases } from './delivery-result-cases.js'
import { deliveryTurnCases } from './delivery-turn-cases.js'
import { dependencyCases } from './dependency-cases.js'
import { eventCases } from './event-cases.js'
import { idempotencyCases } from './idempotency-cases.js'
import { interleavingCases } from './interleaving-cases.js'
import { approvalCases } from './approval-cases.js'
import { approvalDecisionCases } from './approval-decision-cases.js'
import { attemptCases } from './attempt-cases.js'
import { leaseCases } from './lease-cases.js'
import { limitCases } from './limit-cases.js'
import { listCases } from './list-cases.js'
import { notificationCases } from './notification-cases.js'
import { outageCases } from './outage-cases.js'
import { peopleCases } from './people-cases.js'
import { quotaCases } from './quota-cases.js'
import { routingCases } from './routing-cases.js'
import { subtaskCases } from './subtask-cases.js'
import { realtimeCases } from './realtime-cases.js'
import { scheduleCases } from './schedule-cases.js'
import { sharingCases } from './sharing-cases.js'
import { sessionCases } from './session-cases.js'
import { mfaCases } from './mfa-cases.js'
import type { OpenedStorage } from './opened-storage.js'
import { toCase, type ConformanceCase } from './storage-case.js'
import { taskCases } from './task-cases.js'
import { taskDeleteCases } from './task-delete-cases.js'
import { taskEditCases } from './task-edit-cases.js'
import { taskPartCases } from './task-part-cases.js'
import { taskConditionCases } from './task-condition-cases.js'
import { taskLineCases } from './task-line-cases.js'
import { taskSearchCases } from './task-search-cases.js'
import { tierLimitCases } from './tier-limit-cases.js'
import { transactionCases } from './transaction-cases.js'
import { usageCases } from './usage-cases.js'
import { webhookCases } from './webhook-cases.js'

const checks = [
  ...taskCases,
  ...taskEditCases,
  ...taskDeleteCases,
  ...taskPartCases,
  ...taskLineCases,
  ...taskSearchCases,
  ...taskConditionCases,
  ...listCases,
  ...claimCases,
  ...claimOrderCases,
  ...leaseCases,
  ...attemptCases,
  ...completionCases,
  ...dependencyCases,
  ...subtaskCases,
  ...routingCases,
  ...conversationCases,
  ...approvalCases,
  ...approvalDecisionCases,
  ...peopleCases,
  ...interleavingCases,
  ...sharingCases,
  ...transactionCases,
  ...idempotencyCases,
  ...eventCases,
  ...notificationCases,
  ...channelCases,
  ...webhookCases,
  ...deliveryCases,
  ...deliveryResultCases,
  ...deliveryLogCases,
  ...deliveryTurnCases,
  ...outageCases,
  ...limitCases,
  ...tierLimitCases,
  ...quotaCases,
  ...scheduleCases,
  ...usageCases,
  ...budgetCases,
  ...restCases,
  ...accessCases,
  ...deletionCases,
  ...agentCases,
  ...agentFigureCases,
  ...agentRuntimeCases,
  ...analyticsCases,
  ...sessionCases,
  ...mfaCases,
  ...realtimeCases,
  ...checkCases,
]

/**
 * Every promise of a storage, as cases for any test runner. Each case opens its own empty storage with `open`, binds it with the
 * default scoring, and closes it. It passes the time with every verb. Cases may run concurrently.
 * @example
 * ```ts
 * import { memoryStorage } from '@taskboard/memory'
 * import { storageConformance } from '@taskboard/testing'
 *
 * const open = async () => ({ storage: memoryStorage(), close: async () => {} })
 * const cases = storageConformance(open)
 * await cases[0]?.run() // in a test file: for (const { name, run } of cases) it(name, run)
 * ```
 */
export function storageConformance(open: () => Promise<OpenedStorage>): readonly ConformanceCase[] {
  return checks.map((check) => toCase(open, check))
}
