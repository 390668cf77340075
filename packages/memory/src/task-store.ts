import {
  revocationBy,
  TaskboardError,
  type ClaimProof,
  type Instant,
  type Task,
  type TaskBackground,
  type TaskCommand,
  type TaskStore,
} from '@taskboard/core'
import { createColumnIndex, type ColumnIndex } from './column-index.js'
import type { Database } from './database.js'
import type { LeaseIndex } from './lease-index.js'
import { buildTask, TaskCreated } from './new-task.js'
import type { ReadyQueue } from './ready-queue.js'
import { createTaskChanges } from './task-changes.js'
import { createTaskClaims } from './task-claims.js'
import { createTaskDirectory } from './task-directory.js'
import { changedTask } from './task-edit.js'
import type { MemoryTransaction } from './transactions.js'

type Store = TaskStore<MemoryTransaction>
type ReadVerb = 'getTask' | 'listTasks' | 'countTasks' | 'getBackground' | 'listLogs' | 'listOutputs'
type AgentVerb =
  | 'claimBest'
  | 'claimForAgent'
  | 'checkClaims'
  | 'renewLease'
  | 'recordProgress'
  | 'appendLog'
  | 'appendOutput'
  | 'completeTask'
  | 'failTask'
  | 'holdClaimedTask'
  | 'handBackTask'

export function createTaskStore(database: Database, queue: ReadyQueue, leases: LeaseIndex): Store {
  const { settings, transactions, tables, idempotency, publish } = database
  const { write } = transactions
  const changes = createTaskChanges(database)

  const columns = createColumnIndex(tables.tasks, () => settings.current.scoring)

  const change = (workspaceId: string, taskId: string, command: TaskCommand, now: Instant): Task =>
    changes.apply(changes.require(workspaceId, taskId), command, now)

  return {
    ...createTaskReads(database, columns, changes.require),
    ...createTaskDirectory(database, columns, leases),
    ...createAgentVerbs(database, queue, leases, changes),
    insertTask: (input, actor, claim, at) =>
      write(at, (now) => {
        database.requireWorkspace(input.workspaceId)
        return idempotency.once(claim, now, () => {
          const task = buildTask(database, settings.current.newId('task'), input, now)
          tables.tasks.set(task.id, task)
          publish(new TaskCreated(task, actor))
          return task
        })
      }),
    updateTask: (workspaceId, taskId, fields, actor, at) =>
      write(at, (now) => {
        const task = changes.require(workspaceId, taskId)
        if (Object.keys(fields).length === 0) return task
        const changed = changedTask(database, task, fields, now)
        tables.tasks.set(taskId, changed)
        const revocation = revocationBy(task, changed, actor)
        return revocation === null ? changed : changes.apply(changed, revocation, now)
      }),
    deleteTask: (workspaceId, taskId, at) =>
      write(at, () => changes.remove(changes.require(workspaceId, taskId))),
    moveTask: (workspaceId, taskId, to, actor, at) =>
      write(at, (now) => change(workspaceId, taskId, { kind: 'move', to, actor }, now)),
    holdTask: (workspaceId, taskId, reason, message, actor, at) =>
      write(at, (now) => change(workspaceId, taskId, { kind: 'hold', reason, message, actor }, now)),
    releaseTask: (workspaceId, taskId, _actor, at) =>
      write(at, (now) => change(workspaceId, taskId, { kind: 'release' }, now)),
    expireLeases: (limit, backoff, at) =>
      write(at, (now) => {
        let expired = 0
        for (let first = leases.first(); first !== null && expired < limit; first = leases.first()) {
          if (first.expiresAt > now) break
          changes.apply(tables.tasks.get(first.taskId) as Task, { kind: 'expire', backoff }, now)
          expired += 1
        }
        const next = leases.first()
        return { expired, nextExpiryInMs: next === null ? null : Math.max(0, next.expiresAt - now) }
      }),
    // Each commit frees all.
    freeDependents: () => Promise.resolve({ freed: 0, hasMore: false }),
    rescore: (at) =>
      write(at, () => {
        queue.replaceAll()
        return queue.size
      }),
  }
}

function createTaskReads(
  database: Database,
  columns: ColumnIndex,
  require: (workspaceId: string, taskId: string) => Task,
): Pick<Store, ReadVerb> {
  const { transactions, tables } = database
  const { read } = transactions

  function background(task: Task): TaskBackground {
    const attempts = database.attempts.of(task.id)
    const dependencies = task.dependsOn.map((id) => {
      const { title, result } = tables.tasks.get(id) as Task
      return { id, title, result }
    })
    return { attempts, dependencies }
  }

  return {
    getTask: (workspaceId, taskId, at) => read(at, () => require(workspaceId, taskId)),
    listTasks: (query, at) => read(at, (now) => columns.list(query, now)),
    countTasks: (workspaceId, at) => read(at, () => columns.count(workspaceId)),
    getBackground: (workspaceId, taskId, at) => read(at, () => background(require(workspaceId, taskId))),
    listLogs: (workspaceId, taskId, at) =>
      read(at, () => tables.taskLogs.get(require(workspaceId, taskId).id) ?? []),
    listOutputs: (workspaceId, taskId, at) =>
      read(at, () => tables.outputs.get(require(workspaceId, taskId).id) ?? []),
  }
}

function createAgentVerbs(
  database: Database,
  queue: ReadyQueue,
  leases: LeaseIndex,
  changes: ReturnType<typeof createTaskChanges>,
): Pick<Store, AgentVerb> {
  const { settings, transactions, tables } = database
  const { write } = transactions
  const claims = createTaskClaims(database, queue, leases, changes)

  function isHeld({ taskId, fencingToken }: ClaimProof, now: Instant): boolean {
    const lease = tables.tasks.get(taskId)?.lease
    return lease != null && lease.fencingToken === fencingToken && lease.expiresAt > now
  }

  const change = ({ workspaceId, taskId }: ClaimProof, command: TaskCommand, now: Instant): Task =>
    changes.apply(changes.require(workspaceId, taskId), command, now)

  return {
    claimBest: (request, limit, at) => write(at, (now) => claims.byType(request, limit, now)),
    claimForAgent: (request, limit, at) => write(at, (now) => claims.forAgent(request, limit, now)),
    checkClaims: (proofs, at) => transactions.read(at, (now) => proofs.map((proof) => isHeld(proof, now))),
    renewLease: (proof, leaseMs, at) =>
      write(at, (now) => change(proof, { kind: 'renew', fencingToken: proof.fencingToken, leaseMs }, now)),
    recordProgress: (proof, progress, leaseMs, at) =>
      write(at, (now) => {
        const { fencingToken } = proof
        return change(proof, { kind: 'progress', fencingToken, progress, leaseMs }, now)
      }),
    appendLog: (proof, { level, message }, leaseMs, at) =>
      write(at, (now) => {
        change(proof, { kind: 'renew', fencingToken: proof.fencingToken, leaseMs }, now)
        const lines = [...(tables.taskLogs.get(proof.taskId) ?? []), { at: now, level, message }]
        tables.taskLogs.set(proof.taskId, lines.slice(-settings.current.logLimit))
      }),
    appendOutput: (proof, { type, name, url, size }, leaseMs, at) =>
      write(at, (now) => {
        change(proof, { kind: 'renew', fencingToken: proof.fencingToken, leaseMs }, now)
        const outputs = tables.outputs.get(proof.taskId) ?? []
        if (outputs.length >= settings.current.outputLimit) {
          throw new TaskboardError('CONFLICT', `a task has at most ${settings.current.outputLimit} outputs`)
        }
        tables.outputs.set(proof.taskId, [...outputs, { type, name, url, size }])
      }),
    completeTask: (proof, result, next, at) =>
      write(at, (now) => {
        const task = change(proof, { kind: 'complete', fencingToken: proof.fencingToken, result }, now)
        if (next === null) return { task, next: null }
        const batch = 'agentType' in next ? claims.byType(next, 1, now) : claims.forAgent(next, 1, now)
        return { task, next: batch }
      }),
    failTask: (proof, reason, backoff, at) =>
      write(at, (now) =>
        change(proof, { kind: 'fail', fencingToken: proof.fencingToken, reason, backoff }, now),
      ),
    holdClaimedTask: (proof, reason, message, at) =>
      write(at, (now) =>
        change(proof, { kind: 'raise_hold', fencingToken: proof.fencingToken, reason, message }, now),
      ),
    handBackTask: (proof, reason, at) =>
      write(at, (now) => change(proof, { kind: 'hand_back', fencingToken: proof.fencingToken, reason }, now)),
  }
}
