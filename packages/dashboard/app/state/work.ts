import type { Task } from './wire.js'

/** Whether an agent is working on a task now. A person who moves a task to Doing begins no attempt. */
export function isWorkedOn({ column, attempts }: Pick<Task, 'column' | 'attempts'>): boolean {
  return column === 'doing' && attempts > 0
}

/**
 * The name of the person who moved a task to Doing or, without one, the id. Null when an agent works on it, and when the server doesn't
 * say who it was.
 */
export function holderName(task: Pick<Task, 'column' | 'attempts' | 'taken_by'>): string | null {
  return isWorkedOn(task) ? null : (task.taken_by?.name ?? task.taken_by?.id ?? null)
}
