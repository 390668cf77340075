import { z } from 'zod'
import {
  actorOf,
  type Approval,
  approvalStatuses,
  approvalFields,
  askerKinds,
  completionInput,
  verdictInput,
} from '../../board/index.js'
import { plainActor, shortDigest } from '../../events/index.js'
import { actorJson, namedActorJson, toWireNamed } from '../wire/actor-wire.js'
import { boardOfTask, operation } from './operation.js'
import { idText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

/** An approval in an answer. */
const approvalJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    task_id: z.string(),
    action: z.string(),
    summary: z.string(),
    input: z.unknown().meta({ description: 'The input of the action: any JSON.' }),
    input_digest: z.string().meta({ description: 'The SHA-256 of the canonical JSON of the input.' }),
    short_digest: z.string().meta({
      description:
        'The first 12 digits of input_digest, such as 3f2a-91bc-0d4e. Show it with the input, and pass it with the decision.',
    }),
    status: z.enum(approvalStatuses),
    agent_id: z.string(),
    requested_by: actorJson,
    asker: z.enum(askerKinds).meta({
      description:
        "The requester, which can use it: an agent in the host's process, a credential with the same owner as requested_by, or the host's own code.",
    }),
    require_other_person: z.boolean().meta({
      description: 'Whether another owner has to decide, even without the setting of the account.',
    }),
    requested_at: timestamp,
    expires_at: timestamp,
    decided_by: namedActorJson.nullable(),
    decided_at: timestamp.nullable(),
    comment: z.string().nullable(),
    used_at: timestamp.nullable(),
  })
  .meta({ id: 'Approval' })

function toWireApproval(approval: Approval) {
  const { requestedBy, decidedBy } = approval
  return {
    id: approval.id,
    workspace_id: approval.workspaceId,
    task_id: approval.taskId,
    action: approval.action,
    summary: approval.summary,
    input: approval.input,
    input_digest: approval.inputDigest,
    short_digest: shortDigest(approval.inputDigest),
    status: approval.status,
    agent_id: approval.agentId,
    requested_by: plainActor(requestedBy),
    asker: approval.asker.kind,
    require_other_person: approval.requireOtherPerson,
    requested_at: toTimestamp(approval.requestedAt),
    expires_at: toTimestamp(approval.expiresAt),
    decided_by: decidedBy && toWireNamed(decidedBy),
    decided_at: toTimestamp(approval.decidedAt),
    comment: approval.comment,
    used_at: toTimestamp(approval.usedAt),
  }
}

const params = z.object({ approval_id: idText })
const common = { tag: 'approvals' } as const
const one = { status: 200, schema: approvalJson } as const

const requestApproval = operation({
  ...common,
  id: 'requestApproval',
  summary: 'Asks for permission to do one thing, once, under a claim',
  description:
    "An action must not begin with tool:, which is for the tools of agents in the host's process. approved: this action with this exact input was approved for this task and this owner's keys, and this request used up the approval. Perform the action now, once. If this response is lost, the action must be approved again. rejected: the comment of the approval says why. pending: the task is on hold as approval and the agent no longer has it; after the decision, the next claim asks again.",
  method: 'POST',
  path: '/v2/tasks/{task_id}/approvals',
  client: 'tasks.approvals.request',
  repeatable: false,
  scope: 'tasks:write',
  params: z.object({ task_id: idText }),
  body: z.object({
    fencing_token: completionInput.shape.fencingToken.meta({
      description: 'The token from the claim. An outdated token is rejected with 409.',
    }),
    action: approvalFields.shape.action.meta({
      minLength: 1,
      description: '1 to 100 characters, not tool:…',
    }),
    summary: approvalFields.shape.summary.meta({
      minLength: 1,
      description:
        'A summary of the action for people: 1 to 2,000 characters. It has no effect on the decision.',
    }),
    input: z.unknown().optional().meta({
      description:
        'All that the action works on: any JSON of at most 64 KiB and 16 levels, with numbers up to 9007199254740991. Default null.',
    }),
    require_other_person: approvalFields.shape.requireOtherPerson.meta({
      description: 'Whether someone else than the owner of this credential has to decide.',
    }),
  }),
  example: { fencing_token: 1, action: 'refund', summary: 'Refund order 7', input: { order: 7 } },
  answer: {
    status: 200,
    schema: z.object({ outcome: z.enum(['approved', 'rejected', 'pending']), approval: approvalJson }),
  },
  async run({ services, principal, params: { task_id: id }, body }) {
    const { fencing_token: fencingToken, require_other_person: requireOtherPerson, ...rest } = body
    const board = await boardOfTask(services, principal, id)
    const asked = { ...rest, fencingToken, requireOtherPerson }
    const { outcome, approval } = await board.requestApproval(id, asked, { actor: actorOf(principal) })
    return { outcome, approval: toWireApproval(approval) }
  },
})

const listApprovals = operation({
  ...common,
  id: 'listApprovals',
  summary: 'The approvals of all workspaces within reach, newest first',
  method: 'GET',
  path: '/v2/approvals',
  client: 'approvals.list',
  scope: 'tasks:read',
  query: z.object({
    status: z.enum(approvalStatuses).optional(),
    task_id: idText.optional(),
    ...pageQuery,
  }),
  answer: { status: 200, schema: z.object({ approvals: z.array(approvalJson), next_cursor: nextCursor }) },
  async run({ services, principal, query }) {
    const { status, task_id: taskId, limit, cursor } = query
    const page = await services.approvals.search(principal, { status, taskId, limit, cursor })
    return { approvals: page.approvals.map(toWireApproval), next_cursor: page.nextCursor }
  },
})

const getApproval = operation({
  ...common,
  id: 'getApproval',
  summary: 'One approval, with the input of its action',
  method: 'GET',
  path: '/v2/approvals/{approval_id}',
  client: 'approvals.get',
  scope: 'tasks:read',
  params,
  answer: one,
  run: async ({ services, principal, params: { approval_id: id } }) =>
    toWireApproval(await services.approvals.find(principal, id)),
})

const decideApproval = operation({
  ...common,
  id: 'decideApproval',
  summary: 'Approves or rejects what an agent wants to do, and releases its task',
  description:
    'Decides once: rejected with 409 when it was decided before or has expired. Rejected with 403 for a key whose owner has the credential that asked, and for the user whose login asked. Show the person the input, and pass the digest that they saw.',
  method: 'POST',
  path: '/v2/approvals/{approval_id}/decision',
  client: 'approvals.decide',
  repeatable: false,
  scope: 'approvals:write',
  params,
  body: z.object({
    decision: verdictInput.shape.decision,
    comment: verdictInput.shape.comment.meta({ description: 'At most 19,800 characters.' }),
    digest: verdictInput.shape.digest.meta({
      description:
        'The short_digest or input_digest that the person was shown. The decision is rejected with 409 when the input has another.',
    }),
  }),
  example: { decision: 'approved' },
  answer: one,
  async run({ services, principal, by, params: { approval_id: id }, body }) {
    const { workspaceId } = await services.approvals.find(principal, id)
    const actor = actorOf(principal)
    return toWireApproval(await services.board(workspaceId).decide(id, body, { actor, by }))
  },
})

/** Operations on approvals, for agents outside of the host and for people. */
export const approvalOperations = [requestApproval, listApprovals, getApproval, decideApproval]
