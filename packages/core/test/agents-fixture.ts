import {
  createScoring,
  defineAgent,
  TaskboardError,
  type Actor,
  type AgentStatus,
  type Logger,
  type Storage,
  type Task,
} from '@taskboard/core'
import {
  defaultBackoff,
  type CallContext,
  type LoggedEvent,
  type NewTask,
  type TaskStore,
  type TaskWrite,
} from '@taskboard/core/storage'
import type { AgentOptions } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { newTask, virtualClock } from '@taskboard/testing'
import { createLeaseSweep, createRunner } from '../src/agents/index.js'
import { createBoard, createSchedules, type BoardDeps } from '../src/board/index.js'
import { createEnvironment, type Environment } from '../src/environment/index.js'
import { resolveBounds } from '../src/limits/index.js'

export interface AgentsFixtureOptions {
  readonly agents: readonly AgentOptions[]
  /** The number of workspaces, each with one agent of the first type. */
  readonly workspaces?: number
  readonly patienceMs?: number
}

const OUTPUT_LIMIT = 2
const HOST: Actor = { kind: 'host', id: null }

/** A storage in memory with workspaces, a runner and a lease sweep on a virtual clock, and faults on demand. */
export async function agentsFixture({ agents, workspaces = 1, patienceMs = 10 }: AgentsFixtureOptions) {
  const clock = virtualClock(undefined, { patienceMs })
  const messages: string[] = []
  const environment = createEnvironment({ clock, logger: collectingLogger(messages) })
  const storage = memoryStorage()
  storage.bind({
    scoring: createScoring(),
    newId: environment.newId,
    clock,
    logLimit: 100,
    outputLimit: OUTPUT_LIMIT,
    logger: environment.logger,
  })
  await storage.open()
  const runtimes = agents.map((agent) => defineAgent(agent))
  const at = (): CallContext<never> => ({ now: clock.now() })
  const agent = { name: 'agent', type: runtimes[0]?.type ?? 'none' }
  const workspaceIds: string[] = []
  for (let i = 0; i < workspaces; i++) {
    const account = { name: `account ${i}`, tier: 'professional', workspaceName: `workspace ${i}` } as const
    workspaceIds.push((await storage.access.insertAccount({ ...account, agent }, at())).workspace.id)
  }
  const [workspaceId = ''] = workspaceIds
  const faults = createFaults()
  const tasks = faults.of(storage.tasks)
  const { events } = storage
  const readLog = () => events.readEvents({ workspaceId, afterSeq: 0, limit: 100_000 }, at())
  const statusFaults = new Set<AgentStatus>()
  /** Agents that lookups do not find, once each. */
  const goneAgents = new Set<string>()
  const agentStore = faultyAgents(storage, statusFaults, goneAgents)
  const boardFor = boardsOn(environment, storage, tasks)
  const parts = {
    longestOutageMs: resolveBounds().longestOutageMs,
    environment,
    tasks,
    agents: agentStore,
    access: storage.access,
    events,
    boardFor,
    pollIntervalMs: null,
  }

  return {
    clock,
    messages,
    storage,
    faults,
    statusFaults,
    goneAgents,
    workspaceId,
    workspaceIds,
    /** The board of the first workspace, as a person sees it. */
    board: boardFor(workspaceId),
    /** As on a storage that reports every commit, unless `change` differs. */
    newRunner: (change: Partial<{ pollIntervalMs: number; events: Partial<typeof events> }> = {}) =>
      createRunner({ ...parts, runtimes, ...change, events: { ...events, ...change.events } }),
    newSweep: (pollIntervalMs: number | null = null) => createLeaseSweep({ ...parts, pollIntervalMs }),
    async add(change: Partial<NewTask> = {}): Promise<Task> {
      return (
        await storage.tasks.insertTask(
          { task: newTask({ workspaceId, ...change }), actor: HOST, idempotency: null },
          at(),
        )
      ).value
    },
    async get({ workspaceId: within, id: taskId }: Task): Promise<Task> {
      return (await storage.tasks.getTask({ within, taskId, parts: ['task'] }, at())).task
    },
    background: ({ workspaceId: within, id: taskId }: Task) =>
      storage.tasks.getTask({ within, taskId, parts: ['attempts', 'dependencies'] }, at()),
    /** The log of the first workspace, as event types and the ids of their subjects. */
    async eventTypes(): Promise<string[]> {
      return (await readLog()).map(({ type }) => type)
    },
    eventsOf: async (type: LoggedEvent['type']): Promise<LoggedEvent[]> =>
      (await readLog()).filter((event) => event.type === type),
  }
}

/** The agents of a storage. Some are gone, once each, and some changes of status fail. */
function faultyAgents<Tx>(
  { agents }: Storage<Tx>,
  statusFaults: ReadonlySet<AgentStatus>,
  goneAgents: Set<string>,
): Storage<Tx>['agents'] {
  return {
    ...agents,
    async listAgents(query, when) {
      const found = await agents.listAgents(query, when)
      return found.filter(({ id }) => !goneAgents.delete(id))
    },
    async reportPresence(report, when) {
      if ('status' in report && statusFaults.has(report.status)) throw new Error('the storage is down')
      await agents.reportPresence(report, when)
    },
  }
}

/** Boards on which nobody chats. */
function boardsOn<Tx>(environment: Environment, storage: Storage<Tx>, tasks: TaskStore<Tx>) {
  const { schedules: store, usage: usageStore, comments, approvals } = storage
  const parts: BoardDeps<Tx> = {
    environment,
    tasks,
    chat: () => Promise.reject(new Error('nobody chats here')),
    recordClaim: () => Promise.resolve(),
    restAgent: (rest, call) => storage.agents.reportPresence(rest, call),
    transaction: (work) => storage.transaction(work),
    onWorked: () => undefined,
    schedules: createSchedules({ environment, store, maxAttempts: 5, onChanged: () => undefined }),
    usageStore,
    comments,
    approvals,
    prices: { small: { inputUsd: 1, outputUsd: 2 } },
    bounds: resolveBounds(),
    settings: {
      leaseMs: 60_000,
      maxAttempts: 5,
      backoff: defaultBackoff,
      approvalsExpireAfterMs: 604_800_000,
    },
  }
  return (workspaceId: string, actor?: Actor) => createBoard(parts, workspaceId, actor)
}

/** A method; for `changeTask` the kind of the command. */
type Verb = Exclude<keyof TaskStore, 'changeTask'> | TaskWrite['kind']

interface Fault {
  readonly when: 'before' | 'after'
  /** How many calls fail. */
  left: number
  readonly error: Error
}

function down(): TaskboardError {
  return new TaskboardError('SERVICE_UNAVAILABLE', 'the storage is down')
}

/** Makes chosen methods fail like an unavailable storage, before or after they take effect. */
function createFaults() {
  const broken = new Map<string, Fault>()
  let calls: string[] = []

  async function call(verb: string, work: () => unknown): Promise<unknown> {
    calls.push(verb)
    const fault = broken.get(verb)
    if (!fault || fault.left <= 0) return work()
    fault.left -= 1
    if (fault.when === 'after') await work()
    throw fault.error
  }

  return {
    breakVerb(verb: Verb, fault: Partial<Fault> = {}) {
      broken.set(verb, { when: 'before', left: Infinity, error: down(), ...fault })
    },
    repair: () => broken.clear(),
    countCalls: (verb: Verb) => calls.filter((one) => one === verb).length,
    forgetCalls: () => (calls = []),
    of<S extends TaskStore<never>>(store: S): S {
      return new Proxy(store, {
        get(target, name) {
          const verb: unknown = Reflect.get(target, name)
          if (typeof verb !== 'function') return verb
          return (...args: unknown[]) =>
            call(nameOf(String(name), args), () => Reflect.apply(verb, target, args) as unknown)
        },
      })
    },
  }
}

function nameOf(verb: string, [change]: readonly unknown[]): string {
  return verb === 'changeTask' ? (change as { readonly command: TaskWrite }).command.kind : verb
}

function collectingLogger(messages: string[]): Logger {
  const collect = (_: object, message: string): void => void messages.push(message)
  return { debug: collect, info: collect, warn: collect, error: collect, fatal: collect }
}

export interface Gate<T> {
  readonly promise: Promise<T>
  readonly open: (value: T) => void
}

/** A promise that the test resolves. */
export function newGate<T = void>(): Gate<T> {
  const opens: ((value: T) => void)[] = []
  const promise = new Promise<T>((resolve) => opens.push(resolve))
  return { promise, open: (value) => opens[0]?.(value) }
}
