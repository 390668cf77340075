import { TaskboardError } from '@taskboard/core'

/** The timeouts of the storage, in milliseconds of the process's time. */
export interface Timeouts {
  /** For a connection from the pool. */
  readonly connectTimeoutMs: number
  /** For the answer to one statement. */
  readonly statementTimeoutMs: number
}

const DEFAULT_TIMEOUT_MS = 10_000
const LONGEST_TIMEOUT_MS = 3_600_000

/** Applies the defaults. @throws TaskboardError `INVALID_CONFIG` with the first invalid field. */
export function resolveTimeouts(options: {
  readonly [Name in keyof Timeouts]?: number | undefined
}): Timeouts {
  return {
    connectTimeoutMs: timeoutOf('connectTimeoutMs', options.connectTimeoutMs),
    statementTimeoutMs: timeoutOf('statementTimeoutMs', options.statementTimeoutMs),
  }
}

function timeoutOf(field: keyof Timeouts, value = DEFAULT_TIMEOUT_MS): number {
  if (Number.isInteger(value) && value >= 1 && value <= LONGEST_TIMEOUT_MS) return value
  throw new TaskboardError(
    'INVALID_CONFIG',
    `${field} must be a whole number from 1 to ${LONGEST_TIMEOUT_MS}`,
    {
      field,
    },
  )
}

/**
 * `work`, or a rejection with the result of `late` once `timeoutMs` have passed; `unwanted` then receives a value that arrives
 * later. The timer ends with the outcome, and keeps no process alive.
 */
export function within<T>(
  work: Promise<T>,
  timeoutMs: number,
  late: () => Error,
  unwanted: (value: T) => void = () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      // A process that was stopped or busy first reads what arrived in the meantime.
      setImmediate(() => {
        if (isSettled) return
        isLate = true
        reject(late())
      })
    }, timeoutMs)
    timer.unref()
    let isSettled = false
    const settle = (): void => {
      isSettled = true
      clearTimeout(timer)
    }
    const arrived = (value: T): void => {
      settle()
      if (isLate) unwanted(value)
      else resolve(value)
    }
    work.then(arrived, (error: Error) => {
      settle()
      reject(error)
    })
  })
}
