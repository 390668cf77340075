import { type Approval, type ApprovalAnswer, TaskboardError } from '@taskboard/core'
import {
  approvalAt,
  type ApprovalStore,
  type CallContext,
  eventOfApproval,
  type EventDraft,
  openStates,
  outcomeOfDecision,
  outcomeOfRequest,
  type RequestOutcome,
  type StoredApproval,
} from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { LOG_EVENTS } from '../events/log-events.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { applyWithin, lockTask } from './lock-task.js'
import { approvalColumns, type ApprovalRow, toApproval } from './approval-row.js'
import { nameOf, otherPersonOf, writeComment } from './comment-sql.js'
import { listApprovals } from './list-approvals.js'

type Store = ApprovalStore<PgConnection>

const OPEN = openStates.map((state) => `'${state}'`).join(', ')

/** Task, digest, action, workspace, kind and owner of the asker, whether it is a session. */
const findOpen = statement<ApprovalRow>(
  'find_open_approval',
  /* sql */ `
  select ${approvalColumns('a')} from taskboard.approval a
  where a.task_id = $1::text and a.input_digest = $2::text and a.action = $3::text and a.workspace_id = $4::text
    and a.asker_kind = $5::text and coalesce(a.asker_owner, '') = coalesce($6::text, '')
    and a.asker_is_session = $7::boolean and a.state in (${OPEN})`,
)

/** Workspace, approval. With the setting of the account. */
const findOne = statement<ApprovalRow & { readonly isOtherRequired: boolean }>(
  'find_approval',
  /* sql */ `
  select ${approvalColumns('a')}, ${otherPersonOf('$1')} as "isOtherRequired"
  from taskboard.approval a where a.id = $2::text and a.workspace_id = $1::text`,
)

/** Approval, present, workspace. Returns nothing when it was used before. */
const markUsed = statement<ApprovalRow>(
  'use_approval',
  /* sql */ `
  update taskboard.approval a set state = 'used', used_at = $2::bigint
  where a.id = $1::text and a.workspace_id = $3::text and a.state = 'approved'
  returning ${approvalColumns('a')}`,
)

/** Approval, workspace. */
const markExpired = statement<never>(
  'expire_approval',
  /* sql */ `
  update taskboard.approval a set state = 'expired'
  where a.id = $1::text and a.workspace_id = $2::text and a.state in ('pending', 'approved')`,
)

/** The event of an approval: workspace $1, present $2, type $3, data $4. `more` is SQL of what row `w` adds to the data. */
const logged = (more = `'{}'::jsonb`): string => /* sql */ `
  draft as (
    select $1::text as workspace_id, 1 as ord, $3::text as type, $2::bigint as at, $4::jsonb || ${more} as data
    from written w
  ),
  ${LOG_EVENTS}`

/** Workspace, present, type and data of the event, approval. */
const insertPending = statement<ApprovalRow>(
  'insert_approval',
  /* sql */ `
  with written as (
    insert into taskboard.approval (
      id, workspace_id, task_id, action, summary, input, input_digest, state, agent_id, requested_by_kind,
      requested_by_id, asker_kind, asker_owner, asker_is_session, require_other_person, fencing_token, requested_at,
      expires_at
    )
    select id, $1::text, task_id, action, summary, $6::json, input_digest, 'pending', agent_id, requested_by_kind,
      requested_by_id, asker_kind, asker_owner, asker_is_session, require_other_person, fencing_token, $2::bigint,
      expires_at
    from jsonb_to_record($5::jsonb) as a (
      id text, task_id text, action text, summary text, input_digest text, agent_id text, requested_by_kind text,
      requested_by_id text, asker_kind text, asker_owner text, asker_is_session boolean, require_other_person boolean,
      fencing_token bigint, expires_at bigint
    )
    returning *
  ),
  ${logged()}
  select ${approvalColumns('a')} from written a`,
)

/** Workspace, present, type and data of the event, approval, state, the decider's kind, id and given name, comment. */
const writeDecision = statement<ApprovalRow>(
  'decide_approval',
  /* sql */ `
  with written as (
    update taskboard.approval a
    set state = $6::text, decided_by_kind = $7::text, decided_by_id = $8::text, decided_by_name = ${nameOf('$7', '$8', '$9', '$1')},
      decided_at = $2::bigint, comment = $10::text
    where a.id = $5::text and a.workspace_id = $1::text and a.state = 'pending'
    returning *
  ),
  ${logged(`jsonb_build_object('decidedBy', jsonb_build_object(
      'kind', w.decided_by_kind, 'id', w.decided_by_id, 'name', w.decided_by_name))`)}
  select ${approvalColumns('a')} from written a`,
)

/** `ApprovalStore.requestApproval`. Every writer of a task's approvals locks the task first, so the one that is found stays as it is. */
async function requestWithin(
  database: Database,
  session: Session,
  asked: Parameters<Store['requestApproval']>[0],
  call: CallContext<PgConnection>,
): Promise<ApprovalAnswer> {
  const { proof, request, asker } = asked
  const { workspaceId, taskId, fencingToken } = proof
  const { row, task } = await lockTask(session, proof, call.now)
  const { now } = row
  const wanted = [taskId, request.inputDigest, request.action, workspaceId]
  const [open] = await session.run(findOpen, [...wanted, asker.kind, asker.owner, asker.isSession])
  const found = open === undefined ? null : toApproval(open)
  const outcome = outcomeOfRequest(task, found, request, { fencingToken, now })
  if (outcome.command !== null) await applyWithin(session, proof, outcome.command, row)
  switch (outcome.kind) {
    case 'wait':
      return { outcome: 'pending', approval: outcome.approval }
    case 'refuse':
      return { outcome: 'rejected', approval: outcome.approval }
    case 'use':
      return { outcome: 'approved', approval: await useUp(session, workspaceId, outcome.approval, now) }
    case 'ask': {
      const agentId = task.lease?.agentId ?? ''
      const id = database.settings.current.newId('apr')
      const stored = await insertAsked(session, asked, { id, agentId, title: task.title, now }, outcome)
      return { outcome: 'pending', approval: approvalAt(stored, now) }
    }
  }
}

async function useUp(
  session: Session,
  workspaceId: string,
  { id }: Approval,
  now: number,
): Promise<Approval> {
  const [used] = await session.run(markUsed, [id, now, workspaceId])
  if (used === undefined) throw new TaskboardError('CONFLICT', 'the approval was used before')
  return approvalAt(toApproval(used), now)
}

async function insertAsked(
  session: Session,
  { proof, request, requestedBy, asker, expireAfterMs }: Parameters<Store['requestApproval']>[0],
  { id, agentId, title, now }: { id: string; agentId: string; title: string; now: number },
  { replaces }: Extract<RequestOutcome, { readonly kind: 'ask' }>,
): Promise<StoredApproval> {
  const { workspaceId, taskId, fencingToken } = proof
  if (replaces !== null) await session.run(markExpired, [replaces, workspaceId])
  const { action, summary, input, inputDigest, requireOtherPerson } = request
  const expiresAt = now + expireAfterMs
  const data: Extract<EventDraft, { readonly type: 'approval.requested' }>['data'] = {
    ...eventOfApproval({ id, taskId, ...request }, { title }),
    agentId,
    requestedAt: now,
    expiresAt,
  }
  const approval = {
    id,
    task_id: taskId,
    action,
    summary,
    input_digest: inputDigest,
    agent_id: agentId,
    requested_by_kind: requestedBy.kind,
    requested_by_id: requestedBy.id,
    asker_kind: asker.kind,
    asker_owner: asker.owner,
    asker_is_session: asker.isSession,
    require_other_person: requireOtherPerson,
    fencing_token: fencingToken,
    expires_at: expiresAt,
  }
  const event = ['approval.requested', JSON.stringify(data)]
  const values = [workspaceId, now, ...event, JSON.stringify(approval), JSON.stringify(input)]
  const [written] = await session.run(insertPending, values)
  if (written === undefined) throw new Error('an approval was not stored')
  return toApproval(written)
}

/** `ApprovalStore.decideApproval`. */
async function decideWithin(
  database: Database,
  session: Session,
  { workspaceId, approvalId, verdict, decidedBy }: Parameters<Store['decideApproval']>[0],
  call: CallContext<PgConnection>,
): Promise<Approval> {
  const find = async () => {
    const [row] = await session.run(findOne, [workspaceId, approvalId])
    if (row === undefined) throw new TaskboardError('NOT_FOUND', 'no such approval')
    return { stored: toApproval(row), requireOtherPerson: row.isOtherRequired }
  }
  const { taskId } = (await find()).stored
  const target = { workspaceId, taskId }
  const { row, task } = await lockTask(session, target, call.now)
  const { now } = row
  // Again, now that the task is locked: another decision may have come first.
  const { stored, requireOtherPerson } = await find()
  const outcome = outcomeOfDecision(task, stored, { ...verdict, decidedBy, requireOtherPerson }, now)
  const { approval: after, command, body } = outcome
  if (command !== null) await applyWithin(session, target, command, row)
  const { decision, comment } = verdict
  const { kind, id: decider, name = null } = decidedBy
  // The database adds who decided, with the name.
  const data: Omit<Extract<EventDraft, { readonly type: 'approval.decided' }>['data'], 'decidedBy'> = {
    ...eventOfApproval(after, task),
    decision,
    comment,
    decidedAt: now,
  }
  const event = ['approval.decided', JSON.stringify(data)]
  const values = [workspaceId, now, ...event, approvalId, decision, kind, decider, name, comment]
  const [written] = await session.run(writeDecision, values)
  if (written === undefined) throw new TaskboardError('CONFLICT', 'the approval was decided before')
  const id = database.settings.current.newId('cmt')
  await writeComment(
    session,
    {
      id,
      workspaceId,
      taskId,
      kind: 'decision',
      body,
      author: { kind, id: decider, name: written.decidedByName },
    },
    now,
  )
  return approvalAt(toApproval(written), now)
}

export function createApprovalStore(database: Database): Store {
  return {
    requestApproval: (asked, call) =>
      database.atomically(call, (session) => requestWithin(database, session, asked, call)),
    decideApproval: (decision, call) =>
      database.atomically(call, (session) => decideWithin(database, session, decision, call)),
    listApprovals: (query, call) => listApprovals(database, query, call),
  }
}
