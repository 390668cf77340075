import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultBackoff } from './backoff.js'
import { columns, createTask, holdReasons, parseNewTask, type Actor } from './task.js'
import { transition, type TaskCommand } from './transition.js'

const NOW = 1_000_000
const PERSON: Actor = { kind: 'user', id: 'user_1' }
const input = parseNewTask({ title: 'Write the report' }, 'ws_1', 2)
const todo = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
const claimCommand: TaskCommand = { kind: 'claim', agentId: 'agent_1', leaseMs: 60_000 }

describe('any history', () => {
  const token = fc.integer({ min: 1, max: 4 })
  const command: fc.Arbitrary<TaskCommand> = fc.oneof(
    fc.constant(claimCommand),
    token.map((fencingToken): TaskCommand => ({ kind: 'renew', fencingToken, leaseMs: 1_000 })),
    token.map((fencingToken): TaskCommand => ({ kind: 'complete', fencingToken, result: 'r' })),
    fc
      .tuple(token, fc.constantFrom(null, defaultBackoff))
      .map(([fencingToken, backoff]): TaskCommand => ({ kind: 'fail', fencingToken, reason: 'r', backoff })),
    fc.tuple(token, fc.constantFrom(...holdReasons)).map(([fencingToken, reason]): TaskCommand => ({
      kind: 'hold_claimed',
      fencingToken,
      reason,
      message: null,
    })),
    token.map((fencingToken): TaskCommand => ({ kind: 'return_claim', fencingToken, reason: 'r' })),
    token.map((fencingToken): TaskCommand => ({
      kind: 'postpone',
      fencingToken,
      reason: 'r',
      delayMs: 1_000,
    })),
    fc.constant<TaskCommand>({ kind: 'expire', backoff: defaultBackoff }),
    fc.constantFrom(...columns).map((to): TaskCommand => ({ kind: 'move', to, actor: PERSON })),
    fc
      .constantFrom(...holdReasons)
      .map((reason): TaskCommand => ({ kind: 'hold', reason, message: null, actor: PERSON })),
    fc.constant<TaskCommand>({ kind: 'release', actor: PERSON }),
    fc.boolean().map((takeOver): TaskCommand => ({
      kind: 'finish',
      result: 'r',
      takeOver,
      actor: { ...PERSON, name: 'Ada' },
    })),
  )

  it('keeps the task consistent', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(command, fc.integer({ min: 0, max: 40_000 })), { maxLength: 30 }),
        (steps) => {
          let task = todo
          let now = NOW
          for (const [next, waitMs] of steps) {
            now += waitMs
            const before = task
            try {
              const result = transition(task, next, now)
              task = result.task
              expect(result.endedAttempt === null).toBe(before.lease === null || task.lease !== null)
            } catch (error) {
              expect(error).toMatchObject({ code: 'CONFLICT' })
            }
            expect(task.fencingToken).toBeGreaterThanOrEqual(before.fencingToken)
            if (task.hold !== null) expect(task.column).toBe('TODO')
            if (task.lease !== null) expect(task.column).toBe('DOING')
            // Somebody has each task in DOING, and nobody one in TODO.
            const isTaken = task.takenBy !== null
            if (task.column !== 'DONE') expect(isTaken).toBe(task.column === 'DOING' && task.lease === null)
            expect(task.completedAt !== null).toBe(task.column === 'DONE')
            expect(task.attempts).toBeLessThanOrEqual(task.maxAttempts)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
