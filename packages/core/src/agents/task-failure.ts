/**
 * What an agent throws when another attempt would fail as well: the task goes under the hold `failed` at once, with this
 * message as the reason. Anything else that it throws is tried again while attempts remain, except for errors that
 * carry `retry: false` themselves.
 */
export class TaskFailure extends Error {
  readonly retry = false

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TaskFailure'
  }
}

/** Whether what an agent threw asks for no further attempt. */
export function isFinal(thrown: unknown): boolean {
  try {
    return typeof thrown === 'object' && thrown !== null && 'retry' in thrown && thrown.retry === false
  } catch {
    // What was thrown does not let itself be looked at.
    return false
  }
}
