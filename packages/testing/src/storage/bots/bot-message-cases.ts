import assert from 'node:assert/strict'
import type { ClaimedMessage, MessagePlace } from '@taskboard/core/storage'
import type { StorageCheck } from '../storage-case.js'
import { MINUTE, SECOND, START, type StorageFixture } from '../storage-fixture.js'

const BOTS = ['chat']

function place(
  { storage, workspaceId, at }: StorageFixture,
  taskId: string,
  { ms = 0, most = 20, conversationId = 'C1' } = {},
): Promise<MessagePlace> {
  const given = { bot: 'chat', conversationId, replyTo: null, workspaceId, taskId }
  return storage.bots.placeMessage({ ...given, userId: 'user_ada', timeZone: 'UTC', most }, at(ms))
}

const claim = ({ storage, at }: StorageFixture, ms: number, limit = 10) =>
  storage.bots.claimMessages({ bots: BOTS, limit, claimMs: MINUTE }, at(ms))

async function claimOne(fixture: StorageFixture, ms: number): Promise<ClaimedMessage> {
  const { messages } = await claim(fixture, ms)
  const [message] = messages
  assert.ok(message !== undefined && messages.length === 1, `one message is due, not ${messages.length}`)
  return message
}

function settle(
  { storage, at }: StorageFixture,
  { id, claimToken, marks }: ClaimedMessage,
  ms: number,
  result: Partial<Parameters<typeof storage.bots.settleMessage>[0]> = {},
): Promise<boolean> {
  const sent = {
    outcome: 'sent' as const,
    ref: `ref of ${id}`,
    shown: 'digest',
    waitMs: SECOND,
    againInMs: null,
  }
  return storage.bots.settleMessage({ id, claimToken, marks, ...sent, ...result }, at(ms))
}

const mark = ({ storage, at }: StorageFixture, taskIds: readonly string[] | null, ms: number) =>
  storage.bots.markMessages({ bots: BOTS, taskIds }, at(ms))

const liveTasks = async ({ storage, at }: StorageFixture, conversationId = 'C1') => {
  const live = await storage.bots.listMessages({ bot: 'chat', conversationId }, at())
  return live.map(({ taskId }) => taskId)
}

/** The messages of bots. */
export const botMessageCases: readonly StorageCheck[] = [
  {
    id: 'bots.message',
    name: 'a message is due at once, claimed by one process, found by what it was posted as, and then at rest',
    async check(fixture) {
      const { storage, workspaceId, at, another } = fixture
      const placed = await place(fixture, 'task_1')
      assert.deepEqual(placed, {
        id: placed.id,
        bot: 'chat',
        conversationId: 'C1',
        replyTo: null,
        workspaceId,
        taskId: 'task_1',
        userId: 'user_ada',
        timeZone: 'UTC',
        ref: null,
        state: 'live',
        shown: null,
        offer: null,
        failures: 0,
        createdAt: START,
      })
      const other = (await another()) ?? fixture
      const claims = await Promise.all([claim(fixture, 0), claim(other, 0)])
      const messages = claims.flatMap((each) => each.messages)
      assert.equal(messages.length, 1)
      const [message] = messages
      assert.ok(message !== undefined)
      assert.equal(await settle(fixture, { ...message, claimToken: 'other' }, SECOND), false)
      assert.equal(await settle(fixture, message, SECOND), true)
      assert.equal(await settle(fixture, message, SECOND), false)
      assert.deepEqual(await claim(fixture, MINUTE), { messages: [], nextDueInMs: null })
      const query = { bot: 'chat', conversationId: 'C1', ref: `ref of ${placed.id}` }
      const [found] = await storage.bots.listMessages(query, at())
      assert.deepEqual(found, { ...placed, ref: query.ref, shown: 'digest' })
      assert.deepEqual(await storage.bots.listMessages({ id: placed.id }, at()), [found])
      assert.deepEqual(await storage.bots.listMessages({ ...query, conversationId: 'C2' }, at()), [])
    },
  },
  {
    id: 'bots.message-marks',
    name: 'a mark makes a message due again, not before its wait is over, and also when it comes during a send',
    async check(fixture) {
      await place(fixture, 'task_1')
      await place(fixture, 'task_2')
      const { messages } = await claim(fixture, 0)
      for (const message of messages) await settle(fixture, message, 0)
      await mark(fixture, ['task_1'], 100)
      assert.deepEqual(await claim(fixture, 100), { messages: [], nextDueInMs: 900 })
      const again = await claimOne(fixture, SECOND)
      assert.equal(again.taskId, 'task_1')
      await mark(fixture, ['task_1'], SECOND)
      assert.deepEqual((await claim(fixture, SECOND)).messages, [])
      await settle(fixture, again, SECOND)
      const third = await claimOne(fixture, 2 * SECOND)
      await settle(fixture, third, 2 * SECOND, { againInMs: 30 * SECOND })
      assert.equal((await claim(fixture, 3 * SECOND)).nextDueInMs, 29 * SECOND)
      const fourth = await claimOne(fixture, 32 * SECOND)
      await settle(fixture, fourth, 32 * SECOND)
      assert.equal((await claim(fixture, MINUTE)).nextDueInMs, null)
      await mark(fixture, null, MINUTE)
      assert.equal((await claim(fixture, MINUTE)).messages.length, 2)
    },
  },
  {
    id: 'bots.message-claims',
    name: 'a claim ends with its time, and what comes of it later counts no more; a failure waits and is counted, a wait is not',
    async check(fixture) {
      const { storage, at } = fixture
      await place(fixture, 'task_1')
      const lost = await claimOne(fixture, 0)
      const taken = await claimOne(fixture, MINUTE)
      assert.equal(await settle(fixture, lost, MINUTE), false)
      const offer = { kind: 'approval', subjectId: 'apr_1', digest: 'd', secretHash: 's' } as const
      const offerWith = ({ id, claimToken }: ClaimedMessage) =>
        storage.bots.offerButtons({ id, claimToken, offer }, at(MINUTE))
      assert.deepEqual([await offerWith(lost), await offerWith(taken)], [false, true])
      const failed = { outcome: 'failed', ref: undefined, shown: undefined, waitMs: 10 * SECOND } as const
      assert.equal(await settle(fixture, taken, MINUTE, failed), true)
      assert.equal((await claim(fixture, MINUTE)).nextDueInMs, 10 * SECOND)
      await mark(fixture, null, MINUTE)
      const next = await claimOne(fixture, MINUTE + 10 * SECOND)
      assert.deepEqual([next.failures, next.ref, next.offer], [1, null, offer])
      await settle(fixture, next, MINUTE + 10 * SECOND, { ...failed, outcome: 'later' })
      const last = await claimOne(fixture, MINUTE + 20 * SECOND)
      assert.deepEqual([last.failures, last.ref], [1, null])
      await settle(fixture, last, MINUTE + 20 * SECOND, { outcome: 'gone' })
      assert.deepEqual(await storage.bots.listMessages({ id: next.id }, at()), [])
    },
  },
  {
    id: 'bots.message-limits',
    name: 'a newer card of a task, and one too many in a conversation, end the older one, which is due once more',
    async check(fixture) {
      const { storage, at } = fixture
      const first = await place(fixture, 'task_1')
      await settle(fixture, await claimOne(fixture, 0), 0)
      await place(fixture, 'task_2', { most: 3 })
      await place(fixture, 'task_1', { most: 3 })
      assert.deepEqual(await liveTasks(fixture), ['task_1', 'task_2'])
      const ended = async () => (await storage.bots.listMessages({ id: first.id }, at()))[0]?.state
      assert.equal(await ended(), 'ended')
      const due = (await claim(fixture, SECOND)).messages
      assert.deepEqual(due.map(({ taskId, state }) => `${taskId} ${state}`).toSorted(), [
        'task_1 ended',
        'task_1 live',
        'task_2 live',
      ])
      await place(fixture, 'task_3', { most: 3 })
      await place(fixture, 'task_4', { most: 3 })
      assert.deepEqual(await liveTasks(fixture), ['task_4', 'task_3', 'task_1'])
      await place(fixture, 'task_5', { conversationId: 'C2' })
      assert.deepEqual(await liveTasks(fixture, 'C2'), ['task_5'])
      await storage.bots.disableConversation({ bot: 'chat', externalId: 'C1', failure: 'removed' }, at())
      assert.deepEqual([await liveTasks(fixture), await liveTasks(fixture, 'C2')], [[], ['task_5']])
    },
  },
  {
    id: 'bots.message-commit',
    name: 'a message is placed in the commit of its task, or not at all',
    async check(fixture) {
      const { storage, workspaceId, at, add } = fixture
      const given = { bot: 'chat', conversationId: 'C1', replyTo: null, workspaceId, userId: 'user_ada' }
      const attempt = (fails: boolean) =>
        storage.inOneCommit(at(), async (own) => {
          const task = await add({}, own)
          const placed = { ...given, taskId: task.id, timeZone: 'UTC', most: 20 }
          await storage.bots.placeMessage(placed, own)
          if (fails) throw new Error('the process ends')
          return task.id
        })
      await assert.rejects(attempt(true), /the process ends/)
      assert.deepEqual(await liveTasks(fixture), [])
      assert.deepEqual(await liveTasks(fixture), [])
      assert.deepEqual([await attempt(false)], await liveTasks(fixture))
    },
  },
]
