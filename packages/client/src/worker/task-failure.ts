/**
 * The error that a worker's `run` throws when a retry would fail as well. The task is put on hold as `failed` immediately, with this message.
 * After any other error the task is retried while attempts remain, unless the error itself has `retry: false`.
 * @example
 * ```ts
 * import { createClient, TaskFailure } from '@taskboard/client'
 *
 * const client = createClient({ baseUrl: 'https://app.example', key: 'tb_…' })
 *
 * function countWords(agentId: string) {
 *   return client.worker({
 *     agentId,
 *     run({ description }) {
 *       if (description === null) throw new TaskFailure('the task has no description')
 *       return description.split(/\s+/).length
 *     },
 *   })
 * }
 * ```
 */
export class TaskFailure extends Error {
  readonly retry = false

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TaskFailure'
  }
}
