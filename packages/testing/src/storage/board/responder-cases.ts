import assert from 'node:assert/strict'
import type { ActingAs, Approval, Asker, Task } from '@taskboard/core'
import { parseApprovalRequest, type CommentDraft } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { proofOf, type StorageFixture } from '../storage-fixture.js'
import { claimAgain, decide, list, REFUND, RUNTIME, statusOf, WEEK, WORKER } from './approval-session.js'

const KEY_OF_ADA: Asker = { kind: 'credential', owner: 'user_ada', isSession: false }
const SESSION_OF_ADA: Asker = { ...KEY_OF_ADA, isSession: true }
const KEY_OF_NOBODY: Asker = { kind: 'credential', owner: 'ak_1', isSession: false }

const ADA: ActingAs = { kind: 'user', id: 'user_ada' }
const BOB: ActingAs = { kind: 'user', id: 'user_bob' }
const responders: Readonly<Record<string, ActingAs>> = {
  'a key of Ada': { kind: 'api_key', id: 'ak_2', owner: 'user_ada' },
  Ada: ADA,
  'a key of Bob': { kind: 'api_key', id: 'ak_3', owner: 'user_bob' },
  Bob: BOB,
  'a key of nobody': { kind: 'api_key', id: 'ak_4' },
}
const everybody = Object.keys(responders)
const OTHERS = ['a key of Bob', 'Bob', 'a key of nobody']

/** Who asks, whether for another person, and who may respond. */
const table: readonly (readonly [asker: Asker, requireOtherPerson: boolean, may: readonly string[]])[] = [
  [RUNTIME, false, everybody],
  [RUNTIME, true, ['Ada', 'Bob']],
  [KEY_OF_ADA, false, ['Ada', ...OTHERS]],
  [KEY_OF_ADA, true, OTHERS],
  [SESSION_OF_ADA, false, OTHERS],
  [SESSION_OF_ADA, true, OTHERS],
  [KEY_OF_NOBODY, false, everybody],
  [KEY_OF_NOBODY, true, everybody],
]

/** An approval that `asker` requests for a claimed task. */
async function ask(
  { storage, at }: StorageFixture,
  task: Task,
  asker: Asker,
  requireOtherPerson: boolean,
  input: unknown = 0,
) {
  const request = parseApprovalRequest({ ...REFUND, input, requireOtherPerson })
  const given = { proof: proofOf(task), request, requestedBy: WORKER, asker, expireAfterMs: WEEK }
  return storage.approvals.requestApproval(given, at())
}

const say = ({ storage, at }: StorageFixture, { id, workspaceId }: Task, draft: CommentDraft, tx?: unknown) =>
  storage.comments.insertComment({ target: { workspaceId, taskId: id }, draft, idempotency: null }, at(0, tx))

const question = (task: Task, asker: Asker, requireOtherPerson: boolean): CommentDraft => {
  const { fencingToken } = proofOf(task)
  return { kind: 'question', body: 'Which?', fencingToken, asked: { asker, requireOtherPerson } }
}

const answerBy = (author: ActingAs): CommentDraft => ({ kind: 'answer', body: 'That one.', author })

const requireOther = (
  { storage, at, accountId }: StorageFixture,
  requireOtherPerson: boolean,
  tx?: unknown,
) => storage.access.update({ accountId, change: { requireOtherPerson } }, at(0, tx))

/** Who decides what someone asked for, and who answers. */
export const responderCases: readonly StorageCheck[] = [
  {
    id: 'responders.decide',
    name: 'a person decides what their keys asked for, and no key what a credential of its owner asked for',
    async check(fixture) {
      let task = await fixture.addClaimed()
      for (const [asker, requireOtherPerson, may] of table) {
        for (const [name, decidedBy] of Object.entries(responders)) {
          const input = [asker, requireOtherPerson, name]
          const { approval } = await ask(fixture, task, asker, requireOtherPerson, input)
          assert.deepEqual([approval.asker, approval.requireOtherPerson], [asker, requireOtherPerson])
          const decision = decide(fixture, approval.id, 'approved', { decidedBy })
          if (may.includes(name)) assert.equal((await decision).decidedBy?.id, decidedBy.id)
          else {
            await assertRefused(decision, 'FORBIDDEN')
            assert.equal(await statusOf(fixture, approval.id), 'pending')
            await decide(fixture, approval.id, 'approved', { decidedBy: BOB })
          }
          task = await claimAgain(fixture, task)
        }
      }
    },
  },
  {
    id: 'responders.answer',
    name: 'a person answers what their keys ask, and no key what a credential of its owner asks',
    async check(fixture) {
      let task = await fixture.addClaimed()
      for (const [asker, requireOtherPerson, may] of table) {
        for (const [name, author] of Object.entries(responders)) {
          await say(fixture, task, question(task, asker, requireOtherPerson))
          const answer = say(fixture, task, answerBy(author))
          if (may.includes(name)) assert.equal((await answer).value.author.id, author.id)
          else {
            await assertRefused(answer, 'FORBIDDEN')
            assert.equal((await fixture.get(task)).hold?.reason, 'needs_input')
            await say(fixture, task, answerBy(BOB))
          }
          task = await claimAgain(fixture, task)
        }
      }
    },
  },
  {
    id: 'responders.agents',
    name: 'an agent answers nothing, and anybody else what the host put on hold without a question',
    async check(fixture) {
      const task = await fixture.addClaimed()
      await say(fixture, task, question(task, RUNTIME, false))
      const agent = { kind: 'agent', id: fixture.agent.id } as const
      await assertRefused(say(fixture, task, answerBy(agent)), 'FORBIDDEN')
      await say(fixture, task, answerBy({ kind: 'host', id: null }))
      const { storage, at } = fixture
      const { id: taskId, workspaceId } = await fixture.add()
      const command = { kind: 'hold', reason: 'needs_input', message: 'Which?', actor: agent } as const
      const held = await storage.tasks.changeTask({ target: { workspaceId, taskId }, command }, at())
      await assertRefused(say(fixture, held, answerBy(agent)), 'FORBIDDEN')
      await say(fixture, held, answerBy({ kind: 'api_key', id: 'ak_2', owner: 'user_ada' }))
    },
  },
  {
    id: 'responders.account',
    name: 'the setting of the account holds for what its members asked before, and for no other account',
    async check(fixture) {
      const { storage, at, accountId } = fixture
      const account = async () => (await storage.access.listAccounts({ accountId }, at()))[0]
      assert.equal((await account())?.requireOtherPerson, false)
      const asking = await fixture.addClaimed()
      const { approval } = await ask(fixture, asking, KEY_OF_ADA, false)
      const other = await fixture.addClaimed()
      await say(fixture, other, question(other, KEY_OF_ADA, false))

      const strict = await requireOther(fixture, true)
      assert.deepEqual([strict.requireOtherPerson, strict.name], [true, 'account'])
      assert.deepEqual(await account(), strict)
      const byAda = () => decide(fixture, approval.id, 'approved', { decidedBy: ADA })
      await assertRefused(byAda(), 'FORBIDDEN')
      await assertRefused(say(fixture, other, answerBy(ADA)), 'FORBIDDEN')

      const input = { name: 'other', tier: 'professional', workspaceName: 'w', agent: null } as const
      const elsewhere = (await storage.access.insertAccount(input, at())).account
      assert.equal(elsewhere.requireOtherPerson, false)
      const renamed = await storage.access.update({ accountId, change: { name: 'renamed' } }, at())
      assert.equal(renamed.requireOtherPerson, true)
      await storage.access.update({ accountId: elsewhere.id, change: { requireOtherPerson: true } }, at())

      await requireOther(fixture, false)
      assert.equal((await byAda()).status, 'approved')
      await say(fixture, other, answerBy(ADA))
    },
  },
  {
    id: 'responders.same-commit',
    name: 'an answer and a decision are measured by the setting in their own transaction',
    async check(fixture) {
      const { storage, at, workspaceId } = fixture
      const asking = await fixture.addClaimed()
      const { approval } = await ask(fixture, asking, KEY_OF_ADA, false)
      const other = await fixture.addClaimed()
      await say(fixture, other, question(other, KEY_OF_ADA, false))
      const work = storage.transaction(async (tx) => {
        await requireOther(fixture, true, tx)
        const verdict = { decision: 'approved', comment: null, digest: null } as const
        const decision = { workspaceId, approvalId: approval.id, verdict, decidedBy: ADA }
        await assertRefused(storage.approvals.decideApproval(decision, at(0, tx)), 'FORBIDDEN')
        await assertRefused(say(fixture, other, answerBy(ADA), tx), 'FORBIDDEN')
        throw new Error('undo')
      })
      await assert.rejects(work, /undo/)
      await say(fixture, other, answerBy(ADA))
      await decide(fixture, approval.id, 'approved', { decidedBy: ADA })
    },
  },
  {
    id: 'responders.last-question',
    name: 'the last question counts for who answers, not those before it',
    async check(fixture) {
      const task = await fixture.addClaimed()
      await say(fixture, task, question(task, SESSION_OF_ADA, true))
      await say(fixture, task, answerBy(BOB))
      const again = await claimAgain(fixture, task)
      await say(fixture, again, question(again, KEY_OF_ADA, false))
      await say(fixture, again, answerBy(ADA))
      const once = await claimAgain(fixture, task)
      await say(fixture, once, question(once, SESSION_OF_ADA, false))
      await assertRefused(say(fixture, once, answerBy(ADA)), 'FORBIDDEN')
    },
  },
  {
    id: 'responders.stricter',
    name: 'a request that requires another person takes the place of what was decided without one, but not of a rejection',
    async check(fixture) {
      let task = await fixture.addClaimed()
      const seen: Approval[] = []
      const askAgain = async (requireOtherPerson: boolean, input: unknown) => {
        const answer = await ask(fixture, task, KEY_OF_ADA, requireOtherPerson, input)
        seen.push(answer.approval)
        if (answer.outcome === 'pending') {
          await fixture.storage.tasks.changeTask(
            {
              target: { workspaceId: task.workspaceId, taskId: task.id },
              command: { kind: 'release', actor: ADA },
            },
            fixture.at(),
          )
          task = await claimAgain(fixture, task)
        }
        return answer.outcome
      }
      const decideLast = (decision: 'approved' | 'rejected', decidedBy: ActingAs) =>
        decide(fixture, seen.at(-1)?.id ?? '', decision, { decidedBy })

      assert.equal(await askAgain(false, 1), 'pending')
      await decideLast('approved', ADA)
      assert.equal(await askAgain(true, 1), 'pending')
      assert.equal(await askAgain(true, 1), 'pending')
      await assertRefused(decideLast('approved', ADA), 'FORBIDDEN')
      // What requires no other person is met by what does.
      assert.equal(await askAgain(false, 1), 'pending')
      assert.equal(new Set(seen.slice(1).map(({ id }) => id)).size, 1)
      assert.equal(await statusOf(fixture, seen[0]?.id ?? ''), 'expired')
      await decideLast('approved', BOB)
      assert.equal(await askAgain(true, 1), 'approved')

      assert.equal(await askAgain(false, 2), 'pending')
      assert.equal(await askAgain(true, 2), 'pending')
      assert.equal((await list(fixture, { status: 'pending' })).approvals.length, 1)
      assert.equal(await askAgain(false, 3), 'pending')
      await decideLast('rejected', ADA)
      assert.equal(await askAgain(true, 3), 'rejected')
    },
  },
]
