import type { Client } from '@modelcontextprotocol/client'
import type { TaskboardOptions } from '@taskboard/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect } from '@taskboard/kit/mcp/mcp-client'
import { type McpHost, mounts, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { listenTo } from '../test/raw-requests.js'

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

  it('shows a host’s own login the request that opened it', async () => {
    const seen: unknown[] = []
    const authenticate: TaskboardOptions['authenticate'] = ({ raw, isConnection }) => {
      const { headers } = raw as { readonly headers: Record<string, string> }
      seen.push([headers['authorization'], isConnection])
      const rights = { tier: 'enterprise', scopes: ['tasks:read'], workspaceIds: 'all' } as const
      const { accountId, workspaceId: defaultWorkspaceId } = host
      return { id: 'ada', kind: 'user', accountId, defaultWorkspaceId, ...rights }
    }
    host = await serveMcp({ mount, board: { authenticate } })
    const uris = [`board://${host.workspaceId}`]
    const { status, body } = await listenTo(host, uris, { key: 'of-the-host' })
    expect(status).toBe(200)
    await body?.cancel()
    expect(seen.slice(0, 2)).toEqual([
      ['Bearer of-the-host', undefined],
      ['Bearer of-the-host', true],
    ])
  })

  it('ends when the board closes', async () => {
    host = await serveMcp({ mount })
    const { subscription } = await follow(host.url, host.workerKey, [`board://${host.workspaceId}`])
    await host.taskboard.close({ drainTimeoutMs: 0 })
    expect(await subscription.closed).toBeDefined()
  })
})

describe.each(mounts)('a hostile subscriber, on %s', (_, mount) => {
  const isFreed = () => vi.waitFor(() => expect(host.taskboard.services.realtime.isHeard).toBe(false), 5_000)

  it('is refused beyond the connections of the account, under the id of the request', async () => {
    host = await serveMcp({ mount, board: { tiers: { enterprise: { webSocketConnections: 2 } } } })
    const uris = [`board://${host.workspaceId}`]
    const open = [await listenTo(host, uris), await listenTo(host, uris)]
    const refused = await listenTo(host, uris, { id: 'third' })
    expect(refused.status).toBe(402)
    expect(await refused.json()).toMatchObject({
      id: 'third',
      error: { code: -32000, data: { error: { code: 'QUOTA_EXCEEDED' } } },
    })
    for (const { body } of open) await body?.cancel()
    await isFreed()
    const again = await listenTo(host, uris)
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })

  it('leaves nothing behind when it disconnects, also before its answer', async () => {
    host = await serveMcp({ mount })
    const uris = [`board://${host.workspaceId}`]
    const left = await Promise.allSettled(
      Array.from({ length: 20 }, async (__, index) => {
        const gone = new AbortController()
        setTimeout(() => gone.abort(), index)
        const response = await listenTo(host, uris, { signal: gone.signal })
        return response.text()
      }),
    )
    expect(left.map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
    await isFreed()
  })

  it('is refused with an id so long that notifications would repeat it', async () => {
    host = await serveMcp({ mount })
    const refused = await listenTo(host, [`board://${host.workspaceId}`], { id: 'i'.repeat(256) })
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: -32602 } }])
    expect(host.taskboard.services.realtime.isHeard).toBe(false)
  })
})

describe('a subscription', () => {
  it('ends when its key expires', async () => {
    host = await serveMcp()
    const { accountId } = host
    const expiresAt = Date.now() + 3_000
    const scopes = ['tasks:read' as const]
    const { key } = await host.taskboard.accounts.createKey({ accountId, name: 'short', scopes, expiresAt })
    const { subscription } = await follow(host.url, key, [`board://${host.workspaceId}`])
    expect(await subscription.closed).toBeDefined()
    expect((await listenTo(host, [], { key })).status).toBe(401)
  })

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
