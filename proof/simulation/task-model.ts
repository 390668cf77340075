import type { Column, Instant, Task } from '@taskboard/core'
import type { LoggedEvent } from '@taskboard/core/storage'
import { require } from './violation.js'
import type { ProcessState } from './world.js'

interface ModelLease {
  readonly fencingToken: number
  readonly agentId: string
  expiresAt: Instant
  readonly durationMs: number
  /** Who claimed it. */
  readonly process: ProcessState
  /** The type of agents that it was claimed for; null for an agent outside of the runtimes. */
  readonly runtime: string | null
}

/** What is known about a task from the answers of the storage and the log. */
export interface ModelTask {
  readonly id: string
  readonly workspaceId: string
  readonly title: string
  column: Column
  isHeld: boolean
  lease: ModelLease | null
  lastToken: number
  /** How often it was started, which is the fencing token of the last claim. */
  starts: number
  doneBy: { readonly fencingToken: number; readonly result: string } | null
  /** The body of the answer to the last question; null when that has none. */
  answer: string | null
  spentTokens: number
}

/** The part of a claim that only the claimer knows. */
export interface Claimed {
  readonly task: Task
  readonly process: ProcessState
  readonly runtime: string | null
}

/** A model of all tasks that follows the log. Each event has to follow from the ones before. */
export interface TaskModel {
  readonly tasks: ReadonlyMap<string, ModelTask>
  readonly deleted: ReadonlySet<string>
  /** `verb` is the call whose commit has the event; null when several may be. */
  follow(event: LoggedEvent, verb: string | null): void
  claimed(claim: Claimed): void
}

export function createTaskModel(): TaskModel {
  const tasks = new Map<string, ModelTask>()
  const deleted = new Set<string>()

  function taskOf(taskId: string, type: string): ModelTask {
    const task = tasks.get(taskId)
    require(task !== undefined, 'the log is consistent', () => `${type} of the unknown task ${taskId}`)
    return task
  }

  function enter(task: ModelTask, column: Column, isHeld: boolean): void {
    task.column = column
    task.isHeld = isHeld
    task.lease = null
    if (column !== 'DONE') task.doneBy = null
  }

  /** Nothing but the sweep ends a lease on its own, and only when it has expired. */
  function requireExpired(task: ModelTask, event: LoggedEvent, verb: string | null): void {
    if (verb !== 'tasks.expireLeases' || task.lease === null) return
    const { expiresAt } = task.lease
    require(expiresAt <= event.at, 'no lease ends early', () =>
      `the sweep ended one at ${event.at} that lasts until ${expiresAt}`)
  }

  return {
    tasks,
    deleted,
    follow(event, verb) {
      switch (event.type) {
        case 'task.created': {
          const { taskId: id, title } = event.data
          require(!tasks.has(id) && !deleted.has(id), 'the log is consistent', () =>
            `${id} was created twice`)
          const { workspaceId } = event
          const blank = { lease: null, lastToken: 0, starts: 0, doneBy: null, answer: null, spentTokens: 0 }
          tasks.set(id, { id, workspaceId, title, column: 'TODO', isHeld: false, ...blank })
          return
        }
        case 'task.started': {
          const task = taskOf(event.data.taskId, event.type)
          const { column, isHeld } = task
          require(column === 'TODO' && !isHeld, 'no task is worked twice', () =>
            `${task.title} was started in ${column}${isHeld ? ' on hold' : ''}`)
          task.column = 'DOING'
          task.starts += 1
          return
        }
        case 'task.completed': {
          const task = taskOf(event.data.taskId, event.type)
          // A person completes a task wherever it is.
          const isByAgent = event.data.actor === undefined
          require(isByAgent
            ? task.column === 'DOING'
            : task.column !== 'DONE', 'no task is completed twice', () =>
            `${task.title} was completed in ${task.column}`)
          const { lease } = task
          enter(task, 'DONE', false)
          if (lease !== null && isByAgent)
            task.doneBy = { fencingToken: lease.fencingToken, result: event.data.result }
          return
        }
        case 'task.failed': {
          const task = taskOf(event.data.taskId, event.type)
          require(task.column !== 'DONE', 'the log is consistent', () => `${task.title} failed in DONE`)
          requireExpired(task, event, verb)
          return enter(task, 'TODO', true)
        }
        case 'task.moved': {
          const task = taskOf(event.data.taskId, event.type)
          const { from, to } = event.data
          require(task.column === from && from !== to, 'the log is consistent', () =>
            `${task.title} moved from ${from} to ${to} in ${task.column}`)
          requireExpired(task, event, verb)
          return enter(task, to, false)
        }
        case 'task.cancelled':
          return void (taskOf(event.data.taskId, event.type).isHeld = true)
        case 'task.released': {
          const task = taskOf(event.data.taskId, event.type)
          require(task.isHeld, 'the log is consistent', () => `${task.title} was released without a hold`)
          task.isHeld = false
          return
        }
        case 'task.commented': {
          const { taskId, kind, body } = event.data
          if (kind === 'question') taskOf(taskId, event.type).answer = null
          if (kind === 'answer') taskOf(taskId, event.type).answer = body
          return
        }
        case 'task.deleted':
          require(tasks.delete(event.data.taskId), 'the log is consistent', () =>
            'an unknown task was deleted')
          return void deleted.add(event.data.taskId)
        default:
      }
    },
    claimed({ task: claimed, process, runtime }) {
      const { id, title, lease, dependsOn } = claimed
      const task = tasks.get(id)
      // Deleted by a call in the same commit order.
      if (task === undefined || lease === null) return
      require(lease.fencingToken > task.lastToken, 'fencing tokens grow', () =>
        `${title} got ${lease.fencingToken} after ${task.lastToken}`)
      const isFree = dependsOn.every((each) => tasks.get(each)?.column === 'DONE')
      require(isFree, 'no blocked task is claimed', () => title)
      task.lastToken = lease.fencingToken
      // Else a call of the same commit order has ended it.
      if (task.column === 'DOING' && task.starts === lease.fencingToken)
        task.lease = { ...lease, process, runtime }
    },
  }
}
