import assert from 'node:assert/strict'
import type { Task } from '@taskboard/core'
import { defaultBackoff, type ClaimProof } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  HOUR,
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
  changeClaimed,
  readTask,
  changeTask,
} from '../storage-fixture.js'

/** Every write that needs a live lease. */
function writesOf({ storage: { tasks }, at }: StorageFixture, proof: ClaimProof, afterMs: number) {
  const when = at(afterMs)
  return [
    () => changeClaimed(tasks, proof, { kind: 'renew', leaseMs: LEASE_MS }, when),
    () => changeClaimed(tasks, proof, { kind: 'progress', progress: 50, leaseMs: LEASE_MS }, when),
    () => tasks.appendToTask({ proof, log: { level: 'info', message: 'm' }, leaseMs: LEASE_MS }, when),
    () =>
      tasks.appendToTask(
        { proof, output: { type: 't', name: 'n', url: 'u', size: null }, leaseMs: LEASE_MS },
        when,
      ),
    () => tasks.completeTask({ proof, result: 'late', next: null }, when),
    () => changeClaimed(tasks, proof, { kind: 'fail', reason: 'late', backoff: defaultBackoff }, when),
    () => changeClaimed(tasks, proof, { kind: 'hold_claimed', reason: 'approval', message: null }, when),
    () => changeClaimed(tasks, proof, { kind: 'return_claim', reason: 'late' }, when),
  ]
}

async function traceOf({ storage: { tasks }, events, at, workspaceId }: StorageFixture, { id }: Task) {
  return {
    task: (await readTask(tasks, { workspaceId, id }, ['task'], at())).task,
    background: await readTask(tasks, { workspaceId, id }, ['attempts', 'dependencies'], at()),
    logs: (await readTask(tasks, { workspaceId, id }, ['logs'], at())).logs,
    outputs: (await readTask(tasks, { workspaceId, id }, ['outputs'], at())).outputs,
    events: await events(),
  }
}

async function assertAllRefused(
  fixture: StorageFixture,
  task: Task,
  proof: ClaimProof,
  afterMs: number,
): Promise<void> {
  const before = await traceOf(fixture, task)
  for (const write of writesOf(fixture, proof, afterMs)) await assertRefused(write(), 'CONFLICT')
  assert.deepEqual(await traceOf(fixture, task), before)
}

/** The protection of a lease, its length, and its expiry. */
export const leaseCases: readonly StorageCheck[] = [
  {
    id: 'leases.renew',
    name: 'a renewal counts from its own instant',
    async check({ storage, addClaimed, get, at }) {
      const task = await addClaimed()
      const renewed = await changeClaimed(
        storage.tasks,
        proofOf(task),
        { kind: 'renew', leaseMs: 5 * MINUTE },
        at(30 * SECOND),
      )
      assert.equal(renewed.lease?.expiresAt, START + 30 * SECOND + 5 * MINUTE)
      assert.deepEqual(await get(task), renewed)
    },
  },
  {
    id: 'leases.length',
    name: 'a renewal that names no length uses the one that the claim asked for, whatever others named',
    async check(fixture) {
      const { storage, workspaceId, agent, add, get, at } = fixture
      const { tasks } = storage
      const expiryOf = async (task: Task) => ((await get(task)).lease?.expiresAt ?? 0) - START
      const checkLength = async (task: Task, durationMs: number): Promise<void> => {
        assert.deepEqual([task.lease?.durationMs, await expiryOf(task)], [durationMs, durationMs])
        const proof = proofOf(task)
        const renewals: readonly ((when: ReturnType<StorageFixture['at']>) => Promise<unknown>)[] = [
          (when) => changeClaimed(tasks, proof, { kind: 'renew', leaseMs: null }, when),
          (when) => changeClaimed(tasks, proof, { kind: 'progress', progress: 50, leaseMs: null }, when),
          (when) => changeClaimed(tasks, proof, { kind: 'progress', progress: 50, leaseMs: null }, when),
          (when) => tasks.appendToTask({ proof, log: { level: 'info', message: 'm' }, leaseMs: null }, when),
          (when) =>
            tasks.appendToTask(
              { proof, output: { type: 't', name: 'n', url: 'u', size: null }, leaseMs: null },
              when,
            ),
        ]
        for (const [index, renew] of renewals.entries()) {
          const afterMs = (index + 1) * SECOND
          await changeClaimed(tasks, proof, { kind: 'renew', leaseMs: LEASE_MS }, at(afterMs))
          assert.equal(await expiryOf(task), afterMs + LEASE_MS)
          await renew(at(afterMs))
          assert.equal(await expiryOf(task), afterMs + durationMs)
        }
      }
      for (let count = 0; count < 4; count++) await add()
      const forAgent = { workspaceId, agentId: agent.id, leaseMs: HOUR }
      const byType = { agentType: AGENT_TYPE, leaseMs: 2 * HOUR }
      const [first] = (await tasks.claimTasks({ target: forAgent, limit: 1 }, at())).tasks
      assert.ok(first)
      await checkLength(first, HOUR)
      const [second] = (await tasks.claimTasks({ target: byType, limit: 1 }, at())).tasks
      assert.ok(second)
      await checkLength(second, 2 * HOUR)
      const { next: third } = await tasks.completeTask(
        { proof: proofOf(first), result: '', next: byType },
        at(),
      )
      assert.equal(third?.tasks[0]?.lease?.durationMs, 2 * HOUR)
      const { next: fourth } = await tasks.completeTask(
        { proof: proofOf(second), result: '', next: forAgent },
        at(),
      )
      assert.equal(fourth?.tasks[0]?.lease?.durationMs, HOUR)
      await changeTask(
        tasks,
        { workspaceId, id: third.tasks[0].id },
        { kind: 'move', to: 'TODO', actor: PERSON },
        at(),
      )
      const [again] = (await tasks.claimTasks({ target: { ...forAgent, leaseMs: MINUTE }, limit: 1 }, at()))
        .tasks
      assert.equal(again?.lease?.durationMs, MINUTE, 'a claim sets it again')
    },
  },
  {
    id: 'leases.check',
    name: 'claims are checked in their order, and hold while their leases do',
    async check(fixture) {
      const { storage, workspaceId, add, addClaimed, at } = fixture
      const { tasks } = storage
      const claimed = [await addClaimed({}, at(0)), await addClaimed({}, at(1)), await addClaimed({}, at(1))]
      const proofs = [
        ...claimed.map(proofOf),
        { ...proofOf(claimed[0] as Task), fencingToken: 2 },
        { workspaceId, taskId: (await add()).id, fencingToken: 1 },
        { workspaceId, taskId: unknownId('task'), fencingToken: 1 },
      ]
      const nothing = [false, false, false]
      assert.deepEqual(await tasks.checkClaims({ proofs: [] }, at()), [])
      assert.deepEqual(await tasks.checkClaims({ proofs }, at(LEASE_MS - 1)), [true, true, true, ...nothing])
      assert.deepEqual(await tasks.checkClaims({ proofs }, at(LEASE_MS)), [false, true, true, ...nothing])
      await tasks.deleteTask({ workspaceId, taskId: claimed[1]?.id ?? '', actor: PERSON }, at())
      await changeTask(
        tasks,
        { workspaceId, id: claimed[2]?.id ?? '' },
        { kind: 'move', to: 'TODO', actor: PERSON },
        at(),
      )
      assert.deepEqual(await tasks.checkClaims({ proofs }, at(1)), [true, false, false, ...nothing])
    },
  },
  {
    id: 'leases.wrong-token',
    name: 'a write with another fencing token is CONFLICT and changes nothing',
    async check(fixture) {
      const task = await fixture.addClaimed()
      await assertAllRefused(fixture, task, { ...proofOf(task), fencingToken: 2 }, SECOND)
    },
  },
  {
    id: 'leases.expired-write',
    name: 'a write under an expired lease is CONFLICT and changes nothing, also before the sweep',
    async check(fixture) {
      const task = await fixture.addClaimed()
      await assertAllRefused(fixture, task, proofOf(task), LEASE_MS)
    },
  },
  {
    id: 'leases.superseded',
    name: 'a paused agent that wakes after its successor took over changes nothing',
    async check(fixture) {
      const task = await fixture.addClaimed()
      await fixture.expire(fixture.at(LEASE_MS))
      const again = await fixture.claim(fixture.at(HOUR))
      assert.deepEqual([again?.id, again?.lease?.fencingToken], [task.id, 2])
      await assertAllRefused(fixture, task, proofOf(task), HOUR)
    },
  },
  {
    id: 'leases.never-claimed',
    name: 'a write on an unclaimed task is CONFLICT',
    async check(fixture) {
      const task = await fixture.add()
      await assertAllRefused(fixture, task, { ...proofOf(task), fencingToken: 0 }, 0)
    },
  },
  {
    id: 'leases.last-instant',
    name: 'a lease holds until, and not at, its expiry',
    async check({ storage, addClaimed, expire, at }) {
      const task = await addClaimed()
      assert.deepEqual(await expire(at(LEASE_MS - 1)), { expired: 0, nextExpiryInMs: 1 })
      await changeClaimed(
        storage.tasks,
        proofOf(task),
        { kind: 'renew', leaseMs: LEASE_MS },
        at(LEASE_MS - 1),
      )
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
      const { attempts } = await readTask(storage.tasks, { workspaceId, id: task.id }, ['attempts'], at())
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
      await changeTask(
        storage.tasks,
        task,
        { kind: 'move', to: 'DOING', actor: { kind: 'user', id: 'u' } },
        at(),
      )
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
]
