import { TaskboardError } from '@taskboard/core'

/** How long the storage waits, in milliseconds of the process's time. */
export interface Timeouts {
  /** For the pool to lend a connection. */
  readonly connectTimeoutMs: number
  /** For the answer to one statement. */
  readonly statementTimeoutMs: number
}

const DEFAULT_TIMEOUT_MS = 10_000
const LONGEST_TIMEOUT_MS = 3_600_000

/** Fills in the defaults. @throws TaskboardError `INVALID_CONFIG` naming the first field that cannot work. */
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
 * `work`, or a rejection with what `late` makes once `timeoutMs` have passed; `unwanted` then gets what it resolves to after
 * all. The timer is gone as soon as there is an outcome, and keeps no process alive.
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
      // A process that was stopped, or busy, reads what has arrived meanwhile before it calls anything late.
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
