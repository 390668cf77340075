import { createTaskboard } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { ensureOwner } from './demo-owner.js'

const NOBODY = { ownerEmail: null, ownerPassword: null }

async function setUp() {
  const taskboard = createTaskboard({ storage: memoryStorage(), tokens: { secret: 'x'.repeat(32) } })
  const { account } = await taskboard.accounts.create({ name: 'Demo', tier: 'professional' })
  const emails = async () => (await taskboard.accounts.listUsers(account.id)).map(({ email }) => email)
  return { taskboard, accountId: account.id, emails }
}

describe('ensureOwner', () => {
  it('creates a default owner with a password that is returned once', async () => {
    const { taskboard, accountId, emails } = await setUp()
    const first = await ensureOwner(taskboard, accountId, NOBODY)
    expect(first.email).toBe('owner@taskboard.example')
    expect(first.password).toMatch(/^[\w-]{24}$/)
    expect(await ensureOwner(taskboard, accountId, NOBODY)).toEqual({ ...first, password: null })
    expect(await emails()).toEqual([first.email])
  })

  it('uses the owner that the settings name, and does not return a given password', async () => {
    const { taskboard, accountId, emails } = await setUp()
    const settings = { ownerEmail: 'Ada@Example.com', ownerPassword: 'a long enough one' }
    expect(await ensureOwner(taskboard, accountId, settings)).toEqual({
      email: 'ada@example.com',
      password: null,
    })
    expect(await ensureOwner(taskboard, accountId, settings)).toEqual({
      email: 'ada@example.com',
      password: null,
    })
    expect(await ensureOwner(taskboard, accountId, NOBODY)).toEqual({
      email: 'ada@example.com',
      password: null,
    })
    expect(await emails()).toEqual(['ada@example.com'])
  })

  it.each([
    [{ ownerEmail: 'nobody', ownerPassword: null }, /^TASKBOARD_OWNER_EMAIL cannot be used: /],
    [{ ownerEmail: null, ownerPassword: 'short' }, /^TASKBOARD_OWNER_PASSWORD cannot be used: /],
  ])('refuses %j and names the variable', async (settings, reason) => {
    const { taskboard, accountId } = await setUp()
    await expect(ensureOwner(taskboard, accountId, settings)).rejects.toThrow(reason)
  })
})
