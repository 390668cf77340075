import {
  type Actor,
  type Agent,
  type AgentOverview,
  createScoring,
  defaultScoring,
  silentLogger,
  type Storage,
  type Task,
  type WebhookEventType,
  webhookEventTypes,
  type Reach,
} from '@taskboard/core'
import {
  agentFields,
  type AddedAgent,
  type AgentStore,
  type CallContext,
  type ClaimProof,
  compareTied,
  createNewId,
  defaultBackoff,
  type LoggedEvent,
  type NewTask,
  scoreUnits,
  type StoredWebhook,
  systemClock,
  type TaskPart,
  type TaskReading,
  type TaskStore,
  type TaskWrite,
  type WebhookStore,
} from '@taskboard/core/storage'
import { newTask } from './new-task.js'
import type { OpenedStorage } from './opened-storage.js'

/** When every case begins. Cases name later times by how long after it they are. */
export const START = Date.UTC(2026, 0, 1)

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const LEASE_MS = MINUTE
export const LOG_LIMIT = 5
export const OUTPUT_LIMIT = 3
export const AGENT_TYPE = 'worker'

export const PERSON: Actor = { kind: 'user', id: 'user_1' }

/** Other weights than the default ones, and none of them 0. */
export const scoring = createScoring({
  weights: Object.fromEntries(
    Object.entries(defaultScoring.weights).map(([name, weight]) => [name, weight + 3]),
  ),
})

/** The order of tasks in TODO, without holds. */
export const byScore =
  (asOf: number) =>
  (a: Task, b: Task): number =>
    scoreUnits(b, asOf, scoring) - scoreUnits(a, asOf, scoring) || compareTied(a, b)

/** Has the form of an id, but nothing has it. */
export const unknownId = (prefix: string): string => `${prefix}_00000000000000000000000000`

/** A storage with one account, one workspace and one agent whose runtime is at work, with shortcuts for cases. */
export interface StorageFixture {
  readonly storage: Storage
  /** See `OpenedStorage.readsWait`. */
  readonly readsWait: boolean
  /** See `OpenedStorage.writesWait`. */
  readonly writesWait: boolean
  /** The same fixture by another storage, as another process sees it; null where there is none. */
  another(): Promise<StorageFixture | null>
  readonly accountId: string
  readonly workspaceId: string
  readonly agent: Agent
  /** The circumstances at `afterMs` after the start. */
  at(afterMs?: number, tx?: unknown): CallContext
  /** Adds a task. */
  add(task?: Partial<NewTask>, call?: CallContext): Promise<Task>
  /** The task as it is now. */
  get(task: Pick<Task, 'id' | 'workspaceId'>, tx?: unknown): Promise<Task>
  /** Claims the best task for the agent. */
  claim(call?: CallContext, agent?: Agent): Promise<Task | null>
  /** Adds a task and claims it; it must be the best one. */
  addClaimed(task?: Partial<NewTask>, call?: CallContext): Promise<Task>
  /** Claims and completes whatever is best. */
  finish(task: Task, call?: CallContext): Promise<void>
  /** Frees the dependents that completions have left for later; resolves to how many those were. */
  freeAll(call?: CallContext): Promise<number>
  expire(call: CallContext, limit?: number): Promise<{ expired: number; nextExpiryInMs: number | null }>
  events(workspaceId?: string): Promise<readonly LoggedEvent[]>
  eventTypes(workspaceId?: string): Promise<readonly string[]>
  /** Another workspace of the account with an agent. */
  addWorkspace(call?: CallContext, agentType?: string): Promise<{ workspaceId: string; agent: Agent }>
  addAgent(type?: string, call?: CallContext): Promise<AddedAgent>
  addWebhook(events?: readonly WebhookEventType[], call?: CallContext): Promise<StoredWebhook>
}

type Waits = Pick<StorageFixture, 'readsWait' | 'writesWait'>

type OpenNext = (() => Promise<Storage>) | null

/** Fills an empty storage; `openNext` opens further ones on what it stores on. */
export async function createStorageFixture(
  { storage, readsWait = false, writesWait = readsWait }: OpenedStorage,
  openNext: OpenNext,
): Promise<StorageFixture> {
  await bindAndOpen(storage)
  const agentInput = { name: 'first', type: AGENT_TYPE }
  const { account, workspace } = await storage.access.insertAccount(
    { name: 'account', tier: 'professional', workspaceName: 'workspace', agent: agentInput },
    at(),
  )
  const workspaceId = workspace.id
  const [agent] = await storage.agents.listAgents({ reach: null, workspaceId }, at())
  if (agent === undefined) throw new Error('insertAccount made no agent')
  await storage.agents.reportPresence({ agentTypes: [AGENT_TYPE], liveMs: null }, at())
  return fixtureOf(storage, { accountId: account.id, workspaceId, agent, readsWait, writesWait }, openNext)
}

async function bindAndOpen(storage: Storage): Promise<void> {
  storage.bind({
    scoring,
    newId: createNewId(),
    clock: systemClock,
    logLimit: LOG_LIMIT,
    outputLimit: OUTPUT_LIMIT,
    logger: silentLogger,
  })
  await storage.open()
}

const at = (afterMs = 0, tx?: unknown): CallContext => ({ now: START + afterMs, tx })

function fixtureOf(
  storage: Storage,
  known: Waits & Pick<StorageFixture, 'accountId' | 'workspaceId' | 'agent'>,
  openNext: OpenNext,
): StorageFixture {
  const { accountId, workspaceId, agent } = known
  const fixture: StorageFixture = {
    ...known,
    storage,
    at,
    async another() {
      if (openNext === null) return null
      const next = await openNext()
      await bindAndOpen(next)
      return fixtureOf(next, known, openNext)
    },
    async add(task = {}, when = at()) {
      const { value } = await storage.tasks.insertTask(
        { task: newTask({ workspaceId, ...task }), actor: PERSON, idempotency: null },
        when,
      )
      return value
    },
    get: async (task, tx) => (await readTask(storage.tasks, task, ['task'], at(0, tx))).task,
    async claim(when = at(), by = agent) {
      const request = { workspaceId: by.workspaceId, agentId: by.id, leaseMs: LEASE_MS }
      const { tasks } = await storage.tasks.claimTasks({ target: request, limit: 1 }, when)
      return tasks[0] ?? null
    },
    async addClaimed(task, when = at()) {
      const added = await fixture.add(task, when)
      const claimed = await fixture.claim(when)
      if (claimed?.id !== added.id) throw new Error('another task was better')
      return claimed
    },
    async finish(task, when = at()) {
      await changeTask(storage.tasks, task, { kind: 'move', to: 'DONE', actor: PERSON }, when)
    },
    async freeAll(when = at()) {
      let sum = 0
      for (;;) {
        const { settled, hasMore } = await storage.tasks.settleTasks({ left: 'dependents', limit: 100 }, when)
        sum += settled
        if (!hasMore) return sum
      }
    },
    expire: (when, limit = 100) => storage.tasks.expireLeases({ limit, backoff: defaultBackoff }, when),
    events: (id = workspaceId) =>
      storage.events.readEvents({ workspaceId: id, afterSeq: 0, limit: 100_000 }, at()),
    eventTypes: async (id) => (await fixture.events(id)).map((event) => event.type),
    async addWorkspace(when = at(), type = AGENT_TYPE) {
      const added = await storage.access.insertWorkspace(
        { accountId, name: 'another', agent: { name: 'its', type } },
        when,
      )
      const [its] = await storage.agents.listAgents({ reach: null, workspaceId: added.id }, when)
      if (its === undefined) throw new Error('insertWorkspace made no agent')
      return { workspaceId: added.id, agent: its }
    },
    addAgent: (type = AGENT_TYPE, when = at()) =>
      storage.agents
        .insertAgent(
          { agent: { ...agentFields.empty, workspaceId, name: 'next', type }, idempotency: null },
          when,
        )
        .then(({ value }) => value),
    async addWebhook(events = webhookEventTypes, when = at()) {
      const webhook = { workspaceId, url: 'https://example.com/hook', events, secrets: [], weakSecret: false }
      return (await storage.webhooks.insertWebhook({ webhook, idempotency: null }, when)).value
    },
  }
  return fixture
}

/** The commands of an agent on its task, without the fencing token that shows its claim. */
type ClaimedWrite<Write = TaskWrite> = Write extends { readonly fencingToken: number }
  ? Omit<Write, 'fencingToken'>
  : never

type Named = Pick<Task, 'id' | 'workspaceId'>

/** Changes a task as a person does, or by a command that shows its own fencing token. */
export function changeTask(
  tasks: TaskStore,
  { workspaceId, id: taskId }: Named,
  command: TaskWrite,
  when: CallContext,
): Promise<Task> {
  return tasks.changeTask({ target: { workspaceId, taskId }, command }, when)
}

/** Changes a task as its agent does, under its claim. */
export function changeClaimed(
  tasks: TaskStore,
  proof: ClaimProof,
  write: ClaimedWrite,
  when: CallContext,
): Promise<Task> {
  const { fencingToken } = proof
  return tasks.changeTask({ target: proof, command: { ...write, fencingToken } }, when)
}

/** Reads parts of a task of a workspace. */
export function readTask<Part extends TaskPart>(
  tasks: TaskStore,
  { workspaceId, id: taskId }: Named,
  parts: readonly Part[],
  when: CallContext,
): Promise<TaskReading<Part>> {
  return tasks.getTask({ within: workspaceId, taskId, parts }, when)
}

/** Reads one agent that exists within reach, with its current work. */
export async function readAgent(
  agents: AgentStore,
  { reach, agentId }: { readonly reach: Reach | null; readonly agentId: string },
  when: CallContext,
): Promise<AgentOverview> {
  const [agent, ...others] = await agents.listAgents({ reach, agentIds: [agentId], parts: ['work'] }, when)
  if (agent === undefined || others.length > 0) throw new Error(`not one agent with the id ${agentId}`)
  return agent
}

/** Reads one webhook that exists within reach. */
export async function readWebhook(
  webhooks: WebhookStore,
  query: { readonly within: string | Reach; readonly webhookId: string },
  when: CallContext,
): Promise<StoredWebhook> {
  const [webhook, ...others] = await webhooks.listWebhooks(query, when)
  if (webhook === undefined || others.length > 0) {
    throw new Error(`not one webhook with the id ${query.webhookId}`)
  }
  return webhook
}

/** What an agent shows with a write under its claim. */
export function proofOf(task: Task): ClaimProof {
  return { workspaceId: task.workspaceId, taskId: task.id, fencingToken: task.lease?.fencingToken ?? -1 }
}
