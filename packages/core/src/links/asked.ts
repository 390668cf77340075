import type { People, Principal, Reach, Scope } from '../access/index.js'
import type { AgentStore } from '../agents/index.js'
import {
  type Approval,
  type ApprovalStore,
  type Comment,
  requireResponder,
  type Task,
  type TaskStore,
} from '../board/index.js'
import type { Environment, InTransaction } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import { digestOfQuestion, type LinkSubject } from './link.js'
import type { NewStoredLink } from './link-store.js'

/** What a person is asked, as it is now. */
export interface LinkedRequest {
  readonly task: Pick<Task, 'id' | 'title' | 'workspaceId' | 'hold'>
  /** Null for a question. */
  readonly approval: Approval | null
  /** The last question of the task; null for an approval, and without one. */
  readonly question: Comment | null
  /** The answer to it; null before. */
  readonly answer: Comment | null
}

export interface AskedDeps {
  readonly environment: Environment
  readonly people: People
  readonly approvals: Pick<ApprovalStore, 'listApprovals'>
  readonly tasks: Pick<TaskStore, 'getTask'>
  readonly agents: Pick<AgentStore, 'listAgents'>
}

/** Approvals and questions that wait for people. */
export interface AskedReader {
  /** Null when it does not exist any more. */
  find(
    within: string | Reach,
    about: RequestName,
    options?: InTransaction<unknown>,
  ): Promise<LinkedRequest | null>
  /** @throws TaskboardError `NOT_FOUND`, `TASK_NOT_FOUND`; `CONFLICT` when nothing waits for a decision. */
  require(
    within: string | Reach,
    about: RequestName,
    options?: InTransaction<unknown>,
  ): Promise<LinkedRequest>
  /** The person who may decide it now. @throws TaskboardError `FORBIDDEN`; `SERVICE_UNAVAILABLE`. */
  requireDecider(request: LinkedRequest, userId: string): Promise<Principal>
  /** What a link to it stores. */
  boundTo(request: LinkedRequest): Pick<NewStoredLink, 'workspaceId' | 'taskId' | 'about' | 'digest'>
  /** The name of the agent that asks. */
  askerOf(request: LinkedRequest): Promise<string>
}

/** An approval by its id, or the question of a task. */
export type RequestName = { readonly approvalId: string } | { readonly taskId: string }

export function createAsked({ environment, people, approvals, tasks, agents }: AskedDeps): AskedReader {
  async function findApproval(
    within: string | Reach,
    approvalId: string,
    options: InTransaction<unknown> | undefined,
  ): Promise<Approval | null> {
    const query = { within, approvalId, taskId: null, status: null, limit: 1, afterId: null }
    return (await approvals.listApprovals(query, environment.call(options))).approvals[0] ?? null
  }

  async function readTask(
    within: string | Reach,
    taskId: string,
    options: InTransaction<unknown> | undefined,
  ) {
    const parts = ['task', 'question', 'answer'] as const
    try {
      return await tasks.getTask({ within, taskId, parts }, environment.call(options))
    } catch (error) {
      if (isTaskboardError(error, 'TASK_NOT_FOUND')) return null
      throw error
    }
  }

  const find: AskedReader['find'] = async (within, about, options) => {
    const approval = 'approvalId' in about ? await findApproval(within, about.approvalId, options) : null
    if ('approvalId' in about && approval === null) return null
    const taskId = 'approvalId' in about ? (approval?.taskId ?? '') : about.taskId
    const read = await readTask(within, taskId, options)
    if (read === null) return null
    const { task, question, answer } = read
    return approval === null
      ? { task, approval, question, answer }
      : { task, approval, question: null, answer: null }
  }

  return {
    find,
    async require(within, about, options) {
      const found = await find(within, about, options)
      if (found === null) {
        throw 'taskId' in about
          ? new TaskboardError('TASK_NOT_FOUND', 'no such task')
          : new TaskboardError('NOT_FOUND', 'no such approval')
      }
      const { approval, question, answer, task } = found
      if (approval !== null && approval.status !== 'pending') {
        const why = approval.status === 'expired' ? 'has expired' : 'was decided before'
        throw new TaskboardError('CONFLICT', `the approval ${why}`, { resourceId: approval.id })
      }
      const isOpen = question !== null && answer === null && task.hold?.reason === 'needs_input'
      if (approval === null && !isOpen)
        throw new TaskboardError('CONFLICT', 'the task does not wait for the answer to a question')
      return found
    },
    async requireDecider({ task: { workspaceId }, approval }, userId) {
      const scope: Scope = approval === null ? 'tasks:write' : 'approvals:write'
      const person = await people.requireMay(userId, { workspaceId, scope })
      if (approval !== null) requireResponder(approval, { kind: 'user', id: userId }, 'decide')
      return person
    },
    boundTo({ task: { id: taskId, workspaceId }, approval, question }) {
      const place = { workspaceId, taskId }
      if (approval !== null)
        return { ...place, about: { kind: 'approval', id: approval.id }, digest: approval.inputDigest }
      if (question === null) throw new Error('a question is gone')
      return { ...place, about: { kind: 'question', id: question.id }, digest: digestOfQuestion(question) }
    },
    async askerOf({ approval, question, task: { workspaceId } }) {
      if (approval === null) return question?.author.name ?? question?.author.id ?? ''
      const { agentId } = approval
      const query = { reach: null, workspaceId, agentIds: [agentId] }
      const [agent] = await agents.listAgents(query, environment.call())
      return agent?.name ?? agentId
    },
  }
}

/** The name of the request that a link is about. */
export const requestOf = (taskId: string, { kind, id }: LinkSubject): RequestName =>
  kind === 'approval' ? { approvalId: id } : { taskId }
