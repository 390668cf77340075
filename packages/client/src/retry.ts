import { TaskboardApiError } from './api-error.js'

/** When a failed call is sent again. Times are in milliseconds. */
export interface RetryOptions {
  /** How long a call can take with its repeats and waits. Default 30,000. */
  readonly deadlineMs?: number | undefined
  /** How long one attempt can take. Default 10,000. A chat, which is never retried, can use the whole time of the call. */
  readonly attemptTimeoutMs?: number | undefined
  /** The most attempts, the first one included. Default: as many as the deadline allows. */
  readonly attempts?: number | undefined
  /** The longest wait before the second attempt; each wait after that is at most twice as long. Default 250. */
  readonly baseDelayMs?: number | undefined
  /** The longest wait that the server didn't ask for. Default 5,000. */
  readonly maxDelayMs?: number | undefined
  /** From 0 to below 1, for the jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined
  /** Waits, and rejects with the signal's reason. For tests. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
  /** A clock in milliseconds that never steps back. For tests. */
  readonly now?: (() => number) | undefined
}

export type RetryPolicy = { readonly [Name in keyof RetryOptions]-?: NonNullable<RetryOptions[Name]> }

/** Timers with a longer delay end immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

const defaults: RetryPolicy = {
  deadlineMs: 30_000,
  attemptTimeoutMs: 10_000,
  attempts: Infinity,
  baseDelayMs: 250,
  maxDelayMs: 5_000,
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        settle()
      }
      const onAbort = (): void => end(() => reject(signal?.reason as Error))
      const timer = setTimeout(() => end(resolve), Math.min(ms, LONGEST_TIMER_MS))
      if (signal?.aborted === true) onAbort()
      signal?.addEventListener('abort', onAbort)
    }),
  now: () => performance.now(),
}

/** Later options replace earlier ones; `false` is a single attempt. */
export function retryPolicy(...options: readonly (RetryOptions | false | undefined)[]): RetryPolicy {
  const given = options.map((each) => (each === false ? { attempts: 1 } : definedOf(each ?? {})))
  return Object.assign({}, defaults, ...given) as RetryPolicy
}

function definedOf(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** The wait before the next attempt: what the server asked for, and a random part that doubles with each failure. */
export function delayMs(policy: RetryPolicy, failures: number, retryAfter: number | null): number {
  const jitter = policy.random() * Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (failures - 1))
  return (retryAfter ?? 0) * 1000 + jitter
}

/**
 * Runs `work` until the signal aborts or the time has passed. Rejects immediately then, even when `work` doesn't heed its signal.
 * @throws TaskboardApiError `TIMEOUT`; the reason of the signal.
 */
export function withinTime<Value>(
  title: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController()
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      settle()
    }
    const stop = (reason: Error): void => {
      end(() => reject(reason))
      controller.abort(reason)
    }
    const onAbort = (): void => stop(signal?.reason as Error)
    const expire = (): void => {
      const text = `${title}: no answer in ${Math.max(0, Math.round(timeoutMs))} ms`
      stop(new TaskboardApiError(text, { status: 0, code: 'TIMEOUT' }))
    }
    const timer = setTimeout(expire, Math.min(timeoutMs, LONGEST_TIMER_MS))
    if (signal?.aborted === true) return onAbort()
    if (timeoutMs <= 0) return expire()
    signal?.addEventListener('abort', onAbort)
    work(controller.signal).then(
      (value) => end(() => resolve(value)),
      (error: Error) => end(() => reject(error)),
    )
  })
}
