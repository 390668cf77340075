import type { TaskStore } from '@taskboard/core/storage'
import type { Database, Session } from '../database.js'
import type { PgConnection } from '../pool.js'
import { appendToTask } from './append-to-task.js'
import { applyCommand } from './apply-command.js'
import { checkClaims } from './check-claims.js'
import { createTaskClaims, type TaskClaims } from './claim-tasks.js'
import { createCompletions } from './complete-tasks.js'
import { deleteTask } from './delete-task.js'
import { expireLeases } from './expire-leases.js'
import { freeDependents } from './free-dependents.js'
import { createGetTask } from './get-task.js'
import { createInsertTask } from './insert-task.js'
import { joinPickups, type JoinedPickups } from './join-pickups.js'
import { listTasks } from './list-tasks.js'
import { rescore } from './rescore.js'
import { searchTasks } from './search-tasks.js'
import { updateTask } from './update-task.js'

type Store = TaskStore<PgConnection>

export function createTaskStore(database: Database): Store {
  const claims = createTaskClaims()
  const pickups = joinPickups(database, claims)
  return {
    insertTask: createInsertTask(database),
    getTask: createGetTask(database),
    listTasks: (query, at) => listTasks(database, query, at),
    searchTasks: (search, at) => searchTasks(database, search, at),
    claimTasks: claimTasks(database, claims, pickups),
    checkClaims: ({ proofs }, at) => checkClaims(database, proofs, at),
    changeTask: ({ target, command }, at) =>
      command.kind === 'edit'
        ? updateTask(database, target, command.change, command.actor, at)
        : applyCommand(database, target, command, at),
    appendToTask: (addition, at) => appendToTask(database, addition, at),
    completeTask: createCompletions(database, claims, pickups),
    deleteTask: (target, at) => deleteTask(database, target, at),
    expireLeases: (sweep, at) => expireLeases(database, sweep, at),
    freeDependents: ({ limit }, at) => freeDependents(database, limit, at),
    rescore: (at) => rescore(database, at),
  }
}

/** `TaskStore.claimTasks`. Concurrent claims share statements, except within a transaction. */
function claimTasks(database: Database, claims: TaskClaims, pickups: JoinedPickups): Store['claimTasks'] {
  return async ({ target, limit }, at) => {
    const { now, tx } = at
    if (tx === undefined) return pickups.claim(target, limit, now)
    const session: Session = { run: (statement, values) => database.read(at, statement, values) }
    const pickup = { limit, completions: [], now, commitsEach: false }
    const { tasks, nextReadyInMs } = await claims(session, target, pickup)
    return { tasks, nextReadyInMs }
  }
}
