import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard, type Storage } from '../index.js'

const [OLD, NEW, LOST] = ['1', '2', '3'].map((digit) => ({ id: `k${digit}`, key: digit.repeat(64) })) as [
  Key,
  Key,
  Key,
]
interface Key {
  readonly id: string
  readonly key: string
}

/** A board on the storage with keys, of which the first one seals. */
function boardWith(storage: Storage, ...encryptionKey: readonly Key[]) {
  const secrets = { encryptionKey }
  return createTaskboard({ storage, clock: virtualClock(), logger: false, secrets })
}

/** A storage with the secrets of `webhooks` webhooks, sealed with a key, and the check of it. */
async function sealedWith(key: Key, webhooks: number) {
  const storage = memoryStorage() as Storage
  const board = boardWith(storage, key)
  await board.start()
  const { workspace } = await board.accounts.create({ name: 'Acme', tier: 'custom' })
  for (let i = 0; i < webhooks; i++) {
    await board.webhooks.register(workspace.id, {
      url: `https://hooks.example/${i}`,
      events: ['task.created'],
      secret: `a secret of number ${i}`,
    })
  }
  await board.close()
  return { storage, workspaceId: workspace.id }
}

const sealed = async (storage: Storage): Promise<readonly string[]> => {
  const rows = await storage.access.listSealed({ kind: 'webhook', afterId: null, limit: 10_000 }, { now: 0 })
  return rows.flatMap(({ texts }) => Object.values(texts))
}

describe('resealSecrets', () => {
  it('seals all secrets and the check with the first key, after which the other one can go', async () => {
    const { storage } = await sealedWith(OLD, 450)
    const seen: number[] = []
    const onProgress = ({ resealed }: { readonly resealed: number }): void => void seen.push(resealed)
    expect(await boardWith(storage, NEW, OLD).resealSecrets({ onProgress })).toEqual({
      resealed: 450,
      unreadable: 0,
    })
    expect(seen).toEqual([200, 400, 450])
    expect((await sealed(storage)).every((text) => text.startsWith('v1.k2.'))).toBe(true)
    const alone = boardWith(storage, NEW)
    await alone.start()
    expect(await alone.resealSecrets()).toEqual({ resealed: 0, unreadable: 0 })
    await alone.close()
    await expect(boardWith(storage, OLD).start()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  it('goes on after an interruption with what is left, and loses nothing', async () => {
    const { storage } = await sealedWith(OLD, 450)
    let stored = 0
    const replaceSealed: Storage['access']['replaceSealed'] = (change, call) => {
      stored += 1
      // The process ends after its second batch was stored.
      if (stored > 2) return Promise.reject(new Error('killed'))
      return storage.access.replaceSealed(change, call)
    }
    const dying = { ...storage, access: { ...storage.access, replaceSealed } }
    await expect(boardWith(dying, NEW, OLD).resealSecrets()).rejects.toThrow('killed')
    await expect(boardWith(storage, NEW).start()).rejects.toMatchObject({ field: 'secrets.encryptionKey' })
    const half = await sealed(storage)
    expect(half.filter((text) => text.startsWith('v1.k2.'))).toHaveLength(400)
    expect(await boardWith(storage, NEW, OLD).resealSecrets()).toEqual({ resealed: 50, unreadable: 0 })
    expect(await boardWith(storage, NEW).resealSecrets()).toEqual({ resealed: 0, unreadable: 0 })
    expect(await sealed(storage)).toHaveLength(450)
  })

  it('leaves a create of before whose repeat is refused, also once the old key is gone', async () => {
    const { storage, workspaceId } = await sealedWith(OLD, 0)
    const idempotency = { scope: 's', key: 'once', fingerprint: 'f' }
    const url = 'https://hooks.example/once'
    const create = (board: ReturnType<typeof boardWith>, secret: string) =>
      board.services.webhooks.create(workspaceId, { url, events: ['task.created'], secret }, { idempotency })
    const { webhook } = await create(boardWith(storage, OLD, NEW), 'a secret that is long')
    expect(await create(boardWith(storage, OLD), 'a secret that is long')).toMatchObject({ webhook })
    await boardWith(storage, NEW, OLD).resealSecrets()
    for (const keys of [[NEW, OLD], [NEW]]) {
      const repeat = create(boardWith(storage, ...keys), 'a secret that is long')
      await expect(repeat).rejects.toMatchObject({ code: 'CONFLICT' })
    }
  })

  it('leaves what no key opens, and refuses keys that are not those of the board', async () => {
    const { storage, workspaceId } = await sealedWith(OLD, 1)
    const foreign = boardWith(storage, LOST)
    await foreign.webhooks.register(workspaceId, {
      url: 'https://hooks.example/lost',
      events: ['task.created'],
      secret: 'sealed with a key that is lost',
    })
    expect(await boardWith(storage, NEW, OLD).resealSecrets()).toEqual({ resealed: 1, unreadable: 1 })
    expect((await sealed(storage)).map((text) => text.slice(0, 5)).toSorted()).toEqual(['v1.k2', 'v1.k3'])
    await expect(foreign.resealSecrets()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      field: 'secrets.encryptionKey',
    })
    // Not the end of the rotation: whoever takes the old key away now might lose the other secret for good.
    const alone = boardWith(storage, NEW)
    await expect(alone.start()).rejects.toMatchObject({ field: 'secrets.encryptionKey' })
    expect(await boardWith(storage, NEW, OLD, LOST).resealSecrets()).toEqual({ resealed: 1, unreadable: 0 })
    await alone.start()
    await alone.close()
  })

  it('seals the secrets of second factors, too', async () => {
    const storage = memoryStorage() as Storage
    const tokens = { secret: 't'.repeat(32) }
    const options = {
      storage,
      clock: virtualClock(),
      logger: false as const,
      tokens,
      passwordHasher: plainPasswordHasher,
    }
    const before = createTaskboard({ ...options, secrets: { encryptionKey: [OLD] } })
    const { account } = await before.accounts.create({ name: 'Acme', tier: 'custom' })
    const user = await before.accounts.createUser(account.id, {
      email: 'ada@acme.example',
      password: 'a long password',
    })
    const offered = await before.services.login?.mfa.begin(user.id)
    expect(offered).toBeDefined()
    expect(await boardWith(storage, NEW, OLD).resealSecrets()).toEqual({ resealed: 1, unreadable: 0 })
    const after = createTaskboard({ ...options, secrets: { encryptionKey: [NEW] } })
    expect(await after.resealSecrets()).toEqual({ resealed: 0, unreadable: 0 })
  })
})
