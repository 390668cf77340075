import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import type { Scope, Storage } from '@taskboard/core'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { HOUR, type StorageFixture } from '../storage-fixture.js'
import { addUser } from './session-cases.js'

const WAIT_MS = 100
const NARROW: readonly Scope[] = ['tasks:read']
const WIDE: readonly Scope[] = ['tasks:read', 'tasks:write']

/** Does `second` while the transaction of `first` is open, for which it waits. */
async function overlapping<T>(
  storage: Storage,
  first: (tx: unknown) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const begin = AsyncResource.bind(second)
  let begun: Promise<T> | undefined
  await storage.transaction(async (tx) => {
    await first(tx)
    begun = begin()
    begun.catch(() => undefined)
    const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, WAIT_MS, false))
    const settled = begun.then(
      () => true,
      () => true,
    )
    assert.equal(await Promise.race([settled, timeout]), false, 'it waits')
  })
  return begun as Promise<T>
}

/** A user, who isn't the only owner, with keys. */
async function keyMaker(fixture: StorageFixture) {
  const { storage, accountId, workspaceId, at } = fixture
  const { access } = storage
  await addUser(fixture, 'owner@example.com')
  const user = { accountId, email: 'eve@example.com', passwordHash: 'h', scopes: WIDE }
  const { id: userId } = await access.insertUser(user, at())
  const reach = { accountId, workspaceIds: 'all' } as const
  let count = 0
  const secret = () => ({ prefix: 'p', hash: String(count++).padStart(64, '0'), isOfUser: true })
  return {
    make(tx?: unknown) {
      const { isOfUser, ...own } = secret()
      const place = { accountId, workspaceId: null, defaultWorkspaceId: workspaceId }
      const key = { ...place, ...own, name: 'k', scopes: WIDE, createdBy: userId, expiresAt: null }
      return access.insertApiKey({ key, isOfUser, idempotency: null }, at(0, tx))
    },
    rotate: (keyId: string, tx?: unknown) =>
      access.rotateApiKey({ reach, keyId, ...secret(), overlapMs: HOUR, idempotency: null }, at(0, tx)),
    setScopes: (scopes: readonly Scope[], tx?: unknown) =>
      access.setUserScopes({ accountId, userId, scopes }, at(0, tx)),
    remove: (tx?: unknown) => access.deleteUser({ userId, keepKeys: false, mayBeLast: false }, at(0, tx)),
  }
}

/** Changes of who may do what that meet: each comes before the other one or after it. */
export const overlapCases: readonly StorageCheck[] = [
  {
    id: 'access.overlapping-keys',
    name: 'a key that is made or rotated while its maker loses a scope is revoked or refused, in either order',
    async check(fixture) {
      const { storage } = fixture
      const { make, rotate, setScopes } = await keyMaker(fixture)
      const narrow = () => setScopes(NARROW)
      const made: string[] = []
      const note = async (key: Promise<{ readonly id: string }>) => void made.push((await key).id)
      const first = await overlapping(storage, (tx) => note(make(tx)), narrow)
      assert.deepEqual(first.keys, made)
      await setScopes(WIDE)
      await assertRefused(
        overlapping(
          storage,
          (tx) => setScopes(NARROW, tx),
          () => make(),
        ),
        'FORBIDDEN',
      )
      await setScopes(WIDE)
      const { id } = await make()
      const rotated: string[] = [id]
      const rotateIn = async (tx: unknown) => void rotated.push((await rotate(id, tx)).added.id)
      const second = await overlapping(storage, rotateIn, narrow)
      assert.deepEqual(second.keys.toSorted(), rotated.toSorted())
      await setScopes(WIDE)
      const other = await make()
      await assertRefused(
        overlapping(
          storage,
          (tx) => setScopes(NARROW, tx),
          () => rotate(other.id),
        ),
        'FORBIDDEN',
      )
    },
  },
  {
    id: 'access.overlapping-deletion',
    name: 'a key that is made while its maker is deleted is revoked, and of two owners who are deleted at once one stays',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access } = storage
      const { make, remove } = await keyMaker(fixture)
      const made: string[] = []
      const makeIn = async (tx: unknown) => void made.push((await make(tx)).id)
      assert.deepEqual((await overlapping(storage, makeIn, () => remove())).keys, made)
      await addUser(fixture, 'second@example.com')
      const [one, two] = await access.listUsers({ accountId }, at())
      const drop = (userId = '', tx?: unknown) =>
        access.deleteUser({ userId, keepKeys: false, mayBeLast: false }, at(0, tx))
      await assertRefused(
        overlapping(
          storage,
          (tx) => drop(one?.id, tx),
          () => drop(two?.id),
        ),
        'CONFLICT',
      )
      assert.deepEqual(await access.listUsers({ accountId }, at()), [two])
    },
  },
]
