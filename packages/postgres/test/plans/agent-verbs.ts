import type { Storage, Task } from '@taskboard/core'
import { anyAgentType, defaultBackoff, type ClaimProof, type TaskWrite } from '@taskboard/core/storage'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW } from './large-board.js'

const at = { now: NOW }
const LEASE_MS = 600_000
const forAgent = { workspaceId: HUGE, agentId: `agent_${HUGE}_1`, leaseMs: LEASE_MS }
const byType = { agentType: 'worker', leaseMs: LEASE_MS }
const byAnyType = { agentType: anyAgentType, leaseMs: LEASE_MS }

/**
 * A claim passes the entries that earlier claims left in the index until a vacuum: about 1,600 pages for a hundred thousand. The server counts the
 * pages of writing the events as well, about 130 on this board, because the statement reads which deliveries it added.
 */
const ONE_CLAIM = { rows: 300, pages: 2_600 }
const TWENTY_CLAIMS = { rows: 1_000, pages: 4_200 }

type Tasks = Storage<PgConnection>['tasks']

/** The calls of agents: claims, writes under a lease, and claims that find nothing. */
export function agentVerbs({ tasks }: Storage<PgConnection>): readonly HotVerb[] {
  const held: Task[] = []
  const nextProof = (): ClaimProof => {
    const task = held.pop()
    if (task === undefined) throw new Error('no task is held')
    return { workspaceId: task.workspaceId, taskId: task.id, fencingToken: task.fencingToken }
  }
  return [
    ...claims(tasks, held),
    ...completions(tasks, nextProof),
    ...writesUnderLease(tasks, nextProof),
    ...expiries(tasks),
  ]
}

/** Adds the claimed tasks to `held`. */
function claims(tasks: Tasks, held: Task[]): readonly HotVerb[] {
  const hold = async (claim: Promise<{ readonly tasks: readonly Task[] }>): Promise<void> => {
    held.push(...(await claim).tasks)
  }
  return [
    {
      name: 'claim for an agent',
      indexes: ['todo_pickup', 'task_pkey', 'todo_pkey', 'workspace_log_pkey'],
      most: ONE_CLAIM,
      run: () => hold(tasks.claimTasks({ target: forAgent, limit: 1 }, at)),
    },
    {
      name: 'claim 50 for an agent',
      indexes: ['todo_pickup', 'task_pkey', 'todo_pkey', 'workspace_log_pkey'],
      most: { rows: 3_000, pages: 9_000 },
      run: () => hold(tasks.claimTasks({ target: forAgent, limit: 50 }, at)),
    },
    {
      name: 'claim by type',
      indexes: ['todo_pickup', 'task_pkey', 'todo_pkey', 'agent_type'],
      run: () => hold(tasks.claimTasks({ target: byType, limit: 1 }, at)),
    },
    {
      name: 'claim 20 by type',
      indexes: ['todo_pickup', 'task_pkey', 'todo_pkey', 'agent_type'],
      most: TWENTY_CLAIMS,
      run: () => hold(tasks.claimTasks({ target: byType, limit: 20 }, at)),
    },
    {
      name: 'claim 20 by any type',
      indexes: ['todo_pickup', 'task_pkey', 'todo_pkey', 'agent_fallback'],
      most: TWENTY_CLAIMS,
      run: () => hold(tasks.claimTasks({ target: byAnyType, limit: 20 }, at)),
    },
    {
      name: 'check the claims of a process',
      indexes: ['task_pkey'],
      most: { rows: 500, pages: 1_000 },
      run: () =>
        tasks.checkClaims(
          {
            proofs: held.map(({ workspaceId, id, fencingToken }) => ({
              workspaceId,
              taskId: id,
              fencingToken,
            })),
          },
          at,
        ),
    },
    {
      name: 'claim for an agent with nothing to do',
      indexes: ['todo_pickup', 'todo_until'],
      run: () =>
        tasks.claimTasks(
          { target: { workspaceId: 'ws_2', agentId: 'agent_ws_2_0', leaseMs: LEASE_MS }, limit: 1 },
          at,
        ),
    },
  ]
}

function completions(tasks: Tasks, proof: () => ClaimProof): readonly HotVerb[] {
  return [
    {
      name: 'complete and take the next for an agent',
      indexes: ['todo_pickup', 'task_pkey', 'todo_pkey', 'workspace_log_pkey'],
      most: ONE_CLAIM,
      run: () => tasks.completeTask({ proof: proof(), result: 'done', next: forAgent }, at),
    },
    {
      name: 'complete and take the next by type',
      indexes: ['todo_pickup', 'task_pkey', 'todo_pkey', 'agent_type'],
      run: () => tasks.completeTask({ proof: proof(), result: 'done', next: byType }, at),
    },
    {
      name: 'complete and take the next by any type',
      indexes: ['todo_pickup', 'task_pkey', 'todo_pkey', 'agent_fallback'],
      run: () => tasks.completeTask({ proof: proof(), result: 'done', next: byAnyType }, at),
    },
    {
      name: 'complete',
      indexes: ['task_pkey', 'workspace_log_pkey'],
      run: () => tasks.completeTask({ proof: proof(), result: 'done', next: null }, at),
    },
  ]
}

function writesUnderLease(tasks: Tasks, proof: () => ClaimProof): readonly HotVerb[] {
  const change = (write: (fencingToken: number) => TaskWrite) => {
    const target = proof()
    return tasks.changeTask({ target, command: write(target.fencingToken) }, at)
  }
  return [
    {
      name: 'renew',
      indexes: ['task_pkey'],
      run: () => change((fencingToken) => ({ kind: 'renew', fencingToken, leaseMs: LEASE_MS })),
    },
    {
      name: 'progress',
      indexes: ['task_pkey'],
      run: () =>
        change((fencingToken) => ({ kind: 'progress', fencingToken, progress: 50, leaseMs: LEASE_MS })),
    },
    {
      name: 'fail',
      indexes: ['task_pkey'],
      run: () =>
        change((fencingToken) => ({ kind: 'fail', fencingToken, reason: 'no', backoff: defaultBackoff })),
    },
    {
      name: 'return a claim',
      indexes: ['task_pkey'],
      run: () => change((fencingToken) => ({ kind: 'return_claim', fencingToken, reason: 'stop' })),
    },
    {
      name: 'hold by an agent',
      run: () =>
        change((fencingToken) => ({
          kind: 'hold_claimed',
          fencingToken,
          reason: 'needs_input',
          message: 'which?',
        })),
    },
    {
      name: 'append a line',
      indexes: ['task_pkey', 'task_log_order'],
      run: () =>
        tasks.appendToTask(
          { proof: proof(), log: { level: 'info', message: 'line' }, leaseMs: LEASE_MS },
          at,
        ),
    },
    {
      name: 'append an output',
      indexes: ['task_pkey', 'task_output_order'],
      run: () =>
        tasks.appendToTask(
          {
            proof: proof(),
            output: { type: 'file', name: 'a', url: 'https://example.com', size: 1 },
            leaseMs: LEASE_MS,
          },
          at,
        ),
    },
  ]
}

function expiries(tasks: Tasks): readonly HotVerb[] {
  return [
    {
      name: 'expire leases when none has ended',
      indexes: ['task_lease'],
      run: () => tasks.expireLeases({ limit: 100, backoff: defaultBackoff }, at),
    },
    {
      name: 'expire 20 leases',
      indexes: ['task_lease', 'task_pkey'],
      most: { rows: 400, pages: 2_000 },
      run: () => tasks.expireLeases({ limit: 20, backoff: defaultBackoff }, { now: NOW + 3_600_000 }),
    },
  ]
}

/** Verbs whose cost depends on the number of workspaces or of ended placements. */
export function sweepingVerbs({ tasks }: Storage<PgConnection>): readonly HotVerb[] {
  const later = { now: NOW + 60_000 }
  return [
    {
      name: 'claim by a type with agents in 5,000 workspaces without tasks, while 5,000 others have some',
      indexes: ['todo_pickup', 'agent_type'],
      most: { rows: 60_000, pages: 150_000 },
      run: () => tasks.claimTasks({ target: { ...byType, agentType: 'idler' }, limit: 1 }, at),
    },
    {
      name: 'list todo when placements have ended',
      indexes: ['todo_listing', 'todo_until'],
      most: { rows: 20_000, pages: 25_000 },
      run: () => tasks.listTasks({ workspaceId: HUGE, column: 'TODO', limit: 50, after: null }, later),
    },
    {
      name: 'claim after recomputing a thousand placements',
      indexes: ['todo_pickup', 'todo_until', 'task_pkey'],
      most: { rows: 30_000, pages: 60_000 },
      run: () => tasks.claimTasks({ target: forAgent, limit: 1 }, later),
    },
  ]
}
