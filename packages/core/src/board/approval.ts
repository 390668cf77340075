import { z } from 'zod'
import type { Instant } from '../environment/index.js'
import { parseInput, TaskboardError, textOf } from '../errors/index.js'
import {
  approvalDecisions,
  plainJson,
  shortDigest,
  shownInput,
  type ActingAs,
  type Actor,
  type ApprovalDecision,
  type NamedActor,
} from '../events/index.js'
import { requestFingerprint } from '../idempotency/index.js'
import { type Asked, type Asker, otherPersonInput, requireResponder } from './asker.js'
import { longestComment } from './comment.js'
import type { Task } from './task.js'
import type { TaskCommand } from './transition.js'
import { completionInput } from './write-inputs.js'

export { approvalDecisions } from '../events/index.js'
export type { ApprovalDecision } from '../events/index.js'

/**
 * `pending`: no one has decided. `approved`: the next request of the same action with the same input uses it up. `used`: one did. `rejected`:
 * such requests are rejected. `expired`: it was pending for too long, and the next request asks again.
 */
export const approvalStatuses = ['pending', 'approved', 'rejected', 'used', 'expired'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

/** An agent's request to do one thing once, and what became of it. Deleted with its task. `asker` is whose it is. */
export interface Approval extends Asked {
  /** `apr_…`. */
  readonly id: string
  readonly workspaceId: string
  readonly taskId: string
  /** The name of the action in the agent's code, of 1 to 100 code points. */
  readonly action: string
  /** The same for people, in 1 to 2,000 code points. It decides nothing. */
  readonly summary: string
  /** All that the action works on: any JSON, at most 64 KiB. */
  readonly input: unknown
  /** The SHA-256, in hexadecimal, of the canonical JSON of `input`. */
  readonly inputDigest: string
  readonly status: ApprovalStatus
  /** The agent of the attempt. */
  readonly agentId: string
  /** The credential that asked. Of a run inside of the host, the agent. */
  readonly requestedBy: Actor
  /** The claim under which it was asked first. */
  readonly fencingToken: number
  readonly requestedAt: Instant
  /** While it is pending, the instant from which on no one can decide it. */
  readonly expiresAt: Instant
  /** Who decided, when, and what they said; null before. */
  readonly decidedBy: NamedActor | null
  readonly decidedAt: Instant | null
  readonly comment: string | null
  /** When an attempt went on to do it; null before. */
  readonly usedAt: Instant | null
}

/** A validated request. */
export interface ApprovalRequest {
  readonly action: string
  readonly summary: string
  readonly input: unknown
  readonly inputDigest: string
  readonly requireOtherPerson: boolean
}

/** A validated decision. */
export interface Verdict {
  readonly decision: ApprovalDecision
  readonly comment: string | null
  /** The digest of the input that the decider has seen, or its first 12 digits; null when they don't say. */
  readonly digest: string | null
  /** Whether it counts only while the task waits for an approval. Default: it counts later as well, for the next request. */
  readonly onlyOnHold?: boolean | undefined
}

/**
 * A request as a run gives it. `input` is any JSON; absent: null. `requireOtherPerson`: whether another person than the one who asks has to
 * decide, as the setting of an account requires of all requests; default false.
 */
export interface ApprovalInput {
  readonly action: string
  readonly summary: string
  readonly input?: unknown
  readonly requireOtherPerson?: boolean | undefined
}

const LONGEST_ACTION = 100
const LONGEST_SUMMARY = 2_000
/** The decision's comment becomes part of a comment, whose first line names the action. */
const LONGEST_REASON = longestComment - 200

/** The fields of a request except its input. */
export const approvalFields = z.object({
  action: textOf({ most: LONGEST_ACTION, isBlankAllowed: false }),
  summary: textOf({ most: LONGEST_SUMMARY, isBlankAllowed: false }),
  requireOtherPerson: otherPersonInput,
})

/** The claim of a request. */
export const approvalProof = z.object({ fencingToken: completionInput.shape.fencingToken })

/** The input of `board.decide`. */
export const verdictInput = z.strictObject({
  decision: z.enum(approvalDecisions),
  comment: textOf({ most: LONGEST_REASON, isBlankAllowed: false }).nullish(),
  digest: z
    .string()
    .regex(/^([\da-f]{64}|[\da-f]{4}-[\da-f]{4}-[\da-f]{4})$/i, {
      error: 'must be a digest such as 3f2a-91bc-0d4e, or all 64 digits of it',
    })
    .toLowerCase()
    .nullish(),
})

/** Approvals of calls of tools have these actions, and only the runtime that has the tool may ask for one. */
const toolActions = 'tool:'

/** @throws TaskboardError `INVALID_FIELD` (`action`) when anyone but a runtime asks to call one of its tools. */
export function requireOwnAction({ kind }: Asker, { action }: ApprovalRequest): void {
  if (kind === 'runtime' || !action.startsWith(toolActions)) return
  const rule = `must not begin with ${toolActions}, which is for the tools of agents in the host's process`
  throw new TaskboardError('INVALID_FIELD', `action ${rule}`, { field: 'action' })
}

/**
 * Validates a request, and computes the digest of a frozen copy of its input, so that what is compared is what is stored and shown.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`, naming the field; `input` for what JSON can't hold, such as a Date, and for
 *   numbers beyond 2^53 - 1.
 * @example
 * ```ts
 * import { parseApprovalRequest } from '@taskboard/core/storage'
 *
 * const asked = { action: 'refund', summary: 'Refund order 7', input: { order: 7, cents: 1_900 } }
 * const other = { ...asked, input: { cents: 1_900, order: 7 } }
 * console.log(parseApprovalRequest(asked).inputDigest === parseApprovalRequest(other).inputDigest) // true
 * ```
 */
export function parseApprovalRequest(given: ApprovalInput): ApprovalRequest {
  const { action, summary, requireOtherPerson } = parseInput(approvalFields, given)
  const input = plainJson(given.input ?? null, 'input')
  requireExactNumbers(input, 'input')
  return { action, summary, input, inputDigest: requestFingerprint(input, 'input'), requireOtherPerson }
}

/** Beyond this, several whole numbers are read as the same one: approving one would approve the others. */
function requireExactNumbers(value: unknown, path: string): void {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    const rule = `must be at most ${Number.MAX_SAFE_INTEGER}; write a larger number as text`
    throw new TaskboardError('INVALID_FIELD', `${path} ${rule}`, { field: 'input' })
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) requireExactNumbers(member, `${path}.${name}`)
}

/** An approval as a storage keeps it: `pending` even when it has expired, until another one takes its place. */
export type StoredApproval = Omit<Approval, 'status'> & { readonly state: ApprovalStatus }

/** The states in which an approval responds to a request. A task has at most one of them for an asker, an action and a digest. */
export const openStates = ['pending', 'approved', 'rejected'] as const satisfies readonly ApprovalStatus[]

/**
 * The approval as it is at `now`.
 * @example
 * ```ts
 * import { approvalAt, parseApprovalRequest } from '@taskboard/core/storage'
 *
 * const stored = {
 *   ...parseApprovalRequest({ action: 'refund', summary: 'Refund order 7' }),
 *   ...{ id: 'apr_1', workspaceId: 'ws_1', taskId: 'task_1', agentId: 'agent_1', fencingToken: 1 },
 *   ...{ requestedAt: 0, expiresAt: 1_000, decidedBy: null, decidedAt: null, comment: null, usedAt: null },
 *   requestedBy: { kind: 'agent', id: 'agent_1' },
 *   asker: { kind: 'runtime', owner: null, isSession: false },
 *   state: 'pending',
 * } as const
 * console.log(approvalAt(stored, 999).status, approvalAt(stored, 1_000).status) // pending expired
 * ```
 */
export function approvalAt({ state, ...stored }: StoredApproval, now: Instant): Approval {
  return { ...stored, status: state === 'pending' && stored.expiresAt <= now ? 'expired' : state }
}

/** What a request does. */
export type RequestOutcome =
  /**
   * Apply the command, which ends the run, and store a new pending approval. The one with the id `replaces` becomes `expired`: it is over, or
   * didn't require another person, as the request now does.
   */
  | { readonly kind: 'ask'; readonly command: TaskCommand; readonly replaces: string | null }
  /** One is pending already: apply the command, which stops the run; null for a retry of the request that stopped it. */
  | { readonly kind: 'wait'; readonly approval: Approval; readonly command: TaskCommand | null }
  /** Mark the approval as used and apply the command, in one commit: then the action may be done, once. */
  | { readonly kind: 'use'; readonly approval: Approval; readonly command: TaskCommand }
  /** It was rejected: apply the command. */
  | { readonly kind: 'refuse'; readonly approval: Approval; readonly command: TaskCommand }

/**
 * The outcome of a request, given the approval of this task, asker, action and digest that is in an open state (null: there is none).
 * Pure, as `transition` is. Only the state `approved` opens the gate: no text, no hold and no release of one does.
 * @throws TaskboardError `CONFLICT` (by the command, or here) when the lease is no longer held.
 * @example
 * ```ts
 * import { createTask, outcomeOfRequest, parseApprovalRequest, parseNewTask } from '@taskboard/core/storage'
 *
 * const input = parseNewTask({ title: 'Refund order 7' }, 'ws_1', 3)
 * const task = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * const request = parseApprovalRequest({ action: 'refund', summary: 'Refund order 7' })
 * console.log(outcomeOfRequest(task, null, request, { fencingToken: 1, now: 0 }).kind) // ask
 * ```
 */
export function outcomeOfRequest(
  task: Task,
  open: StoredApproval | null,
  request: ApprovalRequest,
  { fencingToken, now }: { readonly fencingToken: number; readonly now: Instant },
): RequestOutcome {
  const hold: TaskCommand = {
    kind: 'hold_claimed',
    fencingToken,
    reason: 'approval',
    message: request.summary,
    isUncounted: true,
  }
  const renew: TaskCommand = { kind: 'renew', fencingToken, leaseMs: null }
  const approval = open === null ? null : approvalAt(open, now)
  const isLax = request.requireOtherPerson && approval?.requireOtherPerson === false
  if (isLax && (approval.status === 'pending' || approval.status === 'approved')) {
    return { kind: 'ask', command: hold, replaces: approval.id }
  }
  switch (approval?.status) {
    case 'pending': {
      const isRepeat =
        approval.fencingToken === fencingToken &&
        task.fencingToken === fencingToken &&
        task.hold?.reason === 'approval'
      return { kind: 'wait', approval, command: isRepeat ? null : hold }
    }
    case 'approved':
      return { kind: 'use', approval, command: renew }
    case 'rejected':
      return { kind: 'refuse', approval, command: renew }
    case 'used':
    case 'expired':
    case undefined:
      return { kind: 'ask', command: hold, replaces: approval?.status === 'expired' ? approval.id : null }
  }
}

/** What a decision does. */
export interface DecisionOutcome {
  /** The approval after it. */
  readonly approval: StoredApproval
  /** What it does to the task; null for nothing. */
  readonly command: TaskCommand | null
  /** The comment that shows it in the task's conversation. */
  readonly body: string
}

/**
 * What a decision does. Pure, as `transition` is. `requireOtherPerson` is the setting of the account now.
 * @throws TaskboardError `FORBIDDEN` for an agent, and for a credential that may not decide requests of this asker. `CONFLICT` when the
 * approval isn't pending: it was decided before, or has expired. `CONFLICT` (`digest`) when the decider has seen another input.
 * @example
 * ```ts
 * import { createTask, outcomeOfDecision, parseApprovalRequest, parseNewTask } from '@taskboard/core/storage'
 *
 * const input = parseNewTask({ title: 'Refund order 7' }, 'ws_1', 3)
 * const task = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
 * const asked = {
 *   ...parseApprovalRequest({ action: 'refund', summary: 'Refund order 7' }),
 *   ...{ id: 'apr_1', workspaceId: 'ws_1', taskId: 'task_1', agentId: 'agent_1', fencingToken: 1 },
 *   ...{ requestedAt: 0, expiresAt: 1_000, decidedBy: null, decidedAt: null, comment: null, usedAt: null },
 *   requestedBy: { kind: 'agent', id: 'agent_1' },
 *   asker: { kind: 'runtime', owner: null, isSession: false },
 *   state: 'pending',
 * } as const
 * const verdict = { decision: 'approved', comment: null, digest: null, requireOtherPerson: false } as const
 * const { approval } = outcomeOfDecision(task, asked, { ...verdict, decidedBy: { kind: 'user', id: 'user_1' } }, 500)
 * console.log(approval.state, approval.decidedAt) // approved 500
 * ```
 */
export function outcomeOfDecision(
  { hold }: Task,
  stored: StoredApproval,
  {
    decision,
    comment,
    digest,
    onlyOnHold = false,
    decidedBy,
    requireOtherPerson,
  }: Verdict & { readonly decidedBy: ActingAs; readonly requireOtherPerson: boolean },
  now: Instant,
): DecisionOutcome {
  const { asker } = stored
  const isOther = requireOtherPerson || stored.requireOtherPerson
  requireResponder({ asker, requireOtherPerson: isOther }, decidedBy, 'decide')
  const { kind, id, name = null } = decidedBy
  const { status } = approvalAt(stored, now)
  if (status !== 'pending') {
    const why = status === 'expired' ? 'the approval has expired' : 'the approval was decided before'
    throw new TaskboardError('CONFLICT', why, { resourceId: stored.id })
  }
  requireSeen(stored, digest)
  if (onlyOnHold && hold?.reason !== 'approval')
    throw new TaskboardError('CONFLICT', 'the task does not wait for an approval', { resourceId: stored.id })
  const first = `${decision === 'approved' ? 'Approved' : 'Rejected'}: ${stored.action}`
  return {
    approval: { ...stored, state: decision, decidedBy: { kind, id, name }, decidedAt: now, comment },
    command: hold?.reason === 'approval' ? { kind: 'release', actor: { kind, id } } : null,
    body: comment === null ? first : `${first}\n\n${comment}`,
  }
}

function requireSeen({ id, inputDigest }: StoredApproval, digest: string | null): void {
  const now = shortDigest(inputDigest)
  if (digest === null || digest === inputDigest || digest === now) return
  throw new TaskboardError('CONFLICT', `the digest of the input is ${now}: look at it again`, {
    field: 'digest',
    resourceId: id,
  })
}

/**
 * The data of an approval in its events, including the input, at most 4 KiB of it.
 * @example
 * ```ts
 * import { eventOfApproval, parseApprovalRequest } from '@taskboard/core/storage'
 *
 * const request = parseApprovalRequest({ action: 'refund', summary: 'Refund order 7', input: { order: 7 } })
 * const data = eventOfApproval({ id: 'apr_1', taskId: 'task_1', ...request }, { title: 'Order 7' })
 * console.log(data.inputText, data.inputBytes) // {"order":7} 11
 * ```
 */
export function eventOfApproval(
  {
    id: approvalId,
    taskId,
    action,
    summary,
    input,
    inputDigest,
  }: ApprovalRequest & Pick<Approval, 'id' | 'taskId'>,
  { title }: Pick<Task, 'title'>,
) {
  return { approvalId, taskId, title, action, summary, ...shownInput(input, inputDigest) }
}
