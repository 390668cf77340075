import { type Approval, type ApprovalAnswer, type Asker, type Instant, TaskboardError } from '@taskboard/core'
import {
  approvalAt,
  type ApprovalPage,
  type ApprovalQuery,
  type ApprovalRequest,
  type ApprovalStore,
  eventOfApproval,
  openStates,
  outcomeOfDecision,
  outcomeOfRequest,
  type StoredApproval,
} from '@taskboard/core/storage'
import { type Conversations, requiresOtherPerson } from './conversations.js'
import type { Database } from '../tables/database.js'
import { draftRow } from '../tables/event-log.js'
import { isWithin } from '../tables/reach.js'
import { bestOf } from '../tables/selection.js'
import type { TaskChanges } from './task-changes.js'
import type { MemoryTransaction } from '../tables/transactions.js'

type Request = Parameters<ApprovalStore['requestApproval']>[0]
type Decision = Parameters<ApprovalStore['decideApproval']>[0]

export function createApprovalStore(
  database: Database,
  changes: TaskChanges,
  conversations: Conversations,
): ApprovalStore<MemoryTransaction> {
  const { transactions } = database
  return {
    requestApproval: (asked, call) =>
      transactions.write(call, (now) => answerRequest(database, changes, asked, now)),
    decideApproval: (decision, call) =>
      transactions.write(call, (now) => decide(database, changes, conversations, decision, now)),
    listApprovals: (query, call) => transactions.read(call, (now) => list(database, query, now)),
  }
}

function answerRequest(
  database: Database,
  changes: TaskChanges,
  { proof, request, requestedBy, asker, expireAfterMs }: Request,
  now: Instant,
): ApprovalAnswer {
  const { tables, settings, publish } = database
  const { workspaceId, taskId, fencingToken } = proof
  const task = changes.require(workspaceId, taskId)
  const outcome = outcomeOfRequest(task, openOf(database, taskId, asker, request), request, {
    fencingToken,
    now,
  })
  if (outcome.command !== null) changes.apply(task, outcome.command, now)
  switch (outcome.kind) {
    case 'wait':
      return { outcome: 'pending', approval: outcome.approval }
    case 'refuse':
      return { outcome: 'rejected', approval: outcome.approval }
    case 'use': {
      const { status: _, ...approval } = outcome.approval
      const used: StoredApproval = { ...approval, state: 'used', usedAt: now }
      tables.approvals.set(used.id, used)
      return { outcome: 'approved', approval: approvalAt(used, now) }
    }
    case 'ask': {
      const replaced = tables.approvals.get(outcome.replaces ?? '')
      if (replaced !== undefined) tables.approvals.set(replaced.id, { ...replaced, state: 'expired' })
      const asked: StoredApproval = {
        id: settings.current.newId('apr'),
        workspaceId,
        taskId,
        ...request,
        state: 'pending',
        agentId: task.lease?.agentId ?? '',
        requestedBy: { kind: requestedBy.kind, id: requestedBy.id },
        asker: { kind: asker.kind, owner: asker.owner, isSession: asker.isSession },
        fencingToken,
        requestedAt: now,
        expiresAt: now + expireAfterMs,
        decidedBy: null,
        decidedAt: null,
        comment: null,
        usedAt: null,
      }
      tables.approvals.set(asked.id, asked)
      const { agentId, requestedAt, expiresAt } = asked
      const data = { ...eventOfApproval(asked, task), agentId, requestedAt, expiresAt }
      publish(draftRow(workspaceId, { type: 'approval.requested', data }, now))
      return { outcome: 'pending', approval: approvalAt(asked, now) }
    }
  }
}

/** The asker's approval of a task for this very action and input that is in an open state. */
function openOf(
  { tables, approvalIds }: Database,
  taskId: string,
  { kind, owner, isSession }: Asker,
  { action, inputDigest }: ApprovalRequest,
): StoredApproval | null {
  for (const id of approvalIds.of(taskId)) {
    const approval = tables.approvals.get(id) as StoredApproval
    const isSame = approval.action === action && approval.inputDigest === inputDigest
    const { asker } = approval
    const isOwn = asker.kind === kind && asker.owner === owner && asker.isSession === isSession
    if (isSame && isOwn && openStates.some((state) => state === approval.state)) return approval
  }
  return null
}

function decide(
  database: Database,
  changes: TaskChanges,
  conversations: Conversations,
  { workspaceId, approvalId, verdict, decidedBy }: Decision,
  now: Instant,
): Approval {
  const { tables, publish } = database
  const stored = tables.approvals.get(approvalId)
  if (stored?.workspaceId !== workspaceId) throw new TaskboardError('NOT_FOUND', 'no such approval')
  const task = changes.require(workspaceId, stored.taskId)
  const author = conversations.named(decidedBy)
  const by = {
    decidedBy: { ...decidedBy, ...author },
    requireOtherPerson: requiresOtherPerson(database, task),
  }
  const outcome = outcomeOfDecision(task, stored, { ...verdict, ...by }, now)
  const { approval: after, command, body } = outcome
  tables.approvals.set(approvalId, after)
  if (command !== null) changes.apply(task, command, now)
  const { decision, comment } = verdict
  const data = { ...eventOfApproval(after, task), decision, comment, decidedBy: author, decidedAt: now }
  publish(draftRow(workspaceId, { type: 'approval.decided', data }, now))
  conversations.add(task, { author, kind: 'decision', body }, now)
  return approvalAt(after, now)
}

/** Scans all approvals. */
function list(database: Database, query: ApprovalQuery, now: Instant): ApprovalPage {
  const { within, approvalId, taskId, status, limit, afterId } = query

  function* candidates(): Generator<Approval> {
    for (const stored of database.tables.approvals.values()) {
      const { id, workspaceId } = stored
      if (approvalId !== null && id !== approvalId) continue
      if (taskId !== null && stored.taskId !== taskId) continue
      if (afterId !== null && id >= afterId) continue
      const isReached =
        typeof within === 'string' ? workspaceId === within : isWithin(database, within, workspaceId)
      if (!isReached) continue
      const approval = approvalAt(stored, now)
      if (status === null || approval.status === status) yield approval
    }
  }

  const newest = bestOf(candidates(), limit + 1, (a, b) => (a.id > b.id ? -1 : a.id < b.id ? 1 : 0))
  const approvals = newest.slice(0, limit)
  return { approvals, nextAfterId: newest.length > limit ? (approvals.at(-1)?.id ?? null) : null }
}
