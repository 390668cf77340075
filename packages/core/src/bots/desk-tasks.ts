import type { Principal } from '../access/index.js'
import type { CallContext } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { Member, Spoken } from './bot-desk.js'
import type { MessagePlace } from './bot-store.js'
import type { DeskDeps } from './desk-deps.js'

const MOST_MESSAGES = 20
export const mostSearched = 200

const FULL_ID = /^task_[0-9a-z]{26}$/
const HANDLE = /^#([0-9a-z]{4,26})$/

/** The tasks that people name in messages, and their cards. */
export interface DeskTasks<Tx> {
  /** The card that is replied to; null for none. */
  readonly cardOf: (spoken: Spoken) => Promise<MessagePlace | null>
  /**
   * The task that a handle, or the card that is replied to, names.
   * @throws TaskboardError (rejecting) `TASK_NOT_FOUND`, `MISSING_FIELD`, `INVALID_FIELD`, `CONFLICT`.
   */
  readonly taskIdOf: (spoken: Spoken, member: Member, handle: string | null) => Promise<string>
  /** The id of a task of the workspace. @throws TaskboardError (rejecting) `TASK_NOT_FOUND`. */
  readonly requireIn: (principal: Principal, workspaceId: string, taskId: string) => Promise<string>
  readonly placeCard: (spoken: Spoken, member: Member, taskId: string, own: CallContext<Tx>) => Promise<void>
}

export function createDeskTasks<Tx>(deps: DeskDeps<Tx>, bot: string): DeskTasks<Tx> {
  const { environment, store } = deps

  async function endingIn(spoken: Spoken, { principal, workspaceId }: Member, tail: string) {
    const query = { bot, conversationId: spoken.conversation.id }
    const cards = await store.listMessages(query, environment.call())
    const { tasks } = await deps.tasks.search(principal, { workspaceId, limit: mostSearched })
    const ids = [...cards.map(({ taskId }) => taskId), ...tasks.map(({ id }) => id)]
    return new Set(ids.filter((id) => id.endsWith(tail)))
  }

  /** The id of the task whose id ends so. */
  async function findByTail(spoken: Spoken, member: Member, handle: string): Promise<string> {
    const [, tail] = HANDLE.exec(handle) ?? []
    if (tail === undefined) {
      throw new TaskboardError('INVALID_FIELD', 'a task is named by # and the end of its id')
    }
    const found = await endingIn(spoken, member, tail)
    const [taskId] = found
    if (taskId === undefined) {
      throw new TaskboardError('TASK_NOT_FOUND', `there is no task #${tail} among the newest ones here`)
    }
    if (found.size === 1) return taskId
    throw new TaskboardError('CONFLICT', `several tasks end in ${tail}: write more of the id`)
  }

  const parts: DeskTasks<Tx> = {
    async cardOf({ conversation, replyTo }) {
      if (replyTo === null) return null
      const query = { bot, conversationId: conversation.id, ref: replyTo }
      return (await store.listMessages(query, environment.call()))[0] ?? null
    },
    async taskIdOf(spoken, member, handle) {
      const { principal, workspaceId } = member
      if (handle !== null) {
        const taskId = FULL_ID.test(handle) ? handle : await findByTail(spoken, member, handle)
        return parts.requireIn(principal, workspaceId, taskId)
      }
      const card = await parts.cardOf(spoken)
      if (card !== null) return parts.requireIn(principal, workspaceId, card.taskId)
      throw new TaskboardError('MISSING_FIELD', 'name the task, such as #k3x9wd, or reply to its card')
    },
    async requireIn(principal, workspaceId, taskId) {
      if ((await deps.tasks.locate(principal, taskId)) === workspaceId) return taskId
      throw new TaskboardError('TASK_NOT_FOUND', 'the task is of another workspace')
    },
    async placeCard({ conversation, cardRepliesTo: replyTo }, member, taskId, own) {
      const { principal, workspaceId, timeZone } = member
      const where = { bot, conversationId: conversation.id, replyTo, workspaceId }
      await store.placeMessage({ ...where, taskId, userId: principal.id, timeZone, most: MOST_MESSAGES }, own)
    },
  }
  return parts
}
