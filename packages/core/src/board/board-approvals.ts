import type { z } from 'zod'
import type { Environment, OnRecord } from '../environment/index.js'
import { parseInput, requireKnownFields, requireLimit } from '../errors/index.js'
import {
  type Approval,
  type ApprovalInput,
  approvalProof,
  parseApprovalRequest,
  requireOwnAction,
  verdictInput,
} from './approval.js'
import { askerOf, refusedToAgents } from './asker.js'
import type { ApprovalFindings } from './approval-directory.js'
import type { ApprovalAnswer, ApprovalStore } from './approval-store.js'
import { actingAs, DEFAULT_PAGE, type ListOptions, type WriteOptions } from './board-options.js'
import { decodeApprovalId, encodeTaskId as encodeId } from './cursor.js'
import type { BoardConversation } from './conversation.js'
import type { Actor } from './task.js'

const requestFields: ReadonlySet<string> = new Set([
  'fencingToken',
  'action',
  'summary',
  'input',
  'requireOtherPerson',
])

/** The approvals of a board's tasks. */
export interface BoardApprovals<Tx = unknown> {
  /**
   * The agent that works on the task asks for permission to do one thing. `approved`: this very action with this very input was approved
   * for this task, and this call has used that up: do it now, once. `rejected`: it was rejected, and `approval.comment` says why.
   * `pending`: it waits for a decision. The task is on hold as `approval`, the claim is over, and the next attempt asks again. The attempt
   * doesn't count. An approval belongs to its asker. All runtimes are one asker, and the host's code is another. A user is one, and so are
   * the keys of an owner, as `actor`. With `requireOtherPerson`, what was decided without it doesn't count.
   * @throws `CONFLICT` when the lease is no longer held; `INVALID_FIELD` for an `action` that begins with `tool:`, except on the board of a run.
   */
  requestApproval(
    taskId: string,
    input: ApprovalInput & { readonly fencingToken: number },
    options?: WriteOptions<Tx>,
  ): Promise<ApprovalAnswer>
  /** The approvals of a task, newest first, so that an agent sees what was decided. None of a task that the board doesn't have. */
  approvals(taskId: string, options?: ListOptions<Tx>): Promise<ApprovalFindings>
  /**
   * A person decides a pending approval, with `approval.decided`, and releases its task. Of several decisions the first one counts. Pass the
   * `digest` that the person was shown, so that the decision is of that input.
   * A person may decide what their keys asked for. A key may decide nothing that its owner's credentials asked for, and no one what they asked
   * for by a login themselves. With `requireOtherPerson`, of the request or the account, another owner has to: the host's code names a person.
   * @throws `CONFLICT` when it was decided before or has expired, and for another `digest`; `NOT_FOUND`. `FORBIDDEN` for such askers and
   * for agents, and on the board of a run or a chat whatever `actor` says.
   */
  decide(
    approvalId: string,
    input: z.input<typeof verdictInput>,
    options?: WriteOptions<Tx> & OnRecord<Tx>,
  ): Promise<Approval>
}

/** A board for an agent that answers chat messages. It decides and answers nothing: else everyone who may chat could ask for that. */
export function withoutDecisions<B extends BoardApprovals & BoardConversation>(board: B): B {
  const [decide, answer] = [refusal('decide'), refusal('answer')]
  const members = { ...Object.getOwnPropertyDescriptors(board), decide, answer, answerOnce: answer }
  return Object.defineProperties({}, members) as B
}

function refusal(verb: 'decide' | 'answer'): PropertyDescriptor {
  return { value: () => Promise.reject(refusedToAgents(verb)), enumerable: true }
}

export interface BoardApprovalsDeps<Tx> {
  readonly environment: Environment
  readonly approvals: ApprovalStore<Tx>
  /** For how long a request can be decided. */
  readonly expireAfterMs: number
}

/** The approvals of one workspace; `actor` is the default actor. */
export function createBoardApprovals<Tx>(
  { environment, approvals, expireAfterMs }: BoardApprovalsDeps<Tx>,
  workspaceId: string,
  actor: Actor,
): BoardApprovals<Tx> {
  return {
    async requestApproval(taskId, input, options) {
      const { fencingToken } = parseInput(approvalProof, input)
      requireKnownFields(input, requestFields)
      const request = parseApprovalRequest(input)
      const proof = { workspaceId, taskId, fencingToken }
      const requestedBy = options?.actor ?? actor
      const asker = askerOf(actor, requestedBy)
      requireOwnAction(asker, request)
      return approvals.requestApproval(
        { proof, request, requestedBy, asker, expireAfterMs },
        environment.call(options),
      )
    },
    async approvals(taskId, options = {}) {
      const { limit = DEFAULT_PAGE, cursor } = options
      const afterId = cursor == null ? null : decodeApprovalId(cursor)
      const query = { within: workspaceId, approvalId: null, taskId, status: null, afterId }
      const page = await approvals.listApprovals(
        { ...query, limit: requireLimit(limit) },
        environment.call(options),
      )
      return { approvals: page.approvals, nextCursor: page.nextAfterId && encodeId(page.nextAfterId) }
    },
    async decide(approvalId, input, options) {
      const { decision, comment = null, digest = null } = parseInput(verdictInput, input)
      // The board that a run was given is an agent's, whatever actor it names.
      if (actor.kind === 'agent') throw refusedToAgents('decide')
      const decidedBy = actingAs(options?.actor ?? actor)
      const verdict = { decision, comment, digest }
      return approvals.decideApproval(
        { workspaceId, approvalId, verdict, decidedBy },
        environment.call(options),
      )
    },
  }
}
