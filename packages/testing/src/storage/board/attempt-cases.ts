import assert from 'node:assert/strict'
import { defaultBackoff } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  HOUR,
  LEASE_MS,
  LOG_LIMIT,
  MINUTE,
  OUTPUT_LIMIT,
  proofOf,
  SECOND,
  START,
  changeClaimed,
  readTask,
} from '../storage-fixture.js'

/** How attempts end, and what agents write while they hold a lease. */
export const attemptCases: readonly StorageCheck[] = [
  {
    id: 'leases.fail-retry',
    name: 'a failure with a backoff waits and is retried, without task.failed',
    async check({ storage, addClaimed, claim, eventTypes, at }) {
      const task = await addClaimed()
      const failed = await changeClaimed(
        storage.tasks,
        proofOf(task),
        { kind: 'fail', reason: 'not yet', backoff: defaultBackoff },
        at(SECOND),
      )
      assert.equal(failed.notBefore, START + SECOND + defaultBackoff.baseMs)
      assert.ok(!(await eventTypes()).includes('task.failed'))
      const again = await claim(at(MINUTE))
      assert.ok(again !== null)
      const { attempts } = await readTask(storage.tasks, task, ['attempts'], at())
      assert.deepEqual(
        attempts.map(({ fencingToken, outcome, reason }) => [fencingToken, outcome, reason]),
        [[1, 'retried', 'not yet']],
      )
    },
  },
  {
    id: 'leases.fail-attempts-run-out',
    name: 'the last failure holds the task as failed, with one task.failed over all attempts',
    async check({ storage, add, claim, events, at }) {
      await add({ maxAttempts: 3 })
      for (let attempt = 0; attempt < 3; attempt++) {
        const task = await claim(at(attempt * HOUR))
        assert.ok(task !== null)
        await changeClaimed(
          storage.tasks,
          proofOf(task),
          { kind: 'fail', reason: 'no', backoff: defaultBackoff },
          at(attempt * HOUR),
        )
      }
      const failures = (await events()).filter((event) => event.type === 'task.failed')
      assert.deepEqual(
        failures.map(({ data }) => [data.reason, data.message, data.attempts]),
        [['failed', 'no', 3]],
      )
    },
  },
  {
    id: 'leases.fail-final',
    name: 'a failure without a backoff holds at once',
    async check({ storage, addClaimed, at }) {
      const task = await addClaimed()
      const held = await changeClaimed(
        storage.tasks,
        proofOf(task),
        { kind: 'fail', reason: 'cannot', backoff: null },
        at(5),
      )
      assert.deepEqual(held.hold, { reason: 'failed', message: 'cannot', since: START + 5 })
    },
  },
  {
    id: 'leases.hold',
    name: 'an agent’s hold ends its attempt as held, with one task.failed',
    async check({ storage, addClaimed, events, at }) {
      const task = await addClaimed()
      const held = await changeClaimed(
        storage.tasks,
        proofOf(task),
        { kind: 'hold_claimed', reason: 'needs_input', message: 'which?' },
        at(),
      )
      assert.deepEqual([held.column, held.hold?.reason, held.lease], ['TODO', 'needs_input', null])
      const last = (await events()).at(-1)
      assert.ok(last?.type === 'task.failed')
      assert.equal(last.data.reason, 'needs_input')
      const { attempts } = await readTask(storage.tasks, task, ['attempts'], at())
      assert.equal(attempts[0]?.outcome, 'held')
    },
  },
  {
    id: 'leases.hand-back',
    name: 'a task whose claim is returned is ready at once and its attempt is not counted',
    async check({ storage, addClaimed, claim, at }) {
      const task = await addClaimed()
      const back = await changeClaimed(
        storage.tasks,
        proofOf(task),
        { kind: 'return_claim', reason: 'shutting down' },
        at(),
      )
      assert.deepEqual([back.column, back.attempts, back.notBefore], ['TODO', 0, null])
      const again = await claim()
      assert.deepEqual([again?.attempts, again?.fencingToken], [1, 2])
      const { attempts } = await readTask(storage.tasks, task, ['attempts'], at())
      assert.deepEqual([attempts[0]?.outcome, attempts[0]?.reason], ['returned', 'shutting down'])
    },
  },
  {
    id: 'leases.complete',
    name: 'a completion keeps the result and emits start, end and result',
    async check({ storage, addClaimed, events, at }) {
      const task = await addClaimed()
      const { task: done } = await storage.tasks.completeTask(
        { proof: proofOf(task), result: 'ok', next: null },
        at(SECOND),
      )
      assert.deepEqual([done.column, done.result, done.progress, done.lease], ['DONE', 'ok', 100, null])
      const last = (await events()).at(-1)
      assert.ok(last?.type === 'task.completed')
      const { startedAt, completedAt, result } = last.data
      assert.deepEqual([startedAt, completedAt, result], [START, START + SECOND, 'ok'])
      await assertRefused(
        storage.tasks.completeTask({ proof: proofOf(task), result: 'again', next: null }, at(SECOND)),
        'CONFLICT',
      )
    },
  },
  {
    id: 'leases.progress',
    name: 'progress renews the lease, and is emitted only when it differs',
    async check({ storage, addClaimed, eventTypes, at }) {
      const task = await addClaimed()
      const half = await changeClaimed(
        storage.tasks,
        proofOf(task),
        { kind: 'progress', progress: 50, leaseMs: LEASE_MS },
        at(SECOND),
      )
      assert.deepEqual([half.progress, half.lease?.expiresAt], [50, START + SECOND + LEASE_MS])
      await changeClaimed(
        storage.tasks,
        proofOf(task),
        { kind: 'progress', progress: 50, leaseMs: LEASE_MS },
        at(2 * SECOND),
      )
      assert.equal((await eventTypes()).filter((type) => type === 'task.progress').length, 1)
    },
  },
  {
    id: 'leases.logs',
    name: 'log lines keep their order, their time and the newest of them, and renew the lease',
    async check({ storage, addClaimed, get, workspaceId, at }) {
      const task = await addClaimed()
      for (let line = 0; line < LOG_LIMIT + 2; line++) {
        await storage.tasks.appendToTask(
          { proof: proofOf(task), log: { level: 'warn', message: `${line}` }, leaseMs: LEASE_MS },
          at(line),
        )
      }
      const lines = (await readTask(storage.tasks, { workspaceId, id: task.id }, ['logs'], at())).logs
      const expected = Array.from({ length: LOG_LIMIT }, (_, index) => index + 2).map((line) => ({
        at: START + line,
        level: 'warn',
        message: `${line}`,
      }))
      assert.deepEqual(lines, expected)
      assert.equal((await get(task)).lease?.expiresAt, START + LOG_LIMIT + 1 + LEASE_MS)
    },
  },
  {
    id: 'leases.outputs',
    name: 'outputs are kept in order, up to the limit and no further',
    async check({ storage, addClaimed, workspaceId, at }) {
      const task = await addClaimed()
      const outputs = Array.from({ length: OUTPUT_LIMIT }, (_, index) => ({
        type: 'file',
        name: `${index}`,
        url: 'https://example.com/',
        size: index === 0 ? null : index,
      }))
      for (const output of outputs) {
        await storage.tasks.appendToTask({ proof: proofOf(task), output, leaseMs: LEASE_MS }, at(SECOND))
      }
      const [first] = outputs
      assert.ok(first)
      await assertRefused(
        storage.tasks.appendToTask({ proof: proofOf(task), output: first, leaseMs: LEASE_MS }, at(SECOND)),
        'CONFLICT',
      )
      assert.deepEqual(
        (await readTask(storage.tasks, { workspaceId, id: task.id }, ['outputs'], at())).outputs,
        outputs,
      )
    },
  },
  {
    id: 'leases.outputs-at-once',
    name: 'outputs that come at once are kept up to the limit too',
    async check({ storage, addClaimed, workspaceId, at }) {
      const task = await addClaimed()
      const output = { type: 'file', name: 'n', url: 'https://example.com/', size: null }
      const append = () =>
        storage.tasks.appendToTask({ proof: proofOf(task), output, leaseMs: LEASE_MS }, at(SECOND))
      const ends = await Promise.allSettled(Array.from({ length: OUTPUT_LIMIT + 4 }, append))
      assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, OUTPUT_LIMIT)
      assert.equal(
        (await readTask(storage.tasks, { workspaceId, id: task.id }, ['outputs'], at())).outputs.length,
        OUTPUT_LIMIT,
      )
    },
  },
]
