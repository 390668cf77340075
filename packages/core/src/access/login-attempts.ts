import type { Instant } from '../environment/index.js'

/** What a client guesses: a password, or a one-time or recovery code. */
export type AttemptKind = 'password' | 'code'

/** The guesses under one key. */
export interface LoginAttempts {
  readonly passwords: number
  readonly codes: number
  /** From this instant on, the guesses no longer count. */
  readonly holdsUntil: Instant
}

export interface AttemptDecision {
  readonly allowed: boolean
  /** 0 when allowed; else the time until the lock ends. */
  readonly retryAfterMs: number
}

/** Ten wrong passwords or five wrong codes lock for fifteen minutes. */
export const loginAttemptRules = { passwords: 10, codes: 5, lockMs: 15 * 60_000 } as const

/**
 * Counts a guess as wrong until it is forgotten, so that concurrent guesses can't pass together. The last allowed guess locks. During
 * a lock nothing is counted, so no one can extend it. A login asks for a code after the password, whose own guess may be the last
 * allowed one, so passwords don't lock codes. Without a lock, guesses count until fifteen minutes after the last. An end that is
 * further away was set before the clock stepped back: it moves to fifteen minutes from `now`. Store `after` even for a rejected guess.
 * @example
 * ```ts
 * import { takeLoginAttempt, type LoginAttempts } from '@taskboard/core/storage'
 *
 * let attempts: LoginAttempts | undefined
 * for (let count = 0; count < 10; count++) attempts = takeLoginAttempt(attempts, 'password', 0).after
 * console.log(takeLoginAttempt(attempts, 'password', 60_000).decision) // { allowed: false, retryAfterMs: 840000 }
 * ```
 */
export function takeLoginAttempt(
  before: LoginAttempts | undefined,
  kind: AttemptKind,
  now: Instant,
): { readonly after: LoginAttempts; readonly decision: AttemptDecision } {
  const { passwords, codes, lockMs } = loginAttemptRules
  const held =
    before !== undefined && before.holdsUntil > now
      ? { ...before, holdsUntil: Math.min(before.holdsUntil, now + lockMs) }
      : { passwords: 0, codes: 0, holdsUntil: now }
  const isLocked = held.codes >= codes || (kind === 'password' && held.passwords >= passwords)
  if (isLocked) return { after: held, decision: { allowed: false, retryAfterMs: held.holdsUntil - now } }
  return {
    after: {
      passwords: held.passwords + (kind === 'password' ? 1 : 0),
      codes: held.codes + (kind === 'code' ? 1 : 0),
      holdsUntil: now + lockMs,
    },
    decision: { allowed: true, retryAfterMs: 0 },
  }
}

/**
 * The guesses without one that couldn't be checked.
 * @example
 * ```ts
 * import { withoutOne } from '@taskboard/core/storage'
 *
 * console.log(withoutOne({ passwords: 3, codes: 0, holdsUntil: 60_000 }, 'password').passwords) // 2
 * ```
 */
export function withoutOne(attempts: LoginAttempts, kind: AttemptKind): LoginAttempts {
  const { passwords, codes } = attempts
  return kind === 'password'
    ? { ...attempts, passwords: Math.max(0, passwords - 1) }
    : { ...attempts, codes: Math.max(0, codes - 1) }
}
