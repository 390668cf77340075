import type { Task } from '@taskboard/core'
import {
  dependenciesWhileWaiting,
  type CallContext,
  type TaskInsertion,
  type TaskSplit,
  type TaskStore,
} from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { once } from '../database/idempotency.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { applyCommand, withinSession } from './apply-command.js'
import { flagDependencies, lockDependencies, takeDependencyTurn } from './dependencies.js'
import { insertAll, missingDependency, type IdentifiedTask } from './insert-task.js'
import { lockParents, requireParent } from './subtasks.js'
import { editWithin } from './update-task.js'

/** Ids, workspace. */
const findDone = statement<{ readonly id: string }>(
  'find_done_tasks',
  /* sql */ `
  select t.id from taskboard.task t
  where t.id = any ($1::text[]) and t.workspace_id = $2::text and t.column_name = 'DONE'`,
)

/** `TaskStore.insertTasks`. One transaction, with one statement for all tasks. */
export function createInsertTasks(database: Database): TaskStore<PgConnection>['insertTasks'] {
  return async (insertion, call) => {
    const { idempotency } = insertion
    const make = async (session: Session) => {
      const tasks = await insertList(session, database, insertion, call)
      return { id: tasks[0]?.id ?? '', tasks }
    }
    const { value, replayed } = await database.atomically(call, async (session) =>
      idempotency === null
        ? { value: await make(session), replayed: false }
        : once(session, idempotency, call.now, make),
    )
    return { value: value.tasks, replayed }
  }
}

async function insertList(
  session: Session,
  database: Database,
  { workspaceId, tasks, actor, split }: TaskInsertion,
  call: CallContext<PgConnection>,
): Promise<readonly Task[]> {
  // Before the task is locked, as by those that edit dependencies.
  if (split?.isWaiting === true) await takeDependencyTurn(session, workspaceId)
  const parent = split === null ? null : await begin(session, split, call)
  const ids = tasks.map(() => database.settings.current.newId('task'))
  const idAt = (position: number): string => ids[position] ?? ''
  const listed = tasks.map(({ follows, ...task }, position): IdentifiedTask => {
    const dependsOn = [...new Set([...task.dependsOn, ...follows.map(idAt)])]
    return { ...task, id: idAt(position), dependsOn }
  })
  const parents = countParents(tasks)
  const knownParents = await lockParents(
    session,
    workspaceId,
    parents.map(([id]) => id),
  )
  // With those that the parent keeps: all are locked before the log.
  const others = [
    ...new Set([...tasks, ...(parent === null ? [] : [parent])].flatMap(({ dependsOn }) => dependsOn)),
  ]
  const { known, open } = await lockDependencies(session, workspaceId, others)
  const isComplete = known === others.length
  const calls = listed.map((task) => ({ task, actor, now: call.now }))
  const added = await insertAll(session, calls, { open: [...open, ...ids], isLinked: isComplete })
  // Refused last: an unknown workspace or agent takes precedence. The inserts are rolled back.
  if (!isComplete) throw missingDependency()
  const followed = [...new Set(tasks.flatMap(({ follows }) => follows))].map(idAt)
  if (followed.length > 0) await flagDependencies(session, workspaceId, followed)
  for (const [parentId, count] of parents) await requireParent(session, knownParents, parentId, count)
  if (parent !== null && split?.isWaiting === true) await wait(session, split, { parent, ids, call })
  return added
}

/** Requires the lease, and renews it. */
function begin(
  session: Session,
  { proof, leaseMs }: TaskSplit,
  call: CallContext<PgConnection>,
): Promise<Task> {
  const { fencingToken } = proof
  return applyCommand(withinSession(session), proof, { kind: 'renew', fencingToken, leaseMs }, call)
}

/** The parent depends on its subtasks from now on, and returns to TODO. */
async function wait(
  session: Session,
  { proof }: TaskSplit,
  {
    parent,
    ids,
    call,
  }: { readonly parent: Task; readonly ids: readonly string[]; readonly call: CallContext<PgConnection> },
): Promise<void> {
  const done = await session.run(findDone, [parent.dependsOn, parent.workspaceId])
  const dependsOn = dependenciesWhileWaiting(parent.dependsOn, new Set(done.map(({ id }) => id)), ids)
  const agent = { kind: 'agent', id: parent.lease?.agentId ?? null } as const
  await editWithin(session, proof, { dependsOn }, agent, call)
  const { fencingToken } = proof
  const command = { kind: 'return_claim', fencingToken, reason: 'waits for its subtasks' } as const
  await applyCommand(withinSession(session), proof, command, call)
}

/** How many of the tasks each parent gets. */
function countParents(tasks: TaskInsertion['tasks']): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { parentId } of tasks) {
    if (parentId !== null) counts.set(parentId, (counts.get(parentId) ?? 0) + 1)
  }
  return [...counts]
}
