import { isReadOnlyRefusal, requireScope } from '../access/index.js'
import { actorOf, type Board, commentInput } from '../board/index.js'
import { isTaskboardError, parseInput, TaskboardError } from '../errors/index.js'
import type { BotDesk, Member, Replied, Spoken, SpokenTask, TaskReport } from './bot-desk.js'
import { handleOf } from './card.js'
import type { MessageOffer } from './bot-store.js'
import type { DeskDeps } from './desk-deps.js'
import { createDeskPeople, type DeskPeople } from './desk-people.js'
import { createDeskTasks, type DeskTasks, mostSearched } from './desk-tasks.js'
import { offerLink } from './offer-link.js'
import { createPresses } from './presses.js'

const MOST_CONVERSATIONS = 100
const MOST_LISTED = 10

/** What the methods of a desk share. */
type Parts<Tx> = DeskDeps<Tx> & DeskPeople<Tx> & DeskTasks<Tx>

/** What a bot can do on the board. */
export function createDesk<Tx>(deps: DeskDeps<Tx>, bot: string): BotDesk {
  const { environment, store } = deps
  const people = createDeskPeople(deps, bot)
  const parts: Parts<Tx> = { ...deps, ...people, ...createDeskTasks(deps, bot) }
  const { memberOf, cardOf, requireIn, taskIdOf } = parts
  return {
    now: () => environment.clock.now(),
    logger: environment.logger,
    member: (spoken) => memberOf(spoken, 'tasks:read'),
    async agentNames(spoken) {
      const { workspaceId } = await memberOf(spoken, 'tasks:read')
      return (await deps.agents.list(workspaceId)).map(({ name }) => name)
    },
    add: (spoken, task) => add(parts, spoken, task),
    async reply(spoken, text) {
      const member = await memberOf(spoken, 'tasks:write')
      const card = await cardOf(spoken)
      if (card === null) throw new TaskboardError('NOT_FOUND', 'that message is not the card of a task')
      const taskId = await requireIn(member.principal, member.workspaceId, card.taskId)
      return write(parts, spoken, member, { taskId, text, shown: card.offer })
    },
    countMessage: async (spoken) => people.count(spoken),
    isCard: async (spoken) => (await cardOf(spoken)) !== null,
    async comment(spoken, handle, text) {
      const member = await memberOf(spoken, 'tasks:write')
      const taskId = await taskIdOf(spoken, member, handle)
      return write(parts, spoken, member, { taskId, text, shown: null })
    },
    cancel: (spoken, handle) =>
      change(parts, spoken, handle, (board, id, options) => board.cancel(id, options)),
    setPriority: (spoken, handle, priority) =>
      change(parts, spoken, handle, (board, id, options) => board.update(id, { priority }, options)),
    showCard: (spoken, handle) => showCard(parts, spoken, handle),
    list: (spoken, which) => list(parts, spoken, which),
    async report(spoken, handle) {
      const member = await memberOf(spoken, 'tasks:read')
      return reportOf(parts, member, await taskIdOf(spoken, member, handle))
    },
    connect: (spoken, workspaceName) => connect(parts, spoken, workspaceName),
    offerLink: (spoken, code) => offerLink(deps, people, spoken, code),
    press: createPresses({ ...deps, ...people }),
    async done({ updateId, position }) {
      await store.takeUpdate({ bot, updateId, position }, environment.call())
    },
  }
}

async function agentIdOf<Tx>(
  { agents }: Parts<Tx>,
  { workspaceId }: Member,
  name: string | undefined,
): Promise<string | undefined> {
  if (name === undefined) return undefined
  const found = (await agents.list(workspaceId)).find(
    (agent) => agent.name.toLowerCase() === name.toLowerCase(),
  )
  if (found !== undefined) return found.id
  throw new TaskboardError('INVALID_FIELD', `there is no agent ${name}`, { field: 'agent' })
}

async function add<Tx>(parts: Parts<Tx>, spoken: Spoken, { agent, ...task }: SpokenTask) {
  const { memberOf, once, placeCard, quota } = parts
  const member = await memberOf(spoken, 'tasks:write')
  const { principal, workspaceId } = member
  const input = { ...task, assignedTo: await agentIdOf(parts, member, agent) }
  const board = parts.board(workspaceId)
  const taskId = await quota.createTask<string | null>(
    principal,
    async (tx) => {
      const work: Parameters<typeof once<string>>[2] = async (own) => {
        const { id } = await board.add(input, { tx: own.tx, actor: actorOf(principal) })
        await placeCard(spoken, member, id, own)
        return id
      }
      const added = await once(spoken, principal, work, tx)
      return { value: added, replayed: added === null }
    },
    { isRepeatable: true },
  )
  if (taskId === null) return null
  parts.onChanged()
  return { taskId }
}

interface Writing {
  readonly taskId: string
  readonly text: string
  /** The offer of the card that it replies to; null for a comment in any case. */
  readonly shown: MessageOffer | null
}

/** Adds a comment to a task, or the answer to the question that its card shows while the task waits for that answer. */
async function write<Tx>(
  { once, board: boardOf, comments, onChanged }: Parts<Tx>,
  spoken: Spoken,
  { principal, workspaceId }: Member,
  { taskId, text, shown }: Writing,
): Promise<Replied | null> {
  const board = boardOf(workspaceId)
  const author = actorOf(principal)
  const written = await once<Replied>(spoken, principal, async (own) => {
    const { title, hold } = await board.get(taskId, { tx: own.tx })
    if (hold?.reason !== 'needs_input' || shown?.kind !== 'question') {
      await board.comment(taskId, { body: text }, { tx: own.tx, actor: author })
      return { kind: 'comment', title }
    }
    const { body } = parseInput(commentInput, { body: text })
    const questionId = shown.subjectId === taskId ? null : shown.subjectId
    const draft = { kind: 'answer', body, author, questionId } as const
    await comments.insertComment({ target: { workspaceId, taskId }, draft, idempotency: null }, own)
    return { kind: 'answer', title }
  })
  onChanged()
  return written
}

type Options<Tx> = { readonly tx: Tx | undefined; readonly actor: ReturnType<typeof actorOf> }

/** Changes the task that a handle names. */
async function change<Tx>(
  { memberOf, taskIdOf, once, board, onChanged }: Parts<Tx>,
  spoken: Spoken,
  handle: string | null,
  work: (board: Board<Tx>, taskId: string, options: Options<Tx>) => Promise<{ readonly title: string }>,
): Promise<{ readonly title: string } | null> {
  const member = await memberOf(spoken, 'tasks:write')
  const taskId = await taskIdOf(spoken, member, handle)
  const { principal, workspaceId } = member
  const changed = await once(spoken, principal, async ({ tx }) => {
    const { title } = await work(board(workspaceId), taskId, { tx, actor: actorOf(principal) })
    return { title }
  })
  onChanged()
  return changed
}

async function showCard<Tx>(parts: Parts<Tx>, spoken: Spoken, handle: string | null) {
  const { memberOf, taskIdOf, once, placeCard, onChanged } = parts
  const member = await memberOf(spoken, 'tasks:read')
  const taskId = await taskIdOf(spoken, member, handle)
  const shown = await once(spoken, member.principal, async (own) => {
    await placeCard(spoken, member, taskId, own)
    return { taskId }
  })
  onChanged()
  return shown
}

async function reportOf<Tx>(
  parts: Parts<Tx>,
  { principal, timeZone }: Member,
  taskId: string,
): Promise<TaskReport> {
  const { task, agent } = await parts.tasks.find(principal, taskId)
  const { approvals } = await parts.approvals.search(principal, { taskId, status: 'pending', limit: 1 })
  return {
    task,
    handle: handleOf(taskId),
    agent: agent?.name ?? null,
    openApproval: approvals[0] ?? null,
    url: parts.taskUrl(taskId),
    timeZone,
  }
}

async function list<Tx>(
  { memberOf, tasks: directory, store, environment, bot, taskUrl }: Parts<Tx>,
  spoken: Spoken,
  { mine }: { readonly mine: boolean },
): Promise<readonly TaskReport[]> {
  const { principal, workspaceId, timeZone } = await memberOf(spoken, 'tasks:read')
  const { tasks } = await directory.search(principal, { workspaceId, limit: mostSearched })
  const query = { bot, conversationId: spoken.conversation.id }
  const cards = mine ? await store.listMessages(query, environment.call()) : []
  const own = new Set(cards.filter(({ userId }) => userId === principal.id).map(({ taskId }) => taskId))
  const open = tasks.filter((task) => task.column !== 'DONE' && (!mine || own.has(task.id)))
  return open.slice(0, MOST_LISTED).map((task) => {
    const agent = task.agent?.name ?? null
    return { task, handle: handleOf(task.id), agent, openApproval: null, url: taskUrl(task.id), timeZone }
  })
}

async function connect<Tx>(parts: Parts<Tx>, spoken: Spoken, workspaceName: string) {
  const { personOf, access, environment, reach, bot, once, store } = parts
  const { principal } = await personOf(spoken)
  requireScope(principal, 'account:write')
  if (spoken.conversation.isDirect) {
    throw new TaskboardError('CONFLICT', 'a direct conversation belongs to your own default workspace')
  }
  const { accountId, id: connectedBy } = principal
  const wanted = workspaceName.trim()
  const workspaces = await access.listWorkspaces({ accountId }, environment.call())
  const named = workspaces.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const [workspace] = named
  if (workspace === undefined || !(await reach.includes(principal, workspace.id))) {
    throw new TaskboardError('NOT_FOUND', `there is no workspace ${wanted}`)
  }
  if (named.length > 1) throw new TaskboardError('CONFLICT', 'several workspaces have that name: rename one')
  const { id: externalId, title } = spoken.conversation
  const connection = { bot, externalId, title, workspaceId: workspace.id, accountId, connectedBy }
  return once(spoken, principal, async (own) => {
    await store.connectConversation({ ...connection, most: MOST_CONVERSATIONS }, own)
    return { workspaceName: workspace.name }
  })
}

/**
 * Whether to show the message of an error to the person who caused it. A read-only account isn't an outage.
 * @example
 * ```ts
 * import { TaskboardError } from '@taskboard/core'
 * import { isForPeople } from '@taskboard/core/transport'
 *
 * console.log(isForPeople(new TaskboardError('CONFLICT', 'the task is done')), isForPeople(new Error('away'))) // true false
 * ```
 */
export const isForPeople = (error: unknown): error is TaskboardError =>
  isTaskboardError(error) &&
  error.code !== 'INTERNAL_ERROR' &&
  (error.code !== 'SERVICE_UNAVAILABLE' || isReadOnlyRefusal(error))
