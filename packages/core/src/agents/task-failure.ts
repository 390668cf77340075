/**
 * The error that an agent throws when a retry would fail as well. The task is put on hold as `failed` at once, with this
 * message as the reason. After any other error the task is retried while attempts remain, unless the error itself has
 * `retry: false`.
 * @example
 * ```ts
 * import { defineAgent, TaskFailure } from '@taskboard/core'
 *
 * const printer = defineAgent({
 *   type: 'printer',
 *   run: (task) => {
 *     if (task.metadata['pages'] === undefined) throw new TaskFailure('the task does not say which pages')
 *     return `printed ${task.title}`
 *   },
 * })
 * console.log(printer.leaseMs) // 60000
 * ```
 */
export class TaskFailure extends Error {
  readonly retry = false

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TaskFailure'
  }
}

/** Whether an error from an agent asks for no further attempt. */
export function isFinal(thrown: unknown): boolean {
  try {
    return typeof thrown === 'object' && thrown !== null && 'retry' in thrown && thrown.retry === false
  } catch {
    // The thrown value cannot be read.
    return false
  }
}
