import assert from 'node:assert/strict'
import { linkKeptMs, type NewStoredLink } from '@taskboard/core/storage'
import { addUser } from '../access/session-cases.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { DAY, SECOND, START, unknownId, type StorageFixture } from '../storage-fixture.js'

/** A link about a new task of the fixture's workspace. */
async function addLink(fixture: StorageFixture, tokenHash: string, given: Partial<NewStoredLink> = {}) {
  const { storage, workspaceId, at } = fixture
  const taskId = given.taskId ?? (await fixture.add()).id
  const about = { kind: 'approval', id: unknownId('apr') } as const
  const place = { workspaceId, taskId, about, digest: 'd'.repeat(64), userId: 'ada' }
  return storage.links.insertLink({ link: { ...place, ttlMs: DAY, ...given, tokenHash } }, at())
}

const find = ({ storage, at }: StorageFixture, tokenHash: string, afterMs = 0) =>
  storage.links.findLink({ tokenHash }, at(afterMs))

/** Links that decide as one person. */
export const linkCases: readonly StorageCheck[] = [
  {
    id: 'links.find',
    name: 'a link is found by the hash of its token alone, also when it has expired',
    async check(fixture) {
      const { accountId, workspaceId } = fixture
      const question = { kind: 'question', id: unknownId('cmt') } as const
      const link = await addLink(fixture, 'one', { about: question })
      const { id, taskId, ...stored } = link
      assert.match(id, /^lnk_/)
      assert.deepEqual(stored, {
        accountId,
        workspaceId,
        about: question,
        digest: 'd'.repeat(64),
        userId: 'ada',
        createdAt: START,
        expiresAt: START + DAY,
      })
      assert.deepEqual(await find(fixture, 'one', SECOND), { link, expiresInMs: DAY - SECOND })
      assert.deepEqual(await find(fixture, 'one', DAY), { link, expiresInMs: 0 })
      assert.equal(await find(fixture, 'two'), null)
      assert.equal(await find(fixture, id), null)
      assert.equal(taskId, link.taskId)
    },
  },
  {
    id: 'links.place',
    name: 'a link is about a task of its workspace',
    async check(fixture) {
      const { workspaceId: other } = await fixture.addWorkspace()
      const { id } = await fixture.add()
      await assertRefused(addLink(fixture, 'one', { taskId: id, workspaceId: other }), 'TASK_NOT_FOUND')
      await assertRefused(addLink(fixture, 'one', { taskId: unknownId('task') }), 'TASK_NOT_FOUND')
      assert.equal(await find(fixture, 'one'), null)
    },
  },
  {
    id: 'links.deleted',
    name: 'a link goes with its task, its user, its workspace and its account',
    async check(fixture) {
      const { storage, at, accountId } = fixture
      const { id: taskId } = await fixture.add()
      const { id: userId } = await addUser(fixture)
      const other = await fixture.addWorkspace()
      const { id: elsewhere } = await fixture.add({ workspaceId: other.workspaceId })
      await addLink(fixture, 'of the task', { taskId })
      await addLink(fixture, 'of the user', { userId })
      await addLink(fixture, 'of the workspace', { taskId: elsewhere, workspaceId: other.workspaceId })
      await addLink(fixture, 'of the account')
      const left = async () => {
        const tokens = ['of the task', 'of the user', 'of the workspace', 'of the account']
        const found = await Promise.all(tokens.map((token) => find(fixture, token)))
        return tokens.filter((_, index) => found[index] !== null)
      }
      assert.equal((await left()).length, 4)
      const target = { workspaceId: fixture.workspaceId, taskId }
      await storage.tasks.deleteTask({ ...target, actor: { kind: 'user', id: 'ada' } }, at())
      assert.deepEqual(await left(), ['of the user', 'of the workspace', 'of the account'])
      await storage.access.deleteUser({ userId, keepKeys: false, mayBeLast: true }, at())
      assert.deepEqual(await left(), ['of the workspace', 'of the account'])
      await storage.access.beginDeletion({ workspaceId: other.workspaceId }, at())
      assert.deepEqual(await left(), ['of the account'])
      await storage.access.beginDeletion({ accountId }, at())
      assert.deepEqual(await left(), [])
    },
  },
  {
    id: 'links.pruned',
    name: 'a link is pruned a week after it has expired',
    async check(fixture) {
      const { storage, at } = fixture
      await addLink(fixture, 'short', { ttlMs: SECOND })
      await addLink(fixture, 'long', { ttlMs: DAY })
      const prune = (afterMs: number) => storage.prune({ rows: 'links', limit: 100 }, at(afterMs))
      assert.equal(await prune(linkKeptMs + SECOND - 1), 0)
      assert.equal(await prune(linkKeptMs + SECOND), 1)
      assert.equal(await find(fixture, 'short'), null)
      assert.notEqual(await find(fixture, 'long'), null)
    },
  },
]
