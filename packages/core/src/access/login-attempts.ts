import type { Instant } from '../environment/index.js'

/** What is guessed: a password, or a one-time or recovery code. */
export type AttemptKind = 'password' | 'code'

/** How often was guessed under one key. */
export interface LoginAttempts {
  readonly passwords: number
  readonly codes: number
  /** From then on nothing of this counts. */
  readonly holdsUntil: Instant
}

export interface AttemptDecision {
  readonly allowed: boolean
  /** 0 when allowed; else the wait until the lock is over. */
  readonly retryAfterMs: number
}

/** Ten wrong passwords or five wrong codes lock for fifteen minutes. */
export const loginAttemptRules = { passwords: 10, codes: 5, lockMs: 15 * 60_000 } as const

/**
 * Counts a guess, which is taken for a wrong one as long as nobody forgets it, so that guesses at the same time cannot pass
 * together. The last that is allowed locks; while a lock lasts nothing is counted, so nobody makes it longer. A code is asked
 * for after the password of the same login, whose own guess may be the last one: so passwords do not lock codes. Without a
 * lock, guesses count until fifteen minutes after the last. An end that is further away than that was set before the clock
 * stepped back: it moves up to fifteen minutes from `now`. What is `after` is to be kept also for a guess that was refused.
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
