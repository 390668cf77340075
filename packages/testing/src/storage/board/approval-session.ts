import assert from 'node:assert/strict'
import type { ActingAs, Actor, Approval, ApprovalAnswer, ApprovalInput, Asker, Task } from '@taskboard/core'
import { type ApprovalQuery, parseApprovalRequest } from '@taskboard/core/storage'
import { DAY, PERSON, proofOf, type StorageFixture } from '../storage-fixture.js'

export const WEEK = 7 * DAY
export const REFUND: ApprovalInput = {
  action: 'refund',
  summary: 'Refund order 7',
  input: { order: 7, cents: 1_900, note: 'ok' },
}
export const WORKER: Actor = { kind: 'api_key', id: 'ak_worker' }
export const ASKER: Asker = { kind: 'credential', owner: 'ak_worker', isSession: false }

/** An agent in the host's process. */
export const RUNTIME: Asker = { kind: 'runtime', owner: null, isSession: false }

/** What the agent that works on a task asks. */
export function ask(
  { storage, at }: StorageFixture,
  task: Task,
  asked: ApprovalInput = REFUND,
  afterMs = 0,
  asker: Asker = ASKER,
): Promise<ApprovalAnswer> {
  const request = parseApprovalRequest(asked)
  const given = { proof: proofOf(task), request, requestedBy: WORKER, asker, expireAfterMs: WEEK }
  return storage.approvals.requestApproval(given, at(afterMs))
}

export function decide(
  { storage, at, workspaceId }: StorageFixture,
  approvalId: string,
  decision: 'approved' | 'rejected',
  {
    afterMs = 0,
    decidedBy = PERSON,
    comment = null,
    digest = null,
  }: { afterMs?: number; decidedBy?: ActingAs; comment?: string | null; digest?: string | null } = {},
) {
  const verdict = { decision, comment, digest }
  return storage.approvals.decideApproval({ workspaceId, approvalId, verdict, decidedBy }, at(afterMs))
}

/** The input of an approval in its events. */
export function shownOf({ input, inputDigest }: Pick<Approval, 'input' | 'inputDigest'>) {
  const inputText = JSON.stringify(input)
  return { inputDigest, inputBytes: inputText.length, inputText }
}

/** The next attempt at a task. */
export async function claimAgain({ claim, at }: StorageFixture, task: Task, afterMs = 0): Promise<Task> {
  const claimed = await claim(at(afterMs))
  assert.equal(claimed?.id, task.id)
  return claimed
}

/** A task whose request for a refund was decided, claimed again. */
export async function decidedAndClaimed(
  fixture: StorageFixture,
  decision: 'approved' | 'rejected',
  comment?: string,
) {
  const task = await fixture.addClaimed()
  const { approval } = await ask(fixture, task)
  await decide(fixture, approval.id, decision, { comment: comment ?? null })
  return { task: await claimAgain(fixture, task), approval }
}

export const everything = { approvalId: null, taskId: null, status: null, limit: 100, afterId: null }

export async function list(
  { storage, at, workspaceId }: StorageFixture,
  query: Partial<ApprovalQuery> = {},
  afterMs = 0,
) {
  return storage.approvals.listApprovals({ within: workspaceId, ...everything, ...query }, at(afterMs))
}

export async function statusOf(fixture: StorageFixture, approvalId: string, afterMs = 0) {
  return (await list(fixture, { approvalId }, afterMs)).approvals[0]?.status
}
