import assert from 'node:assert/strict'
import type { Actor, Task } from '@taskboard/core'
import { type ApprovalQuery, parseApprovalRequest } from '@taskboard/core/storage'
import {
  ask,
  ASKER,
  claimAgain,
  decide,
  decidedAndClaimed,
  everything,
  list,
  REFUND,
  shownOf,
  statusOf,
  WEEK,
  WORKER,
} from './approval-session.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { changeTask, PERSON, proofOf, SECOND, START, unknownId } from '../storage-fixture.js'

/** Who decides approvals, until when, and where they are found. */
export const approvalDecisionCases: readonly StorageCheck[] = [
  {
    id: 'approvals.decide',
    name: 'a decision releases the task, with an event and a comment that the next attempt finds',
    async check(fixture) {
      const { addClaimed, get, storage, at, events, workspaceId } = fixture
      const task = await addClaimed({ title: 'a refund' })
      const { approval } = await ask(fixture, task)
      const done = await decide(fixture, approval.id, 'approved', { afterMs: SECOND, comment: 'Go.' })
      assert.deepEqual(done, {
        ...approval,
        status: 'approved',
        decidedBy: { ...PERSON, name: null },
        decidedAt: START + SECOND,
        comment: 'Go.',
      })
      const free = await get(task)
      assert.deepEqual([free.hold, free.column, free.attempts], [null, 'TODO', 0])
      const [decided, commented] = (await events()).slice(-2)
      assert.deepEqual(
        [decided?.type, decided?.data],
        [
          'approval.decided',
          {
            approvalId: approval.id,
            taskId: task.id,
            title: 'a refund',
            action: 'refund',
            summary: 'Refund order 7',
            ...shownOf(approval),
            decision: 'approved',
            comment: 'Go.',
            decidedBy: { ...PERSON, name: null },
            decidedAt: START + SECOND,
          },
        ],
      )
      assert.equal(commented?.type, 'task.commented')
      const query = { within: workspaceId, taskId: task.id, parts: ['comments', 'answer'] } as const
      const { comments, answer } = await storage.tasks.getTask(query, at())
      assert.deepEqual(
        comments.map(({ kind, body, author }) => [kind, body, author.id]),
        [['decision', 'Approved: refund\n\nGo.', PERSON.id]],
      )
      assert.equal(answer, null)
    },
  },
  {
    id: 'approvals.reject',
    name: 'a rejected action stays rejected, with what the person said, and the attempt goes on',
    async check(fixture) {
      const { task, approval } = await decidedAndClaimed(fixture, 'rejected', 'Too much.')
      for (const afterMs of [0, SECOND]) {
        const answer = await ask(fixture, task, REFUND, afterMs)
        assert.deepEqual(
          [answer.outcome, answer.approval.id, answer.approval.status, answer.approval.comment],
          ['rejected', approval.id, 'rejected', 'Too much.'],
        )
      }
      assert.equal((await fixture.get(task)).column, 'DOING')
    },
  },
  {
    id: 'approvals.decide-once',
    name: 'of concurrent decisions one is made, and a second one changes nothing',
    async check(fixture) {
      const { addClaimed, events } = fixture
      const { approval } = await ask(fixture, await addClaimed())
      const other = (await fixture.another()) ?? fixture
      const all = await Promise.allSettled([
        decide(fixture, approval.id, 'approved'),
        decide(other, approval.id, 'rejected'),
        decide(fixture, approval.id, 'rejected'),
        decide(other, approval.id, 'approved'),
      ])
      const made = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value.status] : []))
      assert.equal(made.length, 1)
      for (const decision of ['approved', 'rejected'] as const) {
        await assertRefused(decide(fixture, approval.id, decision), 'CONFLICT')
      }
      assert.equal(await statusOf(fixture, approval.id), made[0])
      assert.equal((await events()).filter(({ type }) => type === 'approval.decided').length, 1)
    },
  },
  {
    id: 'approvals.deciders',
    name: 'no agent decides, nor the credential that asked, nor anybody in another workspace',
    async check(fixture) {
      const { addClaimed, addWorkspace, agent, storage, at } = fixture
      const { approval } = await ask(fixture, await addClaimed())
      const refused: readonly Actor[] = [{ kind: 'agent', id: agent.id }, { kind: 'agent', id: null }, WORKER]
      for (const decidedBy of refused) {
        await assertRefused(decide(fixture, approval.id, 'approved', { decidedBy }), 'FORBIDDEN')
      }
      const { workspaceId } = await addWorkspace()
      const verdict = { decision: 'approved', comment: null, digest: null } as const
      for (const given of [
        { workspaceId, approvalId: approval.id },
        { workspaceId: fixture.workspaceId, approvalId: unknownId('apr') },
      ]) {
        const decision = { ...given, verdict, decidedBy: PERSON }
        await assertRefused(storage.approvals.decideApproval(decision, at()), 'NOT_FOUND')
      }
      assert.equal(await statusOf(fixture, approval.id), 'pending')
    },
  },
  {
    id: 'approvals.seen',
    name: 'a decision that names another digest than the input has changes nothing',
    async check(fixture) {
      const { approval } = await ask(fixture, await fixture.addClaimed())
      const other = parseApprovalRequest({ ...REFUND, input: null }).inputDigest
      await assertRefused(decide(fixture, approval.id, 'approved', { digest: other }), 'CONFLICT', 'digest')
      assert.equal(await statusOf(fixture, approval.id), 'pending')
      const { status } = await decide(fixture, approval.id, 'approved', { digest: approval.inputDigest })
      assert.equal(status, 'approved')
    },
  },
  {
    id: 'approvals.expiry',
    name: 'a pending approval expires: nobody can decide it, and the next attempt asks again',
    async check(fixture) {
      const { addClaimed, get, storage, at } = fixture
      const task = await addClaimed()
      const { approval } = await ask(fixture, task)
      assert.equal(await statusOf(fixture, approval.id, WEEK - 1), 'pending')
      assert.equal(await statusOf(fixture, approval.id, WEEK), 'expired')
      await assertRefused(decide(fixture, approval.id, 'approved', { afterMs: WEEK }), 'CONFLICT')
      assert.equal((await get(task)).hold?.reason, 'approval')
      await changeTask(storage.tasks, task, { kind: 'release', actor: PERSON }, at(WEEK))
      const next = await ask(fixture, await claimAgain(fixture, task, WEEK), REFUND, WEEK)
      assert.equal(next.outcome, 'pending')
      assert.notEqual(next.approval.id, approval.id)
      assert.equal(await statusOf(fixture, approval.id, WEEK), 'expired')
      await decide(fixture, next.approval.id, 'approved', { afterMs: WEEK })
      // A decision outlasts the time in which it could be made.
      const later = await ask(fixture, await claimAgain(fixture, task, 3 * WEEK), REFUND, 3 * WEEK)
      assert.equal(later.outcome, 'approved')
    },
  },
  {
    id: 'approvals.list',
    name: 'approvals are listed newest first, by status and task, in pages, and within reach only',
    async check(fixture) {
      const { addClaimed, accountId, workspaceId, addWorkspace, at, storage } = fixture
      const tasks: Task[] = []
      const ids: string[] = []
      for (let n = 0; n < 5; n++) {
        const task = await addClaimed()
        tasks.push(task)
        ids.push((await ask(fixture, task, { ...REFUND, input: n })).approval.id)
      }
      const [first = '', second = ''] = ids
      await decide(fixture, first, 'approved')
      await decide(fixture, second, 'rejected')
      const idsOf = async (query: Partial<ApprovalQuery>, afterMs = 0) =>
        (await list(fixture, query, afterMs)).approvals.map(({ id }) => id)
      const newest = ids.toReversed()
      assert.deepEqual(await idsOf({}), newest)
      assert.deepEqual(await idsOf({ status: 'pending' }), newest.slice(0, 3))
      assert.deepEqual(await idsOf({ status: 'approved' }), [first])
      assert.deepEqual(await idsOf({ status: 'rejected' }), [second])
      assert.deepEqual(await idsOf({ status: 'used' }), [])
      assert.deepEqual(await idsOf({ status: 'expired' }), [])
      assert.deepEqual(await idsOf({ status: 'expired' }, WEEK), newest.slice(0, 3))
      assert.deepEqual(await idsOf({ status: 'pending' }, WEEK), [])
      assert.deepEqual(await idsOf({ taskId: tasks[1]?.id ?? '' }), [second])
      assert.deepEqual(await idsOf({ taskId: tasks[1]?.id ?? '', status: 'pending' }), [])
      const page = await list(fixture, { limit: 2 })
      assert.deepEqual(
        [page.approvals.map(({ id }) => id), page.nextAfterId],
        [newest.slice(0, 2), newest[1]],
      )
      assert.deepEqual(await idsOf({ limit: 3, afterId: page.nextAfterId }), newest.slice(2))
      assert.equal((await list(fixture, { limit: 3, afterId: page.nextAfterId })).nextAfterId, null)
      const { workspaceId: elsewhere } = await addWorkspace()
      for (const [workspaceIds, count] of [
        ['all', 5],
        [[workspaceId, elsewhere], 5],
        [[elsewhere], 0],
      ] as const) {
        const within = { accountId, workspaceIds }
        assert.equal((await idsOf({ within })).length, count)
        assert.equal((await idsOf({ within, approvalId: first })).length, Math.min(1, count))
        assert.equal((await idsOf({ within, taskId: tasks[0]?.id ?? '' })).length, Math.min(1, count))
      }
      const strangers = { accountId: unknownId('acct'), workspaceIds: 'all' } as const
      const theirs = await storage.approvals.listApprovals({ ...everything, within: strangers }, at())
      assert.deepEqual(theirs, { approvals: [], nextAfterId: null })
    },
  },
  {
    id: 'approvals.deleted',
    name: 'the approvals of a task are deleted with it',
    async check(fixture) {
      const { addClaimed, storage, at } = fixture
      const task = await addClaimed()
      const { approval } = await ask(fixture, task)
      await storage.tasks.deleteTask({ workspaceId: task.workspaceId, taskId: task.id, actor: PERSON }, at())
      assert.deepEqual((await list(fixture)).approvals, [])
      await assertRefused(decide(fixture, approval.id, 'approved'), 'NOT_FOUND')
    },
  },
  {
    id: 'approvals.transaction',
    name: "what a host's transaction rolls back was neither asked, decided nor used",
    async check(fixture) {
      const { storage, at, workspaceId, get } = fixture
      const { task, approval } = await decidedAndClaimed(fixture, 'approved')
      const work = storage.transaction(async (tx) => {
        const asked = { request: parseApprovalRequest(REFUND), requestedBy: WORKER, asker: ASKER }
        const given = { proof: proofOf(task), ...asked }
        const use = () => storage.approvals.requestApproval({ ...given, expireAfterMs: WEEK }, at(0, tx))
        assert.equal((await use()).outcome, 'approved')
        const { approval: next, outcome } = await use()
        assert.equal(outcome, 'pending')
        const verdict = { decision: 'rejected', comment: null, digest: null } as const
        const decision = { workspaceId, approvalId: next.id, verdict, decidedBy: PERSON }
        await storage.approvals.decideApproval(decision, at(0, tx))
        throw new Error('undo')
      })
      await assert.rejects(work, /undo/)
      assert.deepEqual(await get(task), task)
      assert.deepEqual(
        (await list(fixture)).approvals.map(({ id, status }) => [id, status]),
        [[approval.id, 'approved']],
      )
      assert.equal((await ask(fixture, task)).outcome, 'approved')
    },
  },
]
