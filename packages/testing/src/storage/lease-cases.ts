import assert from 'node:assert/strict'
import { defaultBackoff, type ClaimProof, type Task } from '@taskboard/core'
import { assertRefused, type StorageCheck } from './storage-case.js'
import {
  AGENT_TYPE,
  HOUR,
  LEASE_MS,
  LOG_LIMIT,
  MINUTE,
  OUTPUT_LIMIT,
  PERSON,
  proofOf,
  SECOND,
  START,
  unknownId,
  type World,
} from './world.js'

/** Every write that needs a live lease. */
function writesOf({ storage: { tasks }, at }: World, proof: ClaimProof, afterMs: number) {
  const when = at(afterMs)
  return [
    () => tasks.renewLease(proof, LEASE_MS, when),
    () => tasks.recordProgress(proof, 50, LEASE_MS, when),
    () => tasks.appendLog(proof, { level: 'info', message: 'm' }, LEASE_MS, when),
    () => tasks.appendOutput(proof, { type: 't', name: 'n', url: 'u', size: null }, LEASE_MS, when),
    () => tasks.completeTask(proof, 'late', null, when),
    () => tasks.failTask(proof, 'late', defaultBackoff, when),
    () => tasks.holdClaimedTask(proof, 'approval', null, when),
    () => tasks.handBackTask(proof, 'late', when),
  ]
}

async function traceOf({ storage: { tasks }, events, at, workspaceId }: World, { id }: Task) {
  return {
    task: await tasks.getTask(workspaceId, id, at()),
    background: await tasks.getBackground(workspaceId, id, at()),
    logs: await tasks.listLogs(workspaceId, id, at()),
    outputs: await tasks.listOutputs(workspaceId, id, at()),
    events: await events(),
  }
}

async function assertAllRefused(world: World, task: Task, proof: ClaimProof, afterMs: number): Promise<void> {
  const before = await traceOf(world, task)
  for (const write of writesOf(world, proof, afterMs)) await assertRefused(write(), 'CONFLICT')
  assert.deepEqual(await traceOf(world, task), before)
}

/** What agents may do while they hold a lease, and what becomes of it when they do not. */
export const leaseCases: readonly StorageCheck[] = [
  {
    id: 'leases.renew',
    name: 'a renewal counts from its own instant',
    async check({ storage, addClaimed, get, at }) {
      const task = await addClaimed()
      const renewed = await storage.tasks.renewLease(proofOf(task), 5 * MINUTE, at(30 * SECOND))
      assert.equal(renewed.lease?.expiresAt, START + 30 * SECOND + 5 * MINUTE)
      assert.deepEqual(await get(task), renewed)
    },
  },
  {
    id: 'leases.length',
    name: 'a renewal that names no length uses the one that the claim asked for, whatever others named',
    async check(world) {
      const { storage, workspaceId, agent, add, get, at } = world
      const { tasks } = storage
      const expiryOf = async (task: Task) => ((await get(task)).lease?.expiresAt ?? 0) - START
      const checkLength = async (task: Task, durationMs: number): Promise<void> => {
        assert.deepEqual([task.lease?.durationMs, await expiryOf(task)], [durationMs, durationMs])
        const proof = proofOf(task)
        const renewals: readonly ((when: ReturnType<World['at']>) => Promise<unknown>)[] = [
          (when) => tasks.renewLease(proof, null, when),
          (when) => tasks.recordProgress(proof, 50, null, when),
          (when) => tasks.recordProgress(proof, 50, null, when),
          (when) => tasks.appendLog(proof, { level: 'info', message: 'm' }, null, when),
          (when) => tasks.appendOutput(proof, { type: 't', name: 'n', url: 'u', size: null }, null, when),
        ]
        for (const [index, renew] of renewals.entries()) {
          const afterMs = (index + 1) * SECOND
          await tasks.renewLease(proof, LEASE_MS, at(afterMs))
          assert.equal(await expiryOf(task), afterMs + LEASE_MS)
          await renew(at(afterMs))
          assert.equal(await expiryOf(task), afterMs + durationMs)
        }
      }
      for (let count = 0; count < 4; count++) await add()
      const forAgent = { workspaceId, agentId: agent.id, leaseMs: HOUR }
      const byType = { agentType: AGENT_TYPE, leaseMs: 2 * HOUR }
      const [first] = (await tasks.claimForAgent(forAgent, 1, at())).tasks
      assert.ok(first)
      await checkLength(first, HOUR)
      const [second] = (await tasks.claimBest(byType, 1, at())).tasks
      assert.ok(second)
      await checkLength(second, 2 * HOUR)
      const { next: third } = await tasks.completeTask(proofOf(first), '', byType, at())
      assert.equal(third?.tasks[0]?.lease?.durationMs, 2 * HOUR)
      const { next: fourth } = await tasks.completeTask(proofOf(second), '', forAgent, at())
      assert.equal(fourth?.tasks[0]?.lease?.durationMs, HOUR)
      await tasks.moveTask(workspaceId, third.tasks[0].id, 'TODO', PERSON, at())
      const [again] = (await tasks.claimForAgent({ ...forAgent, leaseMs: MINUTE }, 1, at())).tasks
      assert.equal(again?.lease?.durationMs, MINUTE, 'a claim asks anew')
    },
  },
  {
    id: 'leases.check',
    name: 'claims are checked in their order, and hold while their leases do',
    async check(world) {
      const { storage, workspaceId, add, addClaimed, at } = world
      const { tasks } = storage
      const claimed = [await addClaimed({}, at(0)), await addClaimed({}, at(1)), await addClaimed({}, at(1))]
      const proofs = [
        ...claimed.map(proofOf),
        { ...proofOf(claimed[0] as Task), fencingToken: 2 },
        { workspaceId, taskId: (await add()).id, fencingToken: 1 },
        { workspaceId, taskId: unknownId('task'), fencingToken: 1 },
      ]
      const nothing = [false, false, false]
      assert.deepEqual(await tasks.checkClaims([], at()), [])
      assert.deepEqual(await tasks.checkClaims(proofs, at(LEASE_MS - 1)), [true, true, true, ...nothing])
      assert.deepEqual(await tasks.checkClaims(proofs, at(LEASE_MS)), [false, true, true, ...nothing])
      await tasks.deleteTask(workspaceId, claimed[1]?.id ?? '', at())
      await tasks.moveTask(workspaceId, claimed[2]?.id ?? '', 'TODO', PERSON, at())
      assert.deepEqual(await tasks.checkClaims(proofs, at(1)), [true, false, false, ...nothing])
    },
  },
  {
    id: 'leases.wrong-token',
    name: 'a write with another fencing token is CONFLICT and changes nothing',
    async check(world) {
      const task = await world.addClaimed()
      await assertAllRefused(world, task, { ...proofOf(task), fencingToken: 2 }, SECOND)
    },
  },
  {
    id: 'leases.expired-write',
    name: 'a write under an expired lease is CONFLICT and changes nothing, before anybody noticed',
    async check(world) {
      const task = await world.addClaimed()
      await assertAllRefused(world, task, proofOf(task), LEASE_MS)
    },
  },
  {
    id: 'leases.superseded',
    name: 'a paused agent that wakes after its successor took over changes nothing',
    async check(world) {
      const task = await world.addClaimed()
      await world.expire(world.at(LEASE_MS))
      const again = await world.claim(world.at(HOUR))
      assert.deepEqual([again?.id, again?.lease?.fencingToken], [task.id, 2])
      await assertAllRefused(world, task, proofOf(task), HOUR)
    },
  },
  {
    id: 'leases.never-claimed',
    name: 'a write on a task that nobody claimed is CONFLICT',
    async check(world) {
      const task = await world.add()
      await assertAllRefused(world, task, { ...proofOf(task), fencingToken: 0 }, 0)
    },
  },
  {
    id: 'leases.last-instant',
    name: 'a lease holds until, and not at, its expiry',
    async check({ storage, addClaimed, expire, at }) {
      const task = await addClaimed()
      assert.deepEqual(await expire(at(LEASE_MS - 1)), { expired: 0, nextExpiryInMs: 1 })
      await storage.tasks.renewLease(proofOf(task), LEASE_MS, at(LEASE_MS - 1))
      assert.equal((await expire(at(LEASE_MS))).expired, 0)
    },
  },
  {
    id: 'leases.expire',
    name: 'an expired lease returns the task to TODO after a backoff, without task.failed',
    async check({ storage, addClaimed, expire, claim, get, eventTypes, workspaceId, at }) {
      const task = await addClaimed()
      assert.deepEqual(await expire(at(LEASE_MS)), { expired: 1, nextExpiryInMs: null })
      const back = await get(task)
      assert.deepEqual([back.column, back.lease, back.hold], ['TODO', null, null])
      assert.equal(back.notBefore, START + LEASE_MS + defaultBackoff.baseMs)
      assert.equal(await claim(at(LEASE_MS)), null)
      assert.deepEqual(await eventTypes(), ['task.created', 'task.started', 'task.moved'])
      const { attempts } = await storage.tasks.getBackground(workspaceId, task.id, at())
      assert.equal(attempts[0]?.outcome, 'expired')
      assert.equal((await claim(at(LEASE_MS + defaultBackoff.baseMs)))?.attempts, 2)
    },
  },
  {
    id: 'leases.expire-limit',
    name: 'a sweep ends at most its limit, the earliest first, and names the next expiry',
    async check({ addClaimed, expire, get, at }) {
      const tasks = [await addClaimed({}, at(0)), await addClaimed({}, at(1)), await addClaimed({}, at(5))]
      assert.deepEqual(await expire(at(HOUR), 1), { expired: 1, nextExpiryInMs: 0 })
      assert.equal((await get(tasks[0] as Task)).column, 'TODO')
      assert.deepEqual(await expire(at(LEASE_MS + 1), 10), { expired: 1, nextExpiryInMs: 4 })
    },
  },
  {
    id: 'leases.expire-no-lease',
    name: 'a person’s DOING has no lease and does not expire',
    async check({ storage, add, expire, get, at }) {
      const task = await add()
      await storage.tasks.moveTask(task.workspaceId, task.id, 'DOING', { kind: 'user', id: 'u' }, at())
      assert.deepEqual(await expire(at(HOUR)), { expired: 0, nextExpiryInMs: null })
      assert.equal((await get(task)).column, 'DOING')
    },
  },
  {
    id: 'leases.attempts-run-out',
    name: 'attempts that run out by expiry hold the task as failed, with one task.failed',
    async check({ add, claim, expire, get, eventTypes, at }) {
      const task = await add({ maxAttempts: 2 })
      for (let attempt = 0; attempt < 2; attempt++) {
        assert.ok(await claim(at(attempt * HOUR)))
        await expire(at(attempt * HOUR + LEASE_MS))
      }
      const held = await get(task)
      assert.deepEqual([held.column, held.hold?.reason, held.attempts], ['TODO', 'failed', 2])
      assert.equal(await claim(at(10 * HOUR)), null)
      await expire(at(10 * HOUR))
      assert.equal((await eventTypes()).filter((type) => type === 'task.failed').length, 1)
    },
  },
  {
    id: 'leases.fail-retry',
    name: 'a failure with a backoff waits and is tried again, without task.failed',
    async check({ storage, addClaimed, claim, eventTypes, at }) {
      const task = await addClaimed()
      const failed = await storage.tasks.failTask(proofOf(task), 'not yet', defaultBackoff, at(SECOND))
      assert.equal(failed.notBefore, START + SECOND + defaultBackoff.baseMs)
      assert.ok(!(await eventTypes()).includes('task.failed'))
      const again = await claim(at(MINUTE))
      assert.ok(again !== null)
      const { attempts } = await storage.tasks.getBackground(task.workspaceId, task.id, at())
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
        await storage.tasks.failTask(proofOf(task), 'no', defaultBackoff, at(attempt * HOUR))
      }
      const failures = (await events()).filter((event) => event.type === 'task.failed')
      assert.deepEqual(
        failures.map(({ facts }) => [facts.reason, facts.message, facts.attempts]),
        [['failed', 'no', 3]],
      )
    },
  },
  {
    id: 'leases.fail-final',
    name: 'a failure without a backoff holds at once',
    async check({ storage, addClaimed, at }) {
      const task = await addClaimed()
      const held = await storage.tasks.failTask(proofOf(task), 'cannot', null, at(5))
      assert.deepEqual(held.hold, { reason: 'failed', message: 'cannot', since: START + 5 })
    },
  },
  {
    id: 'leases.hold',
    name: 'an agent’s hold ends its attempt as held, with one task.failed',
    async check({ storage, addClaimed, events, at }) {
      const task = await addClaimed()
      const held = await storage.tasks.holdClaimedTask(proofOf(task), 'needs_input', 'which?', at())
      assert.deepEqual([held.column, held.hold?.reason, held.lease], ['TODO', 'needs_input', null])
      const last = (await events()).at(-1)
      assert.ok(last?.type === 'task.failed')
      assert.equal(last.facts.reason, 'needs_input')
      const { attempts } = await storage.tasks.getBackground(task.workspaceId, task.id, at())
      assert.equal(attempts[0]?.outcome, 'held')
    },
  },
  {
    id: 'leases.hand-back',
    name: 'a task that is handed back is ready at once and its attempt is not counted',
    async check({ storage, addClaimed, claim, at }) {
      const task = await addClaimed()
      const back = await storage.tasks.handBackTask(proofOf(task), 'shutting down', at())
      assert.deepEqual([back.column, back.attempts, back.notBefore], ['TODO', 0, null])
      const again = await claim()
      assert.deepEqual([again?.attempts, again?.fencingToken], [1, 2])
      const { attempts } = await storage.tasks.getBackground(task.workspaceId, task.id, at())
      assert.deepEqual([attempts[0]?.outcome, attempts[0]?.reason], ['handed_back', 'shutting down'])
    },
  },
  {
    id: 'leases.complete',
    name: 'a completion keeps the result and tells of it with start, end and result',
    async check({ storage, addClaimed, events, at }) {
      const task = await addClaimed()
      const { task: done } = await storage.tasks.completeTask(proofOf(task), 'ok', null, at(SECOND))
      assert.deepEqual([done.column, done.result, done.progress, done.lease], ['DONE', 'ok', 100, null])
      const last = (await events()).at(-1)
      assert.ok(last?.type === 'task.completed')
      const { startedAt, completedAt, result } = last.facts
      assert.deepEqual([startedAt, completedAt, result], [START, START + SECOND, 'ok'])
      await assertRefused(storage.tasks.completeTask(proofOf(task), 'again', null, at(SECOND)), 'CONFLICT')
    },
  },
  {
    id: 'leases.progress',
    name: 'progress renews the lease, and is told of only when it differs',
    async check({ storage, addClaimed, eventTypes, at }) {
      const task = await addClaimed()
      const half = await storage.tasks.recordProgress(proofOf(task), 50, LEASE_MS, at(SECOND))
      assert.deepEqual([half.progress, half.lease?.expiresAt], [50, START + SECOND + LEASE_MS])
      await storage.tasks.recordProgress(proofOf(task), 50, LEASE_MS, at(2 * SECOND))
      assert.equal((await eventTypes()).filter((type) => type === 'task.progress').length, 1)
    },
  },
  {
    id: 'leases.logs',
    name: 'log lines keep their order, their time and the newest of them, and renew the lease',
    async check({ storage, addClaimed, get, workspaceId, at }) {
      const task = await addClaimed()
      for (let line = 0; line < LOG_LIMIT + 2; line++) {
        await storage.tasks.appendLog(
          proofOf(task),
          { level: 'warn', message: `${line}` },
          LEASE_MS,
          at(line),
        )
      }
      const lines = await storage.tasks.listLogs(workspaceId, task.id, at())
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
        await storage.tasks.appendOutput(proofOf(task), output, LEASE_MS, at(SECOND))
      }
      const [first] = outputs
      assert.ok(first)
      await assertRefused(storage.tasks.appendOutput(proofOf(task), first, LEASE_MS, at(SECOND)), 'CONFLICT')
      assert.deepEqual(await storage.tasks.listOutputs(workspaceId, task.id, at()), outputs)
    },
  },
  {
    id: 'leases.outputs-at-once',
    name: 'outputs that come at once are kept up to the limit too',
    async check({ storage, addClaimed, workspaceId, at }) {
      const task = await addClaimed()
      const output = { type: 'file', name: 'n', url: 'https://example.com/', size: null }
      const append = () => storage.tasks.appendOutput(proofOf(task), output, LEASE_MS, at(SECOND))
      const ends = await Promise.allSettled(Array.from({ length: OUTPUT_LIMIT + 4 }, append))
      assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, OUTPUT_LIMIT)
      assert.equal((await storage.tasks.listOutputs(workspaceId, task.id, at())).length, OUTPUT_LIMIT)
    },
  },
]
