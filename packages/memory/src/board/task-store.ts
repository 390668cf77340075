import { TaskboardError, type Instant, type Task } from '@taskboard/core'
import {
  requireNoMore,
  revocationBy,
  updatedEvent,
  type ClaimProof,
  type ClaimTarget,
  type TaskStore,
  type TaskTarget,
  type TaskWrite,
} from '@taskboard/core/storage'
import { createColumnIndex } from './column-index.js'
import type { Conversations } from './conversations.js'
import type { Database } from '../tables/database.js'
import { draftRow } from '../tables/event-log.js'
import type { LeaseIndex } from './claim/lease-index.js'
import type { ReadyQueue } from './claim/ready-queue.js'
import { changedTask, type TaskChanges } from './task-changes.js'
import { createTaskInsertions } from './task-insertions.js'
import { createTaskClaims } from './claim/task-claims.js'
import { createTaskReads } from './task-reads.js'
import type { MemoryTransaction } from '../tables/transactions.js'

type Store = TaskStore<MemoryTransaction>

export function createTaskStore(
  database: Database,
  parts: {
    readonly queue: ReadyQueue
    readonly leases: LeaseIndex
    readonly changes: TaskChanges
    readonly conversations: Conversations
  },
): Store {
  const { queue, leases, changes, conversations } = parts
  const { settings, transactions, tables, commits, readOnly } = database
  const { write } = transactions
  const columns = createColumnIndex(tables.tasks, () => settings.current.scoring)

  return {
    ...createTaskReads(database, columns, leases, changes.require, conversations),
    ...createAgentVerbs(database, queue, leases, changes),
    ...createTaskInsertions(database, changes),
    changeTask: ({ target, command }, call) =>
      write(call, (now) => changeTask(database, changes, target, command, now)),
    deleteTask: ({ workspaceId, taskId, actor }, call) =>
      write(call, (now) => changes.remove(changes.require(workspaceId, taskId), actor, now)),
    expireLeases: ({ limit, backoff }, call) =>
      write(call, (now) => {
        let expired = 0
        if (readOnly.isAny()) return expireWritable(database, changes, { limit, backoff }, now)
        for (let first = leases.first(); first !== null && expired < limit; first = leases.first()) {
          if (first.expiresAt > now) break
          changes.apply(tables.tasks.get(first.taskId) as Task, { kind: 'expire', backoff }, now)
          expired += 1
        }
        const next = leases.first()
        return { expired, nextExpiryInMs: next === null ? null : Math.max(0, next.expiresAt - now) }
      }),
    settleTasks: ({ left, limit }, call) =>
      write(call, () => {
        // Each commit frees all dependents.
        if (left === 'dependents') return { settled: 0, hasMore: false }
        const settled = queue.route(limit)
        // The places of tasks are not written, so that no commit reports them.
        if (settled > 0) commits.raise()
        return { settled, hasMore: queue.isRouting }
      }),
    rescore: (call) =>
      write(call, () => {
        queue.replaceAll()
        return queue.size
      }),
  }
}

/** Looks at all leases. The leases of read-only accounts stay. */
function expireWritable(
  { tables, readOnly }: Database,
  changes: TaskChanges,
  { limit, backoff }: Parameters<Store['expireLeases']>[0],
  now: Instant,
): Awaited<ReturnType<Store['expireLeases']>> {
  const leased = [...tables.tasks.values()].flatMap((task) =>
    task.lease === null || readOnly.has(task.workspaceId) ? [] : [{ task, at: task.lease.expiresAt }],
  )
  leased.sort((one, other) => one.at - other.at)
  const over = leased.filter(({ at }) => at <= now).slice(0, limit)
  for (const { task } of over) changes.apply(task, { kind: 'expire', backoff }, now)
  const next = leased[over.length]
  return { expired: over.length, nextExpiryInMs: next === undefined ? null : Math.max(0, next.at - now) }
}

function changeTask(
  database: Database,
  changes: TaskChanges,
  { workspaceId, taskId }: TaskTarget,
  command: TaskWrite,
  now: Instant,
): Task {
  const task = changes.require(workspaceId, taskId)
  if (command.kind !== 'edit') return changes.apply(task, command, now)
  if (Object.keys(command.change).length === 0) return task
  const { budget } = command.change
  if (command.lowersBudget === true && budget !== undefined) requireNoMore(budget, task.budget)
  const changed = changedTask(database, task, command.change, now)
  database.tables.tasks.set(taskId, changed)
  const updated = updatedEvent(task, changed, command.actor)
  if (updated !== null) database.publish(draftRow(workspaceId, updated, now))
  const revocation = revocationBy(task, changed, command.actor)
  return revocation === null ? changed : changes.apply(changed, revocation, now)
}

function createAgentVerbs(
  database: Database,
  queue: ReadyQueue,
  leases: LeaseIndex,
  changes: TaskChanges,
): Pick<Store, 'claimTasks' | 'checkClaims' | 'appendToTask' | 'completeTask'> {
  const { settings, transactions, tables } = database
  const { write } = transactions
  const claims = createTaskClaims(database, queue, leases, changes)

  const claim = (target: ClaimTarget, limit: number, now: Instant) =>
    'agentType' in target ? claims.byType(target, limit, now) : claims.forAgent(target, limit, now)

  function isHeld({ taskId, fencingToken }: ClaimProof, now: Instant): boolean {
    const lease = tables.tasks.get(taskId)?.lease
    return lease != null && lease.fencingToken === fencingToken && lease.expiresAt > now
  }

  function renew({ workspaceId, taskId, fencingToken }: ClaimProof, leaseMs: number | null, now: Instant) {
    changes.apply(changes.require(workspaceId, taskId), { kind: 'renew', fencingToken, leaseMs }, now)
  }

  return {
    claimTasks: ({ target, limit }, call) => write(call, (now) => claim(target, limit, now)),
    checkClaims: ({ proofs }, call) =>
      transactions.read(call, (now) => proofs.map((proof) => isHeld(proof, now))),
    appendToTask: ({ proof, leaseMs, ...added }, call) =>
      write(call, (now) => {
        renew(proof, leaseMs, now)
        const { logLimit, outputLimit } = settings.current
        if ('log' in added) {
          const { level, message } = added.log
          const { lines: earlier = [], deleted = 0 } = tables.taskLogs.get(proof.taskId) ?? {}
          const all = [...earlier, { at: now, level, message }]
          const lines = all.slice(-logLimit)
          tables.taskLogs.set(proof.taskId, { lines, deleted: deleted + all.length - lines.length })
          const { workspaceId, taskId } = proof
          database.recordLine({ workspaceId, taskId, at: now, level, message })
          return
        }
        const outputs = tables.outputs.get(proof.taskId) ?? []
        if (outputs.length >= outputLimit) {
          throw new TaskboardError('CONFLICT', `a task has at most ${outputLimit} outputs`)
        }
        const { type, name, url, size } = added.output
        tables.outputs.set(proof.taskId, [...outputs, { type, name, url, size }])
      }),
    completeTask: ({ proof, result, next }, call) =>
      write(call, (now) => {
        const { workspaceId, taskId, fencingToken } = proof
        const command = { kind: 'complete', fencingToken, result } as const
        const task = changes.apply(changes.require(workspaceId, taskId), command, now)
        return { task, next: next === null ? null : claim(next, 1, now) }
      }),
  }
}
