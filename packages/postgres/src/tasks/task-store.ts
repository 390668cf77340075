import type { At, ClaimBatch, ClaimProof, Task, TaskCommand, TaskStore } from '@taskboard/core'
import type { Database, Session } from '../database.js'
import type { PgConnection } from '../pool.js'
import { appendLog, appendOutput } from './append-to-task.js'
import { applyCommand } from './apply-command.js'
import { checkClaims } from './check-claims.js'
import { createTaskClaims, type ClaimTarget, type TaskClaims } from './claim-tasks.js'
import { createCompletions } from './complete-tasks.js'
import { deleteTask } from './delete-task.js'
import { expireLeases } from './expire-leases.js'
import { freeDependents } from './free-dependents.js'
import { createFindTask, createLocateTask } from './find-task.js'
import { createInsertTask } from './insert-task.js'
import { joinPickups, type JoinedPickups } from './join-pickups.js'
import { listTasks } from './list-tasks.js'
import { countTasks, getBackground, getTask, listLogs, listOutputs } from './read-tasks.js'
import { rescore } from './rescore.js'
import { searchTasks } from './search-tasks.js'
import { updateTask } from './update-task.js'

type Store = TaskStore<PgConnection>
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
type PersonVerb = 'updateTask' | 'deleteTask' | 'moveTask' | 'holdTask' | 'releaseTask'

export function createTaskStore(database: Database): Store {
  const claims = createTaskClaims()
  const pickups = joinPickups(database, claims)
  return {
    insertTask: createInsertTask(database),
    getTask: (workspaceId, taskId, at) => getTask(database, workspaceId, taskId, at),
    listTasks: (query, at) => listTasks(database, query, at),
    countTasks: (workspaceId, at) => countTasks(database, workspaceId, at),
    getBackground: (workspaceId, taskId, at) => getBackground(database, workspaceId, taskId, at),
    listLogs: (workspaceId, taskId, at) => listLogs(database, workspaceId, taskId, at),
    listOutputs: (workspaceId, taskId, at) => listOutputs(database, workspaceId, taskId, at),
    findTask: createFindTask(database),
    locateTask: createLocateTask(database),
    searchTasks: (reach, search, at) => searchTasks(database, reach, search, at),
    ...agentVerbs(database, claims, pickups),
    ...personVerbs(database),
    expireLeases: (limit, backoff, at) => expireLeases(database, limit, backoff, at),
    freeDependents: (limit, at) => freeDependents(database, limit, at),
    rescore: (at) => rescore(database, at),
  }
}

function agentVerbs(database: Database, claims: TaskClaims, pickups: JoinedPickups): Pick<Store, AgentVerb> {
  async function claim(target: ClaimTarget, limit: number, at: At<PgConnection>): Promise<ClaimBatch> {
    const { now, tx } = at
    if (tx === undefined) return pickups.claim(target, limit, now)
    const session: Session = { run: (statement, values) => database.read(at, statement, values) }
    const pickup = { limit, completions: [], now, commitsEach: false }
    const { tasks, nextReadyInMs } = await claims(session, target, pickup)
    return { tasks, nextReadyInMs }
  }
  const apply = (proof: ClaimProof, command: TaskCommand, at: At<PgConnection>): Promise<Task> =>
    applyCommand(database, proof, command, at)

  return {
    claimBest: claim,
    claimForAgent: claim,
    checkClaims: (proofs, at) => checkClaims(database, proofs, at),
    renewLease: (proof, leaseMs, at) =>
      apply(proof, { kind: 'renew', fencingToken: proof.fencingToken, leaseMs }, at),
    recordProgress: (proof, progress, leaseMs, at) =>
      apply(proof, { kind: 'progress', fencingToken: proof.fencingToken, progress, leaseMs }, at),
    appendLog: (proof, entry, leaseMs, at) => appendLog(database, proof, entry, leaseMs, at),
    appendOutput: (proof, output, leaseMs, at) => appendOutput(database, proof, output, leaseMs, at),
    completeTask: createCompletions(database, claims, pickups),
    failTask: (proof, reason, backoff, at) =>
      apply(proof, { kind: 'fail', fencingToken: proof.fencingToken, reason, backoff }, at),
    holdClaimedTask: (proof, reason, message, at) =>
      apply(proof, { kind: 'raise_hold', fencingToken: proof.fencingToken, reason, message }, at),
    handBackTask: (proof, reason, at) =>
      apply(proof, { kind: 'hand_back', fencingToken: proof.fencingToken, reason }, at),
  }
}

function personVerbs(database: Database): Pick<Store, PersonVerb> {
  return {
    updateTask: (workspaceId, taskId, change, actor, at) =>
      updateTask(database, { workspaceId, taskId }, change, actor, at),
    deleteTask: (workspaceId, taskId, at) => deleteTask(database, workspaceId, taskId, at),
    moveTask: (workspaceId, taskId, to, actor, at) =>
      applyCommand(database, { workspaceId, taskId }, { kind: 'move', to, actor }, at),
    holdTask: (workspaceId, taskId, reason, message, actor, at) =>
      applyCommand(database, { workspaceId, taskId }, { kind: 'hold', reason, message, actor }, at),
    releaseTask: (workspaceId, taskId, _actor, at) =>
      applyCommand(database, { workspaceId, taskId }, { kind: 'release' }, at),
  }
}
