import * as z from 'zod'
import type { Instant } from '../environment/index.js'
import { eventKind, iso, time, type EventKind } from './event-kind.js'
import { inputOf, shortDigest, shownInput, start, type ShownInput, visible } from './shown-input.js'
import { namedActor } from './task-event-parts.js'
import { approvalDecisions, type ApprovalDecision, type NamedActor } from './vocabulary.js'

export interface OfApproval extends ShownInput {
  readonly approvalId: string
  readonly taskId: string
  /** The task's title. */
  readonly title: string
  readonly action: string
  readonly summary: string
}

/** The data of the events of approvals. */
export interface ApprovalEventData {
  'approval.requested': OfApproval & {
    readonly agentId: string
    readonly requestedAt: Instant
    readonly expiresAt: Instant
  }
  'approval.decided': OfApproval & {
    readonly decision: ApprovalDecision
    readonly comment: string | null
    readonly decidedBy: NamedActor
    readonly decidedAt: Instant
  }
}

const ofApproval = {
  approval_id: z.string(),
  task_id: z.string(),
  title: z.string(),
  action: z.string(),
  summary: z.string(),
  input: z.unknown().meta({ description: 'Null when `input_bytes` is above 4,096: read the approval.' }),
  input_bytes: z.int().meta({ description: 'How long the JSON text of the input is, in bytes.' }),
  input_digest: z.string(),
  short_digest: z
    .string()
    .meta({ description: 'The first 12 digits of `input_digest`, such as `3f2a-91bc-0d4e`.' }),
}

const wireOf = (data: OfApproval) => ({
  approval_id: data.approvalId,
  task_id: data.taskId,
  title: data.title,
  action: data.action,
  summary: data.summary,
  input: inputOf(data),
  input_bytes: data.inputBytes,
  input_digest: data.inputDigest,
  short_digest: shortDigest(data.inputDigest),
})

/** The important parts for an approver come first: a long title or summary, which decide nothing, must not push them out of a message. */
function lineOf(what: string, { title, action, summary, ...input }: OfApproval): string {
  const facts = `${input.inputBytes} bytes, digest ${shortDigest(input.inputDigest)}`
  return `${what} for ${start(title, 100)}: ${start(action, 100)} ${start(input.inputText, 200)} (${facts}): ${visible(summary)}`
}

const sampleApproval: OfApproval = {
  approvalId: 'apr_sample',
  taskId: 'task_sample',
  title: 'A sample task',
  action: 'refund',
  summary: 'Refund 19.00 EUR for order 7',
  ...shownInput(
    { order: 7, cents: 1_900 },
    'a6d482c507422ab5ba9f7eb5d312202f33ec48cb7fa6b51c3976a645285cef7e',
  ),
}

const DAY_MS = 86_400_000

/** The types of events of approvals. */
export const approvalEvents = {
  'approval.requested': eventKind<ApprovalEventData['approval.requested']>()({
    summary: 'An agent requested approval of an action',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({
      ...ofApproval,
      agent_id: z.string(),
      requested_at: time,
      expires_at: time,
    }),
    render: (data) => ({
      ...wireOf(data),
      agent_id: data.agentId,
      requested_at: iso(data.requestedAt),
      expires_at: iso(data.expiresAt),
    }),
    line: (data) => lineOf('Approval requested', data),
    sample: (now) => ({
      ...sampleApproval,
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
      decided_by: namedActor,
      decided_at: time,
    }),
    render: (data) => ({
      ...wireOf(data),
      decision: data.decision,
      comment: data.comment,
      decided_by: { kind: data.decidedBy.kind, id: data.decidedBy.id, name: data.decidedBy.name },
      decided_at: iso(data.decidedAt),
    }),
    line: (data) => lineOf(data.decision === 'approved' ? 'Approved' : 'Rejected', data),
    sample: (now) => ({
      ...sampleApproval,
      decision: 'approved',
      comment: null,
      decidedBy: { kind: 'user', id: 'user_sample', name: 'Ada' },
      decidedAt: now,
    }),
    count: null,
  }),
} satisfies { readonly [T in keyof ApprovalEventData]: EventKind<ApprovalEventData[T]> }
