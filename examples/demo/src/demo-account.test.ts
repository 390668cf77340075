import { createTaskboard, defineAgent } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { ensureDemo, ensureWorker, mintDemoKey } from './demo-account.js'

describe('ensureDemo', () => {
  it('makes an account once, and finds it again on the same storage', async () => {
    const storage = memoryStorage()
    const first = await ensureDemo(createTaskboard({ storage }))
    const again = await ensureDemo(createTaskboard({ storage }))
    expect(first).toMatchObject({ accountName: 'Demo', isNew: true })
    expect(again).toEqual({ ...first, isNew: false })
  })

  it('takes what the storage has', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
    expect(await ensureDemo(taskboard)).toEqual({
      accountId: account.id,
      workspaceId: workspace.id,
      accountName: 'Acme',
      isNew: false,
    })
  })
})

describe('mintDemoKey', () => {
  it('makes a key of one workspace that ends after a day', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const { key, expiresAt } = await mintDemoKey(taskboard, workspace.id)
    const [record] = await taskboard.accounts.listKeys(account.id)
    expect(record).toMatchObject({ workspaceId: workspace.id, expiresAt })
    expect(expiresAt - (record?.createdAt ?? 0)).toBeLessThanOrEqual(86_400_000)
    expect(JSON.stringify(record)).not.toContain(key)
  })
})

describe('ensureWorker', () => {
  it('makes an agent once, and keys that cannot decide', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const first = await ensureWorker(taskboard, workspace.id)
    const again = await ensureWorker(taskboard, workspace.id)
    expect(again.agentId).toBe(first.agentId)
    expect((await taskboard.agents.list(workspace.id)).map(({ id }) => id)).toEqual([first.agentId])
    const keys = await taskboard.accounts.listKeys(account.id)
    expect(keys.map(({ scopes }) => scopes)).toEqual([
      ['tasks:read', 'tasks:write', 'agents:read'],
      ['tasks:read', 'tasks:write', 'agents:read'],
    ])
  })

  it('takes the agent that the workspace has', async () => {
    const agents = [defineAgent({ type: 'writer', run: () => '' })]
    const taskboard = createTaskboard({ storage: memoryStorage(), agents })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const [own] = await taskboard.agents.list(workspace.id)
    expect((await ensureWorker(taskboard, workspace.id)).agentId).toBe(own?.id)
  })
})
