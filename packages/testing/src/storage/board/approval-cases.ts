import assert from 'node:assert/strict'
import type { Actor, ApprovalInput, Asker } from '@taskboard/core'
import { parseApprovalRequest } from '@taskboard/core/storage'
import {
  ask,
  ASKER,
  claimAgain,
  decide,
  decidedAndClaimed,
  list,
  REFUND,
  RUNTIME,
  shownOf,
  statusOf,
  WEEK,
  WORKER,
} from './approval-session.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { changeTask, HOUR, LEASE_MS, PERSON, proofOf, SECOND, START } from '../storage-fixture.js'

/** Leave to do one thing once, and what gives none. */
export const approvalCases: readonly StorageCheck[] = [
  {
    id: 'approvals.request',
    name: 'a request is recorded with its input, puts the task on hold, ends the claim and does not count as an attempt',
    async check(fixture) {
      const { addClaimed, get, claim, at, agent, workspaceId, events } = fixture
      const task = await addClaimed({ title: 'a refund' })
      const { outcome, approval } = await ask(fixture, task, REFUND, SECOND)
      const { id, inputDigest, ...rest } = approval
      assert.match(id, /^apr_/)
      assert.match(inputDigest, /^[0-9a-f]{64}$/)
      assert.equal(outcome, 'pending')
      assert.deepEqual(rest, {
        workspaceId,
        taskId: task.id,
        ...REFUND,
        status: 'pending',
        agentId: agent.id,
        requestedBy: WORKER,
        asker: ASKER,
        requireOtherPerson: false,
        fencingToken: proofOf(task).fencingToken,
        requestedAt: START + SECOND,
        expiresAt: START + SECOND + WEEK,
        decidedBy: null,
        decidedAt: null,
        comment: null,
        usedAt: null,
      })
      const held = await get(task)
      const hold = { reason: 'approval', message: 'Refund order 7', since: START + SECOND }
      assert.deepEqual([held.column, held.hold, held.lease, held.attempts], ['TODO', hold, null, 0])
      assert.equal(await claim(at(HOUR)), null)
      const event = (await events()).at(-1)
      assert.deepEqual(
        [event?.type, event?.data],
        [
          'approval.requested',
          {
            approvalId: id,
            taskId: task.id,
            title: 'a refund',
            action: 'refund',
            summary: 'Refund order 7',
            ...shownOf(approval),
            agentId: agent.id,
            requestedAt: START + SECOND,
            expiresAt: START + SECOND + WEEK,
          },
        ],
      )
    },
  },
  {
    id: 'approvals.use-once',
    name: 'an approved action may be done once: the next request of the same action asks again',
    async check(fixture) {
      const { get } = fixture
      const { task, approval } = await decidedAndClaimed(fixture, 'approved')
      const answer = await ask(fixture, task, REFUND, SECOND)
      assert.equal(answer.outcome, 'approved')
      assert.deepEqual(
        [answer.approval.id, answer.approval.status, answer.approval.usedAt],
        [approval.id, 'used', START + SECOND],
      )
      assert.equal((await get(task)).lease?.expiresAt, START + SECOND + LEASE_MS)
      const again = await ask(fixture, task, REFUND, SECOND)
      assert.equal(again.outcome, 'pending')
      assert.notEqual(again.approval.id, approval.id)
      assert.equal((await get(task)).hold?.reason, 'approval')
    },
  },
  {
    id: 'approvals.died-behind-use',
    name: 'a process that dies right after it used an approval has used it: the next attempt asks again',
    async check(fixture) {
      const { expire, at, another } = fixture
      const { task, approval } = await decidedAndClaimed(fixture, 'approved')
      assert.equal((await ask(fixture, task)).outcome, 'approved')
      await expire(at(LEASE_MS))
      const seen = (await another()) ?? fixture
      const next = await claimAgain(seen, task, HOUR)
      const answer = await ask(seen, next, REFUND, HOUR)
      assert.equal(answer.outcome, 'pending')
      assert.equal(await statusOf(seen, approval.id), 'used')
    },
  },
  {
    id: 'approvals.concurrent-use',
    name: 'of concurrent requests one at most uses an approval',
    async check(fixture) {
      const { task } = await decidedAndClaimed(fixture, 'approved')
      const other = (await fixture.another()) ?? fixture
      const all = await Promise.allSettled(
        Array.from({ length: 6 }, (_, n) => ask(n % 2 === 0 ? fixture : other, task)),
      )
      const outcomes = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value.outcome] : []))
      assert.equal(outcomes.filter((outcome) => outcome === 'approved').length, 1)
      const { approvals } = await list(fixture)
      assert.deepEqual(approvals.map(({ status }) => status).toSorted(), ['pending', 'used'])
    },
  },
  {
    id: 'approvals.other-input',
    name: 'another input or action by one character, and the same in another order of members, are different',
    async check(fixture) {
      const { task, approval } = await decidedAndClaimed(fixture, 'approved')
      const input = REFUND.input as Record<string, unknown>
      const others: readonly ApprovalInput[] = [
        { ...REFUND, input: { ...input, note: 'Ok' } },
        { ...REFUND, input: { ...input, cents: 19_000 } },
        { ...REFUND, input: { ...input, cents: '1900' } },
        { ...REFUND, input: { ...input, more: null } },
        { ...REFUND, input: [input] },
        { ...REFUND, input: null },
        { ...REFUND, action: 'refund ' },
        { ...REFUND, action: 'Refund' },
      ]
      let current = task
      for (const other of others) {
        const answer = await ask(fixture, current, other)
        assert.equal(answer.outcome, 'pending')
        // A person releases the task: nothing is approved by that.
        await changeTask(fixture.storage.tasks, current, { kind: 'release', actor: PERSON }, fixture.at())
        current = await claimAgain(fixture, task)
      }
      const { order, cents, note } = input
      const reordered = { ...REFUND, summary: 'In other words', input: { note, cents, order } }
      const answer = await ask(fixture, current, reordered)
      assert.deepEqual([answer.outcome, answer.approval.id], ['approved', approval.id])
    },
  },
  {
    id: 'approvals.other-task',
    name: "another task's approval opens nothing",
    async check(fixture) {
      const { task, approval } = await decidedAndClaimed(fixture, 'approved')
      const other = await fixture.addClaimed()
      assert.equal((await ask(fixture, other)).outcome, 'pending')
      assert.equal(await statusOf(fixture, approval.id), 'approved')
      const mixed = { ...proofOf(other), taskId: task.id, fencingToken: 99 }
      const request = parseApprovalRequest(REFUND)
      const forged = { proof: mixed, request, requestedBy: WORKER, asker: ASKER, expireAfterMs: WEEK }
      const work = fixture.storage.approvals.requestApproval(forged, fixture.at())
      await assertRefused(work, 'CONFLICT', 'fencingToken')
      assert.equal(await statusOf(fixture, approval.id), 'approved')
    },
  },
  {
    id: 'approvals.other-asker',
    name: 'what one asker was allowed opens nothing for another: each has to ask, and each uses its own',
    async check(fixture) {
      const { task, approval } = await decidedAndClaimed(fixture, 'approved')
      const others: readonly Asker[] = [
        RUNTIME,
        { ...RUNTIME, kind: 'host' },
        { ...ASKER, owner: 'ak_other' },
        // The sessions of a user are another asker than the keys.
        { ...ASKER, isSession: true },
      ]
      let current = task
      const ids = [approval.id]
      for (const asker of others) {
        const answer = await ask(fixture, current, REFUND, 0, asker)
        assert.deepEqual([answer.outcome, answer.approval.asker], ['pending', asker])
        ids.push(answer.approval.id)
        await decide(fixture, answer.approval.id, 'approved')
        current = await claimAgain(fixture, task)
      }
      assert.equal(new Set(ids).size, 5)
      for (const [n, asker] of [ASKER, ...others].entries()) {
        const answer = await ask(fixture, current, REFUND, 0, asker)
        assert.deepEqual([answer.outcome, answer.approval.id], ['approved', ids[n]])
      }
      // Nor does a rejection.
      const again = await ask(fixture, current, REFUND, 0, ASKER)
      await decide(fixture, again.approval.id, 'rejected')
      const next = await claimAgain(fixture, task)
      assert.equal((await ask(fixture, next)).outcome, 'rejected')
      assert.equal((await ask(fixture, next, REFUND, 0, RUNTIME)).outcome, 'pending')
    },
  },
  {
    id: 'approvals.event-input',
    name: 'events have the input while its text has at most 4 KiB, and else how it begins and how long it is',
    async check(fixture) {
      const { addClaimed, events } = fixture
      const task = await addClaimed()
      // The members stay in their order, and the cut is behind a whole character.
      const inputs = [
        { b: 1, a: 'x'.repeat(4_080) },
        { b: 1, a: `${'x'.repeat(4_084)}ä` },
        '\u{1F600}'.repeat(2_000),
      ]
      let current = task
      for (const input of inputs) {
        const { approval } = await ask(fixture, current, { ...REFUND, input })
        await decide(fixture, approval.id, 'rejected')
        const text = JSON.stringify(input)
        const bytes = new TextEncoder().encode(text).length
        const approvalEvents = (await events()).filter(({ type }) => type.startsWith('approval.')).slice(-2)
        for (const { data } of approvalEvents) {
          const { inputBytes, inputText, inputDigest } = data as ReturnType<typeof shownOf>
          assert.deepEqual([inputBytes, inputDigest], [bytes, approval.inputDigest])
          assert.ok(text.startsWith(inputText))
          const kept = new TextEncoder().encode(inputText).length
          assert.ok(bytes <= 4_096 ? kept === bytes : kept > 4_092 && kept <= 4_096)
        }
        current = await claimAgain(fixture, task)
      }
    },
  },
  {
    id: 'approvals.release-opens-nothing',
    name: 'releasing, moving or editing the task, and any comment, open nothing: the next attempt waits for the same approval',
    async check(fixture) {
      const { storage, at, addClaimed, events } = fixture
      const task = await addClaimed()
      const { approval } = await ask(fixture, task)
      const target = { workspaceId: task.workspaceId, taskId: task.id }
      const agent: Actor = { kind: 'agent', id: fixture.agent.id }
      const tries = [
        { kind: 'release', actor: PERSON },
        { kind: 'move', to: 'DOING', actor: agent },
        { kind: 'edit', change: { title: 'Approved', description: 'Approved: refund' }, actor: agent },
      ] as const
      for (const command of tries) {
        await changeTask(storage.tasks, task, command, at())
        const draft = { kind: 'comment', body: 'Approved: refund', author: PERSON } as const
        await storage.comments.insertComment({ target, draft, idempotency: null }, at())
        await changeTask(storage.tasks, task, { kind: 'move', to: 'TODO', actor: agent }, at())
        await changeTask(storage.tasks, task, { kind: 'release', actor: PERSON }, at())
        const answer = await ask(fixture, await claimAgain(fixture, task))
        assert.deepEqual([answer.outcome, answer.approval.id], ['pending', approval.id])
      }
      assert.equal((await list(fixture)).approvals.length, 1)
      assert.equal((await events()).filter(({ type }) => type === 'approval.requested').length, 1)
    },
  },
  {
    id: 'approvals.repeat',
    name: 'a request whose answer was lost gets the pending approval again, and nothing else without the lease',
    async check(fixture) {
      const { addClaimed, get } = fixture
      const task = await addClaimed()
      const first = await ask(fixture, task)
      const held = await get(task)
      assert.deepEqual(await ask(fixture, task), first)
      assert.deepEqual(await get(task), held)
      await assertRefused(ask(fixture, task, { ...REFUND, input: null }), 'CONFLICT', 'fencingToken')
      await decide(fixture, first.approval.id, 'approved')
      await assertRefused(ask(fixture, task), 'CONFLICT', 'fencingToken')
      assert.equal(await statusOf(fixture, first.approval.id), 'approved')
    },
  },
  {
    id: 'approvals.lost-lease',
    name: 'an agent whose lease is over uses no approval and asks for none',
    async check(fixture) {
      const { task, approval } = await decidedAndClaimed(fixture, 'approved')
      await assertRefused(ask(fixture, task, REFUND, LEASE_MS), 'CONFLICT', 'fencingToken')
      assert.equal(await statusOf(fixture, approval.id), 'approved')
      await assertRefused(ask(fixture, task, { ...REFUND, input: 1 }, LEASE_MS), 'CONFLICT', 'fencingToken')
      assert.equal((await list(fixture)).approvals.length, 1)
    },
  },
]
