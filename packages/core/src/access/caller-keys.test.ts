import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'

const HERE = { clientAddress: '203.0.113.7' }
const password = 'correct horse battery'
const FORBIDDEN = expect.objectContaining({ code: 'FORBIDDEN' })

/** A user who is logged in, with the principal of a request that has just begun. */
async function setUp() {
  const board = createTaskboard({
    storage: memoryStorage(),
    logger: false,
    passwordHasher: plainPasswordHasher,
    tokens: { secret: 's'.repeat(32) },
  })
  const owner = { email: 'ada@example.com', password }
  const { account } = await board.accounts.create({ name: 'Acme', tier: 'custom', owner })
  const { id: userId } = await board.accounts.createUser(account.id, { email: 'eve@example.com', password })
  const { login, keys } = board.services
  const tokens = await login?.sessions.login({ email: 'eve@example.com', password }, HERE)
  const header = (name: string) =>
    name === 'authorization' ? `Bearer ${tokens?.accessToken ?? ''}` : undefined
  const request = { method: 'POST', path: '/', ...HERE, header }
  const principal = await board.services.authenticate(request)
  if (principal === null) throw new Error('nobody is logged in')
  return { board, accountId: account.id, userId, keys, principal }
}

describe('a request that began before its user lost rights', () => {
  it('makes and rotates no key with a scope that was lost', async () => {
    const { board, accountId, userId, keys, principal } = await setUp()
    const writes = { name: 'k', scopes: ['tasks:write' as const] }
    const { record } = await keys.create(principal, writes)
    await board.accounts.setRole(accountId, userId, 'viewer')
    await expect(keys.create(principal, writes)).rejects.toEqual(FORBIDDEN)
    await expect(keys.rotate(principal, record.id)).rejects.toEqual(FORBIDDEN)
    expect((await keys.create(principal, { name: 'k', scopes: ['tasks:read'] })).record.createdBy).toBe(
      userId,
    )
    await board.close()
  })

  it('makes and rotates no key when the user was deleted', async () => {
    const { board, userId, keys, principal } = await setUp()
    const reads = { name: 'k', scopes: ['tasks:read' as const] }
    const { record } = await keys.create(principal, reads)
    await board.accounts.deleteUser(userId, { keepKeys: true })
    await expect(keys.create(principal, reads)).rejects.toEqual(FORBIDDEN)
    await expect(keys.rotate(principal, record.id)).rejects.toEqual(FORBIDDEN)
    await board.close()
  })

  it('asks the storage nothing of users of the host’s login', async () => {
    const { board, keys, principal } = await setUp()
    const { sessionId: _, ...given } = principal
    const hosts = { ...given, id: 'host-7' }
    const { record } = await keys.create(hosts, { name: 'k', scopes: ['tasks:read'] })
    expect((await keys.rotate(hosts, record.id)).record.createdBy).toBe('host-7')
    await expect(keys.rotate(principal, record.id)).rejects.toEqual(FORBIDDEN)
    await board.close()
  })
})
