import { defaultScoring, silentLogger, type Principal, type Storage, type Task } from '@taskboard/core'
import { createNewId } from '@taskboard/core/storage'
import type { SharedStorage } from './gate.js'
import { createObserver, type Observer } from './observer.js'
import { startProcess, type BoardProcess, type ProcessParts } from './processes.js'
import { randomness } from './randomness.js'
import { createReader, type Reader } from './readers.js'
import { createReceivers, type Receivers } from './receivers.js'
import { agentTypes, type Setup } from './setup.js'
import { require, Violation } from './violation.js'
import { createWorld, type Trace, type World } from './world.js'

/** All that a history works with. */
export interface Scene {
  readonly world: World
  readonly setup: Setup
  readonly inner: Storage
  readonly observer: Observer
  readonly receivers: Receivers
  readonly workspaceIds: readonly string[]
  readonly agentIds: readonly string[]
  readonly principal: Principal | null
  readonly readers: readonly Reader[]
  /** What agents outside of the runtimes have claimed, also what they have lost since. */
  readonly claims: Task[]
  readonly schedules: { readonly id: string; readonly workspaceId: string }[]
  readonly acknowledged: ReadonlySet<string>
  /** The present start of each process. */
  processes(): readonly BoardProcess[]
  agentsOf(workspaceId: string): readonly string[]
  acknowledge(task: Task): void
  restart(index: number): void
  report(violation: Violation): void
}

export interface SceneOptions {
  readonly setup: Setup
  /** An empty storage. */
  readonly inner: Storage
  readonly interleavesTransactions: boolean
  readonly trace: Trace
}

/** What receivers want. */
export const subscribedTypes = ['task.created', 'task.completed', 'task.failed'] as const

async function allAnswered(inFlight: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (inFlight.size > 0) await Promise.allSettled(inFlight)
}

/** Sets the scene: processes, workspaces, agents, webhooks and readers. */
export async function setScene({
  setup,
  inner,
  interleavesTransactions,
  trace,
}: SceneOptions): Promise<Scene> {
  const observer = createObserver(inner)
  const inFlight = new Set<Promise<unknown>>()
  const violations: Violation[] = []
  const world = createWorld({
    trace,
    async settled() {
      if (!interleavesTransactions) await allAnswered(inFlight)
      await observer.catchUp()
      if (violations[0] !== undefined) throw violations[0]
    },
  })
  const clock = world.clockOf(null)
  const ids = randomness(7)
  const bytes = (size: number) => Uint8Array.from({ length: size }, () => ids.below(256))
  inner.bind({
    scoring: defaultScoring,
    newId: createNewId(clock, { bytes, fraction: () => 0.5 }),
    clock,
    logLimit: 100,
    outputLimit: 10,
    logger: silentLogger,
  })
  const shared: SharedStorage = {
    world,
    inner,
    interleavesTransactions,
    inFlight,
    notifications: setup.notifications,
    quiet: { isOn: false },
    executed: (verb) => observer.executed(verb),
  }
  const receivers = createReceivers(world)
  let principal: Principal | null = null
  const usedBy = new Map<string, number>()
  const parts: ProcessParts = {
    shared,
    receivers,
    setup,
    principal: () => principal,
    watch: {
      began(task, { claim }) {
        const model = observer.model.tasks.get(task.id)
        if (model?.lease?.fencingToken !== claim.fencingToken) return
        const [given, expected] = [claim.answer?.body ?? null, model.answer]
        if (given !== expected)
          violations.push(
            new Violation('an agent gets the answer', `${task.title} got ${given}, not ${expected}`),
          )
      },
      actsOn(approvalId, fencingToken) {
        const times = (usedBy.get(approvalId) ?? 0) + 1
        usedBy.set(approvalId, times)
        if (times > 1)
          violations.push(new Violation('an approval is used once', `${approvalId} by ${fencingToken}`))
      },
    },
  }
  const processes = setup.processes.map((_, index) => startProcess(parts, index, 0))
  await world.happen(Infinity)

  const first = (processes[0] as BoardProcess).taskboard
  const now = async <T>(work: Promise<T>): Promise<T> => {
    work.catch(() => undefined)
    await world.happen(Infinity)
    return work
  }
  const { account, workspace } = await now(first.accounts.create({ name: 'Acme', tier: 'custom' }))
  const workspaceIds = [workspace.id]
  while (workspaceIds.length < setup.workspaces) {
    workspaceIds.push((await now(first.accounts.createWorkspace(account.id, { name: 'second' }))).id)
  }
  const agents = new Map<string, string[]>()
  for (const [index, workspaceId] of workspaceIds.entries()) {
    observer.watch(workspaceId)
    const [known] = await now(first.agents.list(workspaceId))
    const own = known === undefined ? [] : [known.id]
    for (const type of [...agentTypes, agentTypes[0]].slice(own.length)) {
      own.push((await now(first.agents.create(workspaceId, { name: `${type} ${own.length}`, type }))).id)
    }
    agents.set(workspaceId, own)
    await now(
      first.webhooks.register(workspaceId, {
        url: `https://fails-${setup.receiverFailures[index] ?? 0}.example/${index}`,
        events: [...subscribedTypes],
        secret: 'correct horse battery staple',
      }),
    )
  }
  principal = {
    id: 'user_1',
    kind: 'user',
    accountId: account.id,
    tier: 'custom',
    scopes: ['tasks:read', 'agents:read'],
    workspaceIds: 'all',
    defaultWorkspaceId: workspace.id,
  }
  require(processes.every(({ isStarted }) => isStarted), 'processes start', () => 'one did not')
  const acknowledged = new Set<string>()
  const generations = processes.map(() => 0)

  return {
    world,
    setup,
    inner,
    observer,
    receivers,
    workspaceIds,
    principal,
    acknowledged,
    agentIds: [...agents.values()].flat(),
    readers: [createReader(world, workspace.id), createReader(world, workspaceIds.at(-1) as string)],
    claims: [],
    schedules: [],
    processes: () => processes,
    agentsOf: (workspaceId) => agents.get(workspaceId) ?? [],
    acknowledge: ({ id }) => void acknowledged.add(id),
    restart(index) {
      const generation = (generations[index] ?? 0) + 1
      generations[index] = generation
      processes[index] = startProcess(parts, index, generation)
    },
    report: (violation) => void violations.push(violation),
  }
}
