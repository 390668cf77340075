import assert from 'node:assert/strict'
import type { LinkCode } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { HOUR, MINUTE, SECOND, START, unknownId, type StorageFixture } from '../storage-fixture.js'

const MOST = 5

const shownBy = (externalId: string, secretHash = `secret of ${externalId}`) => ({
  bot: 'chat',
  externalId,
  secretHash,
})

function insertCode(
  { storage, accountId, at }: StorageFixture,
  codeHash: string,
  { userId = 'user_ada', ms = 0 } = {},
): Promise<LinkCode> {
  const code = { userId, accountId, timeZone: 'Europe/Oslo', codeHash, ttlMs: 10 * MINUTE }
  return storage.bots.insertLinkCode(code, at(ms))
}

/** Links an account of a messenger to a user. */
async function link(fixture: StorageFixture, externalId: string, { userId = 'user_ada', ms = 0 } = {}) {
  const { storage, at } = fixture
  const code = await insertCode(fixture, `code ${externalId} ${userId} ${ms}`, { userId, ms })
  const shown = shownBy(externalId)
  await storage.bots.offerLink(
    { codeHash: `code ${externalId} ${userId} ${ms}`, name: 'Ada', ...shown },
    at(ms),
  )
  return storage.bots.settleLink({ codeId: code.id, ...shown, accepts: true, most: MOST }, at(ms))
}

const linkOf = async ({ storage, at }: StorageFixture, externalId: string) =>
  (await storage.bots.listLinks({ bot: 'chat', externalId }, at()))[0]

function connect(
  { storage, workspaceId, accountId, at }: StorageFixture,
  externalId: string,
  other: { readonly workspaceId?: string; readonly accountId?: string; readonly most?: number } = {},
) {
  const given = { bot: 'chat', externalId, title: 'Ops', workspaceId, accountId, connectedBy: 'user_ada' }
  return storage.bots.connectConversation({ ...given, most: 100, ...other }, at())
}

const card = (workspaceId: string) => ({ bot: 'chat', replyTo: null, workspaceId, timeZone: 'UTC', most: 20 })

/** Updates, links and conversations of messengers. */
export const botLinkCases: readonly StorageCheck[] = [
  {
    id: 'bots.updates',
    name: 'an update is taken once, also by two processes at the same time, and not when its commit fails',
    async check({ storage, at, another }) {
      const update = { bot: 'chat', updateId: '7', position: null }
      const failed = storage.inOneCommit(at(), async (own) => {
        assert.equal(await storage.bots.takeUpdate(update, own), true)
        throw new Error('the process ends')
      })
      await assert.rejects(failed, /the process ends/)
      const other = (await another())?.storage ?? storage
      const taken = await Promise.all([storage, other].map((each) => each.bots.takeUpdate(update, at())))
      assert.deepEqual(
        taken.filter((isNew) => isNew),
        [true],
      )
      assert.equal(await storage.bots.takeUpdate({ ...update, bot: 'mail' }, at()), true)
      assert.equal(await storage.bots.takeUpdate({ ...update, updateId: '8' }, at()), true)
    },
  },
  {
    id: 'bots.updates-pruned',
    name: 'old updates and codes that have expired are pruned',
    async check(fixture) {
      const { storage, at } = fixture
      const update = { bot: 'chat', updateId: '7', position: null }
      await storage.bots.takeUpdate(update, at())
      await insertCode(fixture, 'old')
      const asked = { rows: 'bot_updates', olderThanMs: HOUR, limit: 10 } as const
      assert.equal(await storage.prune(asked, at(MINUTE)), 0)
      assert.ok((await storage.prune(asked, at(HOUR + SECOND))) > 0)
      assert.equal(await storage.bots.takeUpdate(update, at(HOUR + SECOND)), true)
    },
  },
  {
    id: 'bots.polling',
    name: 'one process polls at a time, and the next one goes on behind the last update',
    async check({ storage, at }) {
      const hold = (holder: string, ms: number) =>
        storage.bots.holdPolling({ bot: 'chat', holder, leaseMs: MINUTE }, at(ms))
      assert.deepEqual(await hold('one', 0), { isHeld: true, position: 0 })
      assert.equal((await hold('two', SECOND)).isHeld, false)
      assert.equal((await hold('one', 30 * SECOND)).isHeld, true)
      await storage.bots.takeUpdate({ bot: 'chat', updateId: '11', position: 12 }, at())
      await storage.bots.takeUpdate({ bot: 'chat', updateId: '9', position: 10 }, at())
      assert.equal((await hold('two', MINUTE + 29 * SECOND)).isHeld, false)
      assert.deepEqual(await hold('two', MINUTE + 30 * SECOND), { isHeld: true, position: 12 })
      assert.equal((await hold('one', MINUTE + 31 * SECOND)).isHeld, false)
    },
  },
  {
    id: 'bots.link',
    name: 'a code is used up by the first messenger account, which accepts it once with its secret',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const code = await insertCode(fixture, 'hash')
      const { timeZone, expiresAt } = code
      assert.deepEqual([timeZone, expiresAt], ['Europe/Oslo', START + 10 * MINUTE])
      const mine = shownBy('U1')
      const offer = (shown: typeof mine, ms = 0) =>
        storage.bots.offerLink({ codeHash: 'hash', name: 'Ada L.', ...shown }, at(ms))
      const settle = (shown: typeof mine, ms = 0) =>
        storage.bots.settleLink({ codeId: code.id, ...shown, accepts: true, most: MOST }, at(ms))
      assert.equal(await settle(mine), null)
      assert.equal((await offer(mine))?.userId, 'user_ada')
      assert.equal(await offer(shownBy('U2')), null)
      for (const wrong of [shownBy('U2'), shownBy('U1', 'other'), { ...mine, bot: 'mail' }]) {
        assert.equal(await settle(wrong), null)
      }
      const made = await settle(mine, SECOND)
      const name = 'Ada L.'
      assert.deepEqual(made, {
        id: made?.id,
        bot: 'chat',
        externalId: 'U1',
        name,
        userId: 'user_ada',
        accountId,
        timeZone,
        createdAt: START + SECOND,
      })
      assert.equal(await settle(mine), null)
      assert.deepEqual(await linkOf(fixture, 'U1'), made)
      const ofUser = { accountId, userId: 'user_ada' }
      assert.deepEqual(await storage.bots.listLinks(ofUser, at()), [made])
      assert.deepEqual(await storage.bots.listLinks({ ...ofUser, userId: 'user_eve' }, at()), [])
    },
  },
  {
    id: 'bots.link-over',
    name: 'a code expires, a newer one of the user replaces it, and one that is declined is over',
    async check(fixture) {
      const { storage, at } = fixture
      const offer = (codeHash: string, ms: number) =>
        storage.bots.offerLink({ codeHash, name: 'Ada', ...shownBy('U1') }, at(ms))
      await insertCode(fixture, 'first')
      assert.equal(await offer('first', 10 * MINUTE), null)
      const second = await insertCode(fixture, 'second')
      assert.equal(await offer('first', 0), null)
      assert.equal((await offer('second', 10 * MINUTE - 1))?.id, second.id)
      const shown = { codeId: second.id, ...shownBy('U1'), most: MOST }
      assert.equal(await storage.bots.settleLink({ ...shown, accepts: true }, at(10 * MINUTE)), null)
      assert.equal(await storage.bots.settleLink({ ...shown, accepts: false }, at(MINUTE)), null)
      assert.equal(await storage.bots.settleLink({ ...shown, accepts: true }, at(MINUTE)), null)
      assert.equal(await linkOf(fixture, 'U1'), undefined)
    },
  },
  {
    id: 'bots.link-limits',
    name: 'a messenger account has one user, and a user a limited number of them, who can end each',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      for (let number = 1; number <= MOST; number += 1) await link(fixture, `U${number}`, { ms: number })
      await assertRefused(link(fixture, 'U6', { ms: 6 }), 'CONFLICT')
      assert.equal((await link(fixture, 'U1', { ms: 7 }))?.userId, 'user_ada')
      assert.equal((await link(fixture, 'U1', { userId: 'user_bob', ms: 8 }))?.userId, 'user_bob')
      assert.equal((await linkOf(fixture, 'U1'))?.userId, 'user_bob')
      const mine = await storage.bots.listLinks({ accountId, userId: 'user_ada' }, at())
      assert.deepEqual(mine.map(({ externalId }) => externalId).toSorted(), ['U2', 'U3', 'U4', 'U5'])
      const linkId = mine[0]?.id ?? ''
      const remove = (userId: string) => storage.bots.deleteLink({ accountId, userId, linkId }, at())
      assert.equal(await remove('user_bob'), false)
      assert.equal(await remove('user_ada'), true)
      assert.equal(await remove('user_ada'), false)
    },
  },
  {
    id: 'bots.link-cards',
    name: 'the cards in direct conversations of a user go with a link, and those of connected conversations stay',
    async check(fixture) {
      const { storage, accountId, workspaceId, at } = fixture
      await connect(fixture, 'C1')
      const cards = async () => {
        const of = async (conversationId: string) =>
          (await storage.bots.listMessages({ bot: 'chat', conversationId }, at())).map(({ userId }) => userId)
        return [await of('C1'), await of('D1'), await of('D2')]
      }
      const place = (conversationId: string, taskId: string, userId = 'user_ada') =>
        storage.bots.placeMessage({ ...card(workspaceId), conversationId, taskId, userId }, at())
      const first = await link(fixture, 'U1', { ms: 1 })
      await link(fixture, 'U2', { ms: 2 })
      await place('C1', 'task_1')
      await place('D1', 'task_1')
      await place('D2', 'task_1', 'user_bob')
      await link(fixture, 'U2', { ms: 3 })
      assert.deepEqual(await cards(), [['user_ada'], ['user_ada'], ['user_bob']])
      const named = { accountId, userId: 'user_ada', linkId: first?.id ?? '' }
      assert.equal(await storage.bots.deleteLink(named, at()), true)
      assert.deepEqual(await cards(), [['user_ada'], [], ['user_bob']])
      await place('D1', 'task_1')
      await link(fixture, 'U2', { userId: 'user_bob', ms: 4 })
      assert.deepEqual(await cards(), [['user_ada'], [], ['user_bob']])
    },
  },
  {
    id: 'bots.read-only',
    name: 'an account that takes no writes keeps its links and conversations as they are, and gets no card; a fault is noted',
    async check(fixture) {
      const { storage, accountId, workspaceId, at } = fixture
      const mine = await link(fixture, 'U1', { ms: 1 })
      const { id: conversationId } = await connect(fixture, 'C1')
      const added = { name: 'b', tier: 'professional', workspaceName: 'b', agent: null } as const
      const theirs = await storage.access.insertAccount(added, at())
      await storage.access.update({ accountId, change: { readOnly: true } }, at())
      const within = { accountId, workspaceIds: 'all' as const }
      const placed = { ...card(workspaceId), conversationId: 'C1', taskId: 'task_1', userId: 'user_ada' }
      const named = { accountId, userId: 'user_ada', linkId: mine?.id ?? '' }
      const abroad = { ...fixture, accountId: theirs.account.id }
      const writes = [
        () => link(fixture, 'U2', { ms: 2 }),
        () => link(abroad, 'U1', { userId: 'user_eve', ms: 3 }),
        () => storage.bots.deleteLink(named, at()),
        () => connect(fixture, 'C2'),
        () => storage.bots.deleteConversation({ within, conversationId }, at()),
        () => storage.bots.placeMessage(placed, at()),
      ]
      for (const write of writes) await assertRefused(write(), 'SERVICE_UNAVAILABLE')
      assert.deepEqual(await linkOf(fixture, 'U1'), mine)
      const fault = { bot: 'chat', externalId: 'C1', failure: 'the bot was removed' }
      assert.equal((await storage.bots.disableConversation(fault, at()))?.id, conversationId)
    },
  },
  {
    id: 'bots.link-of-user',
    name: 'the links and codes of a user go with the user',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const input = { accountId, email: 'ada@bots.example', passwordHash: 'hash', scopes: null }
      const { id: userId } = await storage.access.insertUser(input, at())
      await link(fixture, 'U1', { userId })
      await insertCode(fixture, 'left', { userId })
      await storage.access.deleteUser({ userId, keepKeys: false, mayBeLast: true }, at())
      assert.equal(await linkOf(fixture, 'U1'), undefined)
      assert.equal(await storage.bots.offerLink({ codeHash: 'left', name: '', ...shownBy('U1') }, at()), null)
    },
  },
  {
    id: 'bots.conversations',
    name: 'a conversation belongs to one workspace, which only the account that connected it changes',
    async check(fixture) {
      const { storage, workspaceId, accountId, at, addWorkspace } = fixture
      const made = await connect(fixture, 'C1')
      assert.deepEqual(made, {
        id: made.id,
        bot: 'chat',
        externalId: 'C1',
        title: 'Ops',
        workspaceId,
        accountId,
        connectedBy: 'user_ada',
        createdAt: START,
        failure: null,
      })
      const other = await addWorkspace()
      const moved = await connect(fixture, 'C1', { workspaceId: other.workspaceId })
      assert.deepEqual([moved.id, moved.workspaceId], [made.id, other.workspaceId])
      const theirs = await storage.access.insertAccount(
        { name: 'b', tier: 'professional', workspaceName: 'b', agent: null },
        at(),
      )
      const theirIds = { accountId: theirs.account.id, workspaceId: theirs.workspace.id }
      await assertRefused(connect(fixture, 'C1', theirIds), 'FORBIDDEN')
      await assertRefused(connect(fixture, 'C2', { workspaceId: theirs.workspace.id }), 'NOT_FOUND')
      await assertRefused(connect(fixture, 'C2', { workspaceId: unknownId('ws') }), 'NOT_FOUND')
      const find = (query: Parameters<typeof storage.bots.listConversations>[0]) =>
        storage.bots.listConversations(query, at())
      assert.deepEqual(await find({ bot: 'chat', externalId: 'C1' }), [moved])
      assert.deepEqual(await find({ bot: 'mail', externalId: 'C1' }), [])
      const within = { accountId, workspaceIds: 'all' as const }
      const abroad = { accountId: theirs.account.id, workspaceIds: 'all' as const }
      assert.deepEqual(await find({ within }), [moved])
      assert.deepEqual(await find({ within: { accountId, workspaceIds: [workspaceId] } }), [])
      assert.deepEqual(await find({ within: abroad, conversationId: made.id }), [])
      const remove = (reach: typeof within) =>
        storage.bots.deleteConversation({ within: reach, conversationId: made.id }, at())
      assert.equal(await remove(abroad), false)
      assert.equal(await remove(within), true)
      assert.equal(await remove(within), false)
      assert.equal((await connect(fixture, 'C1', theirIds)).accountId, theirs.account.id)
    },
  },
  {
    id: 'bots.conversation-limits',
    name: 'a workspace has a limited number of conversations, also when several are connected at the same time',
    async check(fixture) {
      const outcomes = await Promise.allSettled(
        ['C1', 'C2', 'C3', 'C4'].map((id) => connect(fixture, id, { most: 2 })),
      )
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 2)
      const { storage, accountId, at } = fixture
      const within = { accountId, workspaceIds: 'all' as const }
      const [first] = await storage.bots.listConversations({ within }, at())
      assert.ok(first !== undefined)
      assert.equal((await connect(fixture, first.externalId, { most: 2 })).id, first.id)
    },
  },
  {
    id: 'bots.conversation-disabled',
    name: 'a conversation that cannot be written in is disabled once, until it is connected again',
    async check(fixture) {
      const { storage, at } = fixture
      await connect(fixture, 'C1')
      const fault = { bot: 'chat', externalId: 'C1', failure: 'the bot was removed' }
      assert.equal((await storage.bots.disableConversation(fault, at()))?.failure, 'the bot was removed')
      assert.equal(await storage.bots.disableConversation(fault, at()), null)
      assert.equal(await storage.bots.disableConversation({ ...fault, externalId: 'C2' }, at()), null)
      assert.equal((await connect(fixture, 'C1')).failure, null)
    },
  },
]
