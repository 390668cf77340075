import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect } from '../test/mcp-client.js'
import { type McpHost, mounts, serveMcp } from '../test/mcp-host.js'

let host: McpHost
const clients: Client[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await host.close()
})

async function follow(url: string, key: string, uris: readonly string[]) {
  const client = await connect(url, key)
  clients.push(client)
  const seen: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void seen.push(params.uri))
  const subscription = await client.listen({ resourceSubscriptions: [...uris] })
  return { client, seen, subscription }
}

describe.each(mounts)('a subscription, on %s', (_, mount) => {
  it('brings changes of the wanted tasks and boards, and nothing of another account', async () => {
    host = await serveMcp({ mount })
    const { id } = await host.board.add({ title: 'wanted' })
    const { id: otherId } = await host.board.add({ title: 'not wanted' })
    const stranger = await host.taskboard.accounts.create({ name: 'Other', tier: 'enterprise' })
    const foreign = host.taskboard.board(stranger.workspace.id)
    const { id: foreignId } = await foreign.add({ title: 'secret' })
    const uris = [
      `task://${id}`,
      `board://${host.workspaceId}`,
      `task://${foreignId}`,
      `board://${stranger.workspace.id}`,
    ]
    const { seen, subscription } = await follow(host.url, host.workerKey, uris)
    await foreign.move(foreignId, 'DONE')
    await host.board.move(otherId, 'DONE')
    await host.board.move(id, 'DONE')
    await vi.waitFor(() => expect(seen).toContain(`task://${id}`))
    expect(new Set(seen)).toEqual(new Set([`task://${id}`, `board://${host.workspaceId}`]))
    await subscription.close()
    await vi.waitFor(() => expect(host.taskboard.services.realtime.isHeard).toBe(false))
  })

  it('ends when the board closes', async () => {
    host = await serveMcp({ mount })
    const { subscription } = await follow(host.url, host.workerKey, [`board://${host.workspaceId}`])
    await host.taskboard.close({ drainTimeoutMs: 0 })
    expect(await subscription.closed).toBeDefined()
  })
})

describe('a subscription', () => {
  it('ends when its key is revoked', async () => {
    host = await serveMcp()
    const { accountId } = host
    const made = await host.taskboard.accounts.createKey({ accountId, name: 'short', scopes: ['tasks:read'] })
    const { subscription } = await follow(host.url, made.key, [`board://${host.workspaceId}`])
    await host.taskboard.accounts.revokeKey(accountId, made.id)
    expect(await subscription.closed).toBeDefined()
  })

  it('is refused without the scope', async () => {
    host = await serveMcp()
    const key = await host.createKey('analytics:read')
    await expect(follow(host.url, key, [`board://${host.workspaceId}`])).rejects.toThrow('lacks the scope')
  })
})
