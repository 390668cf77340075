import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loginAttemptRules, takeLoginAttempt, type LoginAttempts } from './login-attempts.js'

const { lockMs } = loginAttemptRules
const step = fc.record({
  waitMs: fc.integer({ min: 0, max: lockMs / 4 }),
  kind: fc.constantFrom('password' as const, 'code' as const),
})

describe('takeLoginAttempt', () => {
  it('never allows more than ten passwords or five codes within any 15 minutes, and after its wait allows one', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        let now = 0
        let state: LoginAttempts | undefined
        const allowed = { password: [] as number[], code: [] as number[] }
        for (const { waitMs, kind } of steps) {
          now += waitMs
          const { after, decision } = takeLoginAttempt(state, kind, now)
          if (decision.allowed) {
            allowed[kind].push(now)
            state = after
          } else {
            expect(takeLoginAttempt(state, kind, now + decision.retryAfterMs).decision.allowed).toBe(true)
            expect(takeLoginAttempt(state, kind, now + decision.retryAfterMs - 1).decision.allowed).toBe(
              false,
            )
          }
        }
        expectAtMost(allowed.password, loginAttemptRules.passwords)
        expectAtMost(allowed.code, loginAttemptRules.codes)
      }),
      { numRuns: 300 },
    )
  })
})

function expectAtMost(times: readonly number[], most: number): void {
  for (const [index, time] of times.entries()) {
    expect((times[index + most] ?? Infinity) - time).toBeGreaterThanOrEqual(lockMs)
  }
}
