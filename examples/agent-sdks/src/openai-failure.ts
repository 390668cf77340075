import { RetryLater, TaskFailure } from '@taskboard/core'

/** What an error of the `openai` package has. */
interface ApiError {
  readonly status?: unknown
  readonly headers?: unknown
}

/** Refusals of the API meet every attempt. An outage or a rate limit is not the fault of the task. Other errors stay as they are. */
export function openAiFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { status, headers } = error as ApiError
  // `APIConnectionError`, and its subclass for time-outs.
  const isAway = error.constructor.name.startsWith('APIConnection')
  if (!isAway && typeof status !== 'number') return error
  const reason = isAway ? 'the API cannot be reached' : `the API answered ${String(status)}`
  const isTheirs = isAway || status === 408 || status === 409 || status === 429 || Number(status) >= 500
  return isTheirs
    ? new RetryLater(reason, { cause: error, retryAfterMs: retryAfterMs(headers) })
    : new TaskFailure(reason, { cause: error })
}

function retryAfterMs(headers: unknown): number | null {
  const seconds = headers instanceof Headers ? Number(headers.get('retry-after') ?? NaN) : NaN
  return Number.isFinite(seconds) ? 1_000 * seconds : null
}
