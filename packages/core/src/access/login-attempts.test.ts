import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loginAttemptRules, takeLoginAttempt, type LoginAttempts } from './login-attempts.js'

const { lockMs } = loginAttemptRules
/** Mostly 0; else from a moment to hours. */
const backMs = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat({ max: 10_000 }) },
  { weight: 1, arbitrary: fc.nat({ max: 12 * lockMs }) },
)
const step = fc.record({
  backMs,
  waitMs: fc.integer({ min: 0, max: lockMs / 4 }),
  kind: fc.constantFrom('password' as const, 'code' as const),
})

describe('takeLoginAttempt', () => {
  it('keeps its limits in true time when the clock steps back, and never locks for longer than 15 minutes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        let now = 0
        let trueMs = 0
        let state: LoginAttempts | undefined
        const allowed = { password: [] as number[], code: [] as number[] }
        for (const { waitMs, backMs: stepBackMs, kind } of steps) {
          now += waitMs - stepBackMs
          trueMs += waitMs
          const { after, decision } = takeLoginAttempt(state, kind, now)
          state = after
          if (decision.allowed) allowed[kind].push(trueMs)
          else {
            const { retryAfterMs } = decision
            expect(retryAfterMs).toBeLessThanOrEqual(lockMs)
            expect(takeLoginAttempt(state, kind, now + retryAfterMs).decision.allowed).toBe(true)
            expect(takeLoginAttempt(state, kind, now + retryAfterMs - 1).decision.allowed).toBe(false)
          }
        }
        expectAtMost(allowed.password, loginAttemptRules.passwords)
        expectAtMost(allowed.code, loginAttemptRules.codes)
      }),
      { numRuns: 300 },
    )
  })

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
