import type { Approval } from '@taskboard/core'
import type { StoredApproval } from '@taskboard/core/storage'

/** An approval's row: its members, except those that are split into several columns. */
export interface ApprovalRow extends Omit<StoredApproval, 'requestedBy' | 'asker' | 'decidedBy'> {
  readonly requestedByKind: Approval['requestedBy']['kind']
  readonly requestedById: string | null
  readonly askerKind: Approval['asker']['kind']
  readonly askerOwner: string | null
  readonly askerIsSession: boolean
  readonly decidedByKind: Approval['requestedBy']['kind'] | null
  readonly decidedById: string | null
  readonly decidedByName: string | null
}

/** The columns of an `ApprovalRow`. `alias` names the table or expression. */
export function approvalColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${a}.task_id as "taskId", ${a}.action, ${a}.summary, ${a}.input,
    ${a}.input_digest as "inputDigest", ${a}.state, ${a}.agent_id as "agentId",
    ${a}.requested_by_kind as "requestedByKind", ${a}.requested_by_id as "requestedById",
    ${a}.asker_kind as "askerKind", ${a}.asker_owner as "askerOwner", ${a}.asker_is_session as "askerIsSession",
    ${a}.require_other_person as "requireOtherPerson",
    ${a}.fencing_token::float8 as "fencingToken", ${a}.requested_at::float8 as "requestedAt",
    ${a}.expires_at::float8 as "expiresAt", ${a}.decided_by_kind as "decidedByKind",
    ${a}.decided_by_id as "decidedById", ${a}.decided_by_name as "decidedByName", ${a}.decided_at::float8 as "decidedAt", ${a}.comment,
    ${a}.used_at::float8 as "usedAt"`
}

export function toApproval(row: ApprovalRow): StoredApproval {
  const { decidedByKind } = row
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    taskId: row.taskId,
    action: row.action,
    summary: row.summary,
    input: row.input,
    inputDigest: row.inputDigest,
    state: row.state,
    agentId: row.agentId,
    requestedBy: { kind: row.requestedByKind, id: row.requestedById },
    asker: { kind: row.askerKind, owner: row.askerOwner, isSession: row.askerIsSession },
    requireOtherPerson: row.requireOtherPerson,
    fencingToken: row.fencingToken,
    requestedAt: row.requestedAt,
    expiresAt: row.expiresAt,
    decidedBy:
      decidedByKind === null ? null : { kind: decidedByKind, id: row.decidedById, name: row.decidedByName },
    decidedAt: row.decidedAt,
    comment: row.comment,
    usedAt: row.usedAt,
  }
}
