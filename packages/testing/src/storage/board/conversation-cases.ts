import assert from 'node:assert/strict'
import type { Task } from '@taskboard/core'
import type { CommentDraft } from '@taskboard/core/storage'
import { RUNTIME } from './approval-session.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  changeTask,
  DAY,
  HOUR,
  LEASE_MS,
  PERSON,
  proofOf,
  readTask,
  SECOND,
  START,
  type StorageFixture,
  unknownId,
} from '../storage-fixture.js'

const remark = (body: string): CommentDraft => ({
  kind: 'comment',
  body,
  author: { ...PERSON, name: 'Ada' },
})

const question = (task: Task, body = 'Into which language?'): CommentDraft => ({
  kind: 'question',
  body,
  fencingToken: proofOf(task).fencingToken,
  asked: { asker: RUNTIME, requireOtherPerson: false },
})

const answer = (body: string): CommentDraft => ({ kind: 'answer', body, author: PERSON })

const targetOf = ({ id, workspaceId }: Task) => ({ workspaceId, taskId: id })

/** Adds a comment. */
async function say(
  { storage, at }: StorageFixture,
  task: Task,
  draft: CommentDraft,
  afterMs = 0,
  key: string | null = null,
) {
  const idempotency = key === null ? null : { scope: 's', key, fingerprint: draft.body }
  return storage.comments.insertComment({ target: targetOf(task), draft, idempotency }, at(afterMs))
}

/** What is said about tasks. */
export const conversationCases: readonly StorageCheck[] = [
  {
    id: 'comments.insert',
    name: 'a comment is kept with its author, its time and an event, and the task says that it has comments',
    async check(fixture) {
      const { add, get, events, agent } = fixture
      const task = await add({ title: 'the manual' })
      assert.equal(task.hasComments, false)
      const { value, replayed } = await say(fixture, task, remark('Please hurry.'), SECOND)
      const { id, ...rest } = value
      assert.match(id, /^cmt_/)
      const author = { ...PERSON, name: 'Ada' }
      const createdAt = START + SECOND
      assert.deepEqual(rest, { taskId: task.id, author, kind: 'comment', body: 'Please hurry.', createdAt })
      assert.equal(replayed, false)
      assert.deepEqual(await get(task), { ...task, hasComments: true })
      const event = (await events()).at(-1)
      assert.equal(event?.type, 'task.commented')
      assert.equal(event.at, createdAt)
      const { commentId, title, ...said } = event.data as unknown as Record<string, unknown>
      assert.deepEqual([commentId, title], [id, 'the manual'])
      assert.deepEqual(said, { taskId: task.id, author, kind: 'comment', body: 'Please hurry.', createdAt })
      const draft = { ...remark('I am on it.'), author: { kind: 'agent', id: agent.id } }
      const byAgent = await say(fixture, task, draft as CommentDraft)
      assert.equal(byAgent.value.author.name, agent.name)
      const byHost = { ...remark('So it is.'), author: { kind: 'host', id: null } }
      assert.equal((await say(fixture, task, byHost as CommentDraft)).value.author.name, null)
    },
  },
  {
    id: 'comments.pages',
    name: 'comments are listed in the order in which they were written, in pages',
    async check(fixture) {
      const { add, storage, at } = fixture
      const task = await add()
      const other = await add()
      // The clock goes backwards: the order stays.
      for (let n = 5; n > 0; n--) await say(fixture, task, remark(`${n}`), n * SECOND)
      await say(fixture, other, remark('elsewhere'))
      const bodies: string[] = []
      const sizes: number[] = []
      for (let after: number | null = 0; after !== null;) {
        const page: Awaited<ReturnType<typeof storage.comments.listComments>> =
          await storage.comments.listComments({ ...targetOf(task), limit: 2, after }, at())
        bodies.push(...page.comments.map(({ body }) => body))
        sizes.push(page.comments.length)
        after = page.nextAfter
      }
      assert.deepEqual(
        [bodies, sizes],
        [
          ['5', '4', '3', '2', '1'],
          [2, 2, 1],
        ],
      )
      const all = await storage.comments.listComments({ ...targetOf(task), limit: 5, after: 0 }, at())
      assert.deepEqual([all.comments.length, all.nextAfter], [5, null])
      const empty = await storage.comments.listComments(
        { ...targetOf(await add()), limit: 5, after: 0 },
        at(),
      )
      assert.deepEqual(empty, { comments: [], nextAfter: null })
    },
  },
  {
    id: 'comments.unknown',
    name: 'a task of another workspace, and one that does not exist, have no conversation',
    async check(fixture) {
      const { add, addWorkspace, storage, at, workspaceId, get } = fixture
      const task = await add()
      const { workspaceId: elsewhere } = await addWorkspace()
      for (const target of [
        { workspaceId: elsewhere, taskId: task.id },
        { workspaceId, taskId: unknownId('task') },
      ]) {
        const insertion = { target, draft: remark('x'), idempotency: null }
        await assertRefused(storage.comments.insertComment(insertion, at()), 'TASK_NOT_FOUND')
        const query = { ...target, limit: 5, after: 0 }
        await assertRefused(storage.comments.listComments(query, at()), 'TASK_NOT_FOUND')
      }
      assert.equal((await get(task)).hasComments, false)
    },
  },
  {
    id: 'comments.idempotent',
    name: 'a repeat of a comment is the first one, also of an answer that has released its task',
    async check(fixture) {
      const { addClaimed, storage, at } = fixture
      const task = await addClaimed()
      const first = await say(fixture, task, remark('once'), 0, 'key 1')
      const again = await say(fixture, task, remark('once'), SECOND, 'key 1')
      assert.deepEqual(again, { value: first.value, replayed: true })
      await assertRefused(say(fixture, task, remark('other'), 0, 'key 1'), 'CONFLICT')
      await say(fixture, task, question(task))
      const answered = await say(fixture, task, answer('French'), 0, 'key 2')
      const repeated = await say(fixture, task, answer('French'), SECOND, 'key 2')
      assert.deepEqual(repeated, { value: answered.value, replayed: true })
      const { comments } = await storage.comments.listComments(
        { ...targetOf(task), limit: 9, after: 0 },
        at(),
      )
      assert.deepEqual(
        comments.map(({ kind }) => kind),
        ['comment', 'question', 'answer'],
      )
    },
  },
  {
    id: 'comments.question',
    name: 'a question puts the task on hold, ends the claim and does not count as an attempt; its answer releases it',
    async check(fixture) {
      const { addClaimed, claim, get, at, agent, eventTypes, storage } = fixture
      const task = await addClaimed({ maxAttempts: 1 })
      const asked = await say(fixture, task, question(task), SECOND)
      assert.deepEqual(asked.value.author, { kind: 'agent', id: agent.id, name: agent.name })
      const held = await get(task)
      const hold = { reason: 'needs_input', message: 'Into which language?', since: START + SECOND }
      assert.deepEqual([held.column, held.hold, held.lease, held.attempts], ['TODO', hold, null, 0])
      assert.equal(await claim(at(HOUR)), null)
      await assertRefused(say(fixture, task, question(task, 'And by when?')), 'CONFLICT', 'fencingToken')
      await say(fixture, task, answer('French'), 2 * SECOND)
      const next = await claim(at(3 * SECOND))
      assert.deepEqual([next?.id, next?.attempts, next?.hold], [task.id, 1, null])
      const {
        attempts,
        comments,
        answer: found,
      } = await readTask(storage.tasks, task, ['attempts', 'comments', 'answer'], at())
      assert.deepEqual(
        attempts.map(({ outcome }) => outcome),
        ['held'],
      )
      assert.deepEqual(
        comments.map(({ body }) => body),
        ['Into which language?', 'French'],
      )
      assert.equal(found?.body, 'French')
      assert.deepEqual(
        (await eventTypes()).filter((type) => type !== 'task.released'),
        ['task.created', 'task.started', 'task.failed', 'task.commented', 'task.commented', 'task.started'],
      )
    },
  },
  {
    id: 'comments.answer-only-questions',
    name: 'an answer ends no other hold, and of two concurrent answers one counts',
    async check(fixture) {
      const { add, addClaimed, get, storage, at } = fixture
      const free = await add()
      await assertRefused(say(fixture, free, answer('yes')), 'CONFLICT')
      for (const reason of ['approval', 'cancelled', 'failed'] as const) {
        const held = await add()
        const command = { kind: 'hold', reason, message: null, actor: PERSON } as const
        await changeTask(storage.tasks, held, command, at())
        await assertRefused(say(fixture, held, answer('yes')), 'CONFLICT')
        assert.equal((await get(held)).hold?.reason, reason)
        assert.equal((await get(held)).hasComments, false)
      }
      const task = await addClaimed({ priority: 'urgent' })
      await say(fixture, task, question(task))
      const both = await Promise.allSettled([
        say(fixture, task, answer('French')),
        say(fixture, task, answer('German')),
      ])
      assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      const { comments } = await readTask(storage.tasks, task, ['comments'], at())
      assert.equal(comments.length, 2)
    },
  },
  {
    id: 'comments.newest',
    name: 'a run is given the newest 100 comments, and the last question with its answer also when they are older',
    async check(fixture) {
      const { addClaimed, claim, storage, at } = fixture
      const task = await addClaimed()
      await say(fixture, task, question(task))
      await say(fixture, task, answer('French'))
      for (let n = 0; n < 101; n++) await say(fixture, task, remark(`${n}`))
      const read = () => readTask(storage.tasks, task, ['comments', 'question', 'answer'], at())
      const before = await read()
      assert.equal(before.comments.length, 100)
      assert.deepEqual([before.comments[0]?.body, before.comments.at(-1)?.body], ['1', '100'])
      assert.deepEqual([before.question?.kind, before.answer?.body], ['question', 'French'])
      const again = await claim(at(SECOND))
      assert.equal(again?.hasComments, true)
      await say(fixture, again, question(again, 'In which tone?'))
      const { question: last, answer: none } = await read()
      assert.deepEqual([last?.body, none], ['In which tone?', null])
    },
  },
  {
    id: 'comments.lost-lease',
    name: 'only the agent with the live lease asks; a refused question leaves nothing',
    async check(fixture) {
      const { addClaimed, get, storage, at, eventTypes } = fixture
      const task = await addClaimed()
      const late = say(fixture, task, question(task), LEASE_MS)
      await assertRefused(late, 'CONFLICT', 'fencingToken')
      const forged = { ...question(task), fencingToken: proofOf(task).fencingToken + 1 } as CommentDraft
      await assertRefused(say(fixture, task, forged), 'CONFLICT', 'fencingToken')
      assert.deepEqual(await get(task), task)
      assert.deepEqual((await readTask(storage.tasks, task, ['comments'], at())).comments, [])
      assert.deepEqual(await eventTypes(), ['task.created', 'task.started'])
    },
  },
  {
    id: 'comments.deleted',
    name: 'the comments of a task are deleted with it',
    async check(fixture) {
      const { add, storage, at } = fixture
      const task = await add()
      await say(fixture, task, remark('Please hurry.'))
      await storage.tasks.deleteTask({ ...targetOf(task), actor: PERSON }, at(DAY))
      const query = { ...targetOf(task), limit: 5, after: 0 }
      await assertRefused(storage.comments.listComments(query, at()), 'TASK_NOT_FOUND')
    },
  },
  {
    id: 'comments.transaction',
    name: "a comment is part of the host's transaction",
    async check(fixture) {
      const { add, storage, at, get } = fixture
      const task = await add()
      const work = storage.transaction(async (tx) => {
        const insertion = { target: targetOf(task), draft: remark('never'), idempotency: null }
        await storage.comments.insertComment(insertion, at(0, tx))
        assert.equal((await get(task, tx)).hasComments, true)
        throw new Error('undo')
      })
      await assert.rejects(work, /undo/)
      assert.equal((await get(task)).hasComments, false)
      const page = await storage.comments.listComments({ ...targetOf(task), limit: 5, after: 0 }, at())
      assert.deepEqual(page.comments, [])
    },
  },
]
