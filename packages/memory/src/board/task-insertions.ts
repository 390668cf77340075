import type { Actor, Instant, Task } from '@taskboard/core'
import {
  dependenciesWhileWaiting,
  updatedEvent,
  type NewTask,
  type TaskInsertion,
  type TaskSplit,
  type TaskStore,
} from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import { draftRow } from '../tables/event-log.js'
import { buildTask, TaskCreated } from './new-task.js'
import { changedTask, type TaskChanges } from './task-changes.js'
import type { MemoryTransaction } from '../tables/transactions.js'

type Verbs = Pick<TaskStore<MemoryTransaction>, 'insertTask' | 'insertTasks'>

/** The verbs that create tasks. */
export function createTaskInsertions(database: Database, changes: TaskChanges): Verbs {
  const { settings, tables, transactions, idempotency, publish } = database

  function insert(input: NewTask, actor: Actor, now: Instant): Task {
    const task = buildTask(database, settings.current.newId('task'), input, now)
    tables.tasks.set(task.id, task)
    publish(new TaskCreated(task, actor))
    return task
  }

  function insertAll({ tasks, actor, split }: TaskInsertion, now: Instant): readonly Task[] {
    if (split !== null) begin(split, now)
    const added: Task[] = []
    for (const { follows, ...task } of tasks) {
      const earlier = follows.flatMap((position) => added[position]?.id ?? [])
      added.push(insert({ ...task, dependsOn: [...task.dependsOn, ...earlier] }, actor, now))
    }
    if (split?.isWaiting === true) wait(split, added, now)
    return added
  }

  /** Requires the lease, and renews it. */
  function begin({ proof, leaseMs }: TaskSplit, now: Instant): void {
    const parent = changes.require(proof.workspaceId, proof.taskId)
    changes.apply(parent, { kind: 'renew', fencingToken: proof.fencingToken, leaseMs }, now)
  }

  function wait({ proof }: TaskSplit, added: readonly Task[], now: Instant): void {
    const parent = changes.require(proof.workspaceId, proof.taskId)
    const done = new Set(parent.dependsOn.filter((id) => tables.tasks.get(id)?.column === 'DONE'))
    const ids = added.map(({ id }) => id)
    const dependsOn = dependenciesWhileWaiting(parent.dependsOn, done, ids)
    const waiting = changedTask(database, parent, { dependsOn }, now)
    tables.tasks.set(parent.id, waiting)
    const agent = { kind: 'agent', id: parent.lease?.agentId ?? null } as const
    const updated = updatedEvent(parent, waiting, agent)
    if (updated !== null) publish(draftRow(parent.workspaceId, updated, now))
    const { fencingToken } = proof
    changes.apply(waiting, { kind: 'return_claim', fencingToken, reason: 'waits for its subtasks' }, now)
  }

  return {
    insertTask: ({ task, actor, idempotency: claim }, call) =>
      transactions.write(call, (now) => {
        database.requireWorkspace(task.workspaceId)
        return idempotency.once(claim, now, () => insert(task, actor, now))
      }),
    insertTasks: (insertion, call) =>
      transactions.write(call, (now) => {
        database.requireWorkspace(insertion.workspaceId)
        const { value, replayed } = idempotency.once(insertion.idempotency, now, () => {
          const tasks = insertAll(insertion, now)
          return { id: (tasks[0] as Task).id, tasks }
        })
        return { value: value.tasks, replayed }
      }),
  }
}
