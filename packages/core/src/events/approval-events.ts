import * as z from 'zod'
import type { Instant } from '../environment/index.js'
import { eventKind, iso, time, type EventKind } from './event-kind.js'
import { actorKinds, approvalDecisions, type Actor, type ApprovalDecision } from './vocabulary.js'

export interface OfApproval {
  readonly approvalId: string
  readonly taskId: string
  /** The task's title. */
  readonly title: string
  readonly action: string
  readonly summary: string
}

/** The data of the events of approvals. The input of the action is in none of them: it can be large, and secret. */
export interface ApprovalEventData {
  'approval.requested': OfApproval & {
    readonly inputDigest: string
    readonly agentId: string
    readonly requestedAt: Instant
    readonly expiresAt: Instant
  }
  'approval.decided': OfApproval & {
    readonly decision: ApprovalDecision
    readonly comment: string | null
    readonly decidedBy: Actor
    readonly decidedAt: Instant
  }
}

const ofApproval = {
  approval_id: z.string(),
  task_id: z.string(),
  title: z.string(),
  action: z.string(),
  summary: z.string(),
}

const wireOf = (data: OfApproval) => ({
  approval_id: data.approvalId,
  task_id: data.taskId,
  title: data.title,
  action: data.action,
  summary: data.summary,
})

const sampleApproval: OfApproval = {
  approvalId: 'apr_sample',
  taskId: 'task_sample',
  title: 'A sample task',
  action: 'refund',
  summary: 'Refund 19.00 EUR for order 7',
}

const DAY_MS = 86_400_000

/** The types of events of approvals. */
export const approvalEvents = {
  'approval.requested': eventKind<ApprovalEventData['approval.requested']>()({
    summary: 'An agent asked for approval of what it wants to do',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({
      ...ofApproval,
      input_digest: z.string(),
      agent_id: z.string(),
      requested_at: time,
      expires_at: time,
    }),
    render: (data) => ({
      ...wireOf(data),
      input_digest: data.inputDigest,
      agent_id: data.agentId,
      requested_at: iso(data.requestedAt),
      expires_at: iso(data.expiresAt),
    }),
    line: ({ title, summary }) => `Approval requested for ${title}: ${summary}`,
    sample: (now) => ({
      ...sampleApproval,
      inputDigest: '0'.repeat(64),
      agentId: 'agent_sample',
      requestedAt: now,
      expiresAt: now + 7 * DAY_MS,
    }),
    count: null,
  }),

  'approval.decided': eventKind<ApprovalEventData['approval.decided']>()({
    summary: 'A person approved or rejected what an agent wants to do',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({
      ...ofApproval,
      decision: z.enum(approvalDecisions),
      comment: z.string().nullable(),
      decided_by: z.object({ kind: z.enum(actorKinds), id: z.string().nullable() }),
      decided_at: time,
    }),
    render: (data) => ({
      ...wireOf(data),
      decision: data.decision,
      comment: data.comment,
      decided_by: { kind: data.decidedBy.kind, id: data.decidedBy.id },
      decided_at: iso(data.decidedAt),
    }),
    line: ({ decision, title, summary }) =>
      `${decision === 'approved' ? 'Approved' : 'Rejected'} for ${title}: ${summary}`,
    sample: (now) => ({
      ...sampleApproval,
      decision: 'approved',
      comment: null,
      decidedBy: { kind: 'user', id: 'user_sample' },
      decidedAt: now,
    }),
    count: null,
  }),
} satisfies { readonly [T in keyof ApprovalEventData]: EventKind<ApprovalEventData[T]> }
