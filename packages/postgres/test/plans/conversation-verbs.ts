import type { Actor, ApprovalStatus, Asker, Storage } from '@taskboard/core'
import { parseApprovalRequest } from '@taskboard/core/storage'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW, taskId } from './large-board.js'

const at = { now: NOW }
const person: Actor = { kind: 'user', id: 'user_1' }
/** In TODO, with twenty thousand comments. */
const LONG = taskId(9_001)
const account = { accountId: 'acc_0', workspaceIds: 'all' } as const

/** The calls of conversations and approvals; `pass` differs each time. */
export function conversationVerbs(storage: Storage<PgConnection>, pass: string): readonly HotVerb[] {
  const { tasks, comments, approvals } = storage
  const target = { workspaceId: HUGE, taskId: LONG }
  const draft = { kind: 'comment', body: 'text', author: person } as const
  const request = parseApprovalRequest({ action: 'refund', summary: 'Refund', input: pass })
  let approvalId = ''
  let fencingToken = 0
  return [
    {
      name: 'comment',
      indexes: ['task_pkey', 'task_comment_pkey'],
      run: () => comments.insertComment({ target, draft, idempotency: null }, at),
    },
    {
      name: 'comments from the middle',
      indexes: ['task_pkey', 'task_comment_pkey'],
      run: () => comments.listComments({ ...target, after: 10_000, limit: 100 }, at),
    },
    {
      name: 'conversation of a run',
      indexes: ['task_comment_pkey', 'task_comment_exchange'],
      run: () => tasks.getTask({ within: HUGE, taskId: LONG, parts: ['comments', 'answer'] }, at),
    },
    {
      name: 'claim for a request',
      run: async () => {
        const agentId = `agent_${HUGE}_1`
        const claim = { target: { workspaceId: HUGE, agentId, leaseMs: 60_000 }, limit: 1 }
        const [task] = (await tasks.claimTasks(claim, at)).tasks
        target.taskId = task?.id ?? ''
        fencingToken = task?.fencingToken ?? 0
      },
    },
    {
      name: 'hold for input',
      run: () => {
        const command = { kind: 'hold', reason: 'needs_input', message: null, actor: person } as const
        return tasks.changeTask({ target: { workspaceId: HUGE, taskId: LONG }, command }, at)
      },
    },
    {
      name: 'request approval',
      indexes: ['task_pkey', 'approval_open'],
      run: async () => {
        const proof = { ...target, fencingToken }
        const asker: Asker = { kind: 'credential', owner: person.id, isSession: true }
        const asked = { proof, request, requestedBy: person, asker, expireAfterMs: 60_000 }
        approvalId = (await approvals.requestApproval(asked, at)).approval.id
      },
    },
    {
      name: 'decide',
      indexes: ['approval_pkey', 'task_pkey'],
      run: () => {
        const verdict = { decision: 'approved', comment: null, digest: null } as const
        const decidedBy: Actor = { kind: 'user', id: 'user_2' }
        return approvals.decideApproval({ workspaceId: HUGE, approvalId, verdict, decidedBy }, at)
      },
    },
    {
      name: 'answer',
      indexes: ['task_pkey', 'task_comment_pkey', 'task_comment_exchange'],
      run: () => {
        const answer = { kind: 'answer', body: 'That one.', author: person } as const
        const insertion = { target: { workspaceId: HUGE, taskId: LONG }, draft: answer, idempotency: null }
        return comments.insertComment(insertion, at)
      },
    },
    ...listVerbs(storage, () => approvalId),
  ]
}

/** The lists of approvals. */
function listVerbs({ approvals }: Storage<PgConnection>, approvalId: () => string): readonly HotVerb[] {
  const list = (
    within: string | typeof account,
    query: { status?: ApprovalStatus; taskId?: string; approvalId?: string; limit?: number },
  ) => {
    const none = { status: null, taskId: null, approvalId: null, afterId: null, limit: 50 }
    return approvals.listApprovals({ within, ...none, ...query }, at)
  }
  return [
    {
      name: 'approval',
      indexes: ['approval_pkey'],
      run: () => list(account, { approvalId: approvalId(), limit: 1 }),
    },
    { name: 'approvals of a task', indexes: ['approval_task'], run: () => list(account, { taskId: LONG }) },
    {
      name: 'pending approvals of a workspace',
      indexes: ['approval_state'],
      run: () => list(HUGE, { status: 'pending' }),
    },
    {
      name: 'approvals of an account',
      indexes: ['approval_state'],
      most: { rows: 3_500, pages: 8_000 },
      run: () => list(account, {}),
    },
  ]
}
