import { accessCases } from './access/access-cases.js'
import { agentCases } from './agents/agent-cases.js'
import { agentFigureCases } from './agents/agent-figure-cases.js'
import { agentRuntimeCases } from './agents/agent-runtime-cases.js'
import { analyticsCases } from './analytics/analytics-cases.js'
import { auditCases } from './audit/audit-cases.js'
import { entryCases } from './usage/entry-cases.js'
import { budgetCases } from './usage/budget-cases.js'
import { restCases } from './agents/rest-cases.js'
import { botLinkCases } from './bots/bot-link-cases.js'
import { botMessageCases } from './bots/bot-message-cases.js'
import { channelCases } from './channels/channel-cases.js'
import { checkCases } from './access/check-cases.js'
import { claimCases } from './board/claim-cases.js'
import { claimOrderCases } from './board/claim-order-cases.js'
import { completionCases } from './board/completion-cases.js'
import { conversationCases } from './board/conversation-cases.js'
import { deletionCases } from './access/deletion-cases.js'
import { deliveryCases } from './webhooks/delivery-cases.js'
import { deliveryLogCases } from './webhooks/delivery-log-cases.js'
import { deliveryResultCases } from './webhooks/delivery-result-cases.js'
import { deliveryTurnCases } from './webhooks/delivery-turn-cases.js'
import { dependencyCases } from './board/dependency-cases.js'
import { eventCases } from './events/event-cases.js'
import { idempotencyCases } from './board/idempotency-cases.js'
import { interleavingCases } from './board/interleaving-cases.js'
import { approvalCases } from './board/approval-cases.js'
import { approvalDecisionCases } from './board/approval-decision-cases.js'
import { attemptCases } from './board/attempt-cases.js'
import { responderCases } from './board/responder-cases.js'
import { leaseCases } from './board/lease-cases.js'
import { limitCases } from './limits/limit-cases.js'
import { listCases } from './board/list-cases.js'
import { notificationCases } from './events/notification-cases.js'
import { outageCases } from './outage-cases.js'
import { peopleCases } from './board/people-cases.js'
import { quotaCases } from './limits/quota-cases.js'
import { routingCases } from './board/routing-cases.js'
import { subtaskCases } from './board/subtask-cases.js'
import { readOnlyCases } from './read-only-cases.js'
import { realtimeCases } from './realtime/realtime-cases.js'
import { scheduleCases } from './board/schedule-cases.js'
import { sharingCases } from './agents/sharing-cases.js'
import { invitationCases } from './access/invitation-cases.js'
import { overlapCases } from './access/overlap-cases.js'
import { linkCases } from './links/link-cases.js'
import { loginAttemptCases } from './access/login-attempt-cases.js'
import { sessionCases } from './access/session-cases.js'
import { userCases } from './access/user-cases.js'
import { mfaCases } from './access/mfa-cases.js'
import type { OpenedStorage } from './opened-storage.js'
import { toCase, type ConformanceCase } from './storage-case.js'
import { taskCases } from './board/task-cases.js'
import { taskDeleteCases } from './board/task-delete-cases.js'
import { taskEditCases } from './board/task-edit-cases.js'
import { taskPartCases } from './board/task-part-cases.js'
import { taskConditionCases } from './board/task-condition-cases.js'
import { taskLineCases } from './board/task-line-cases.js'
import { taskSearchCases } from './board/task-search-cases.js'
import { tierLimitCases } from './limits/tier-limit-cases.js'
import { transactionCases } from './transaction-cases.js'
import { usageCases } from './usage/usage-cases.js'
import { webhookCases } from './webhooks/webhook-cases.js'

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
  ...responderCases,
  ...peopleCases,
  ...interleavingCases,
  ...sharingCases,
  ...transactionCases,
  ...idempotencyCases,
  ...eventCases,
  ...notificationCases,
  ...channelCases,
  ...botLinkCases,
  ...botMessageCases,
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
  ...entryCases,
  ...restCases,
  ...accessCases,
  ...deletionCases,
  ...readOnlyCases,
  ...agentCases,
  ...agentFigureCases,
  ...agentRuntimeCases,
  ...analyticsCases,
  ...auditCases,
  ...sessionCases,
  ...userCases,
  ...loginAttemptCases,
  ...invitationCases,
  ...overlapCases,
  ...mfaCases,
  ...linkCases,
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
