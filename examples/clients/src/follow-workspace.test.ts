import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskboard } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { attachRealtime } from '@taskboard/ws'
import { afterEach, describe, expect, it } from 'vitest'
import { openCuttingProxy, startFollower, type Follower } from '../test/index.js'
import type { RealtimeMessage } from './realtime-message.js'

const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function serve() {
  const taskboard = createTaskboard({ storage: memoryStorage() })
  const server = createServer()
  attachRealtime(server, taskboard)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUps.push(async () => {
    await taskboard.close()
    server.close()
    await once(server, 'close')
  })
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'client',
    scopes: ['tasks:read'],
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { taskboard, board: taskboard.board(workspace.id), url, key, workspaceId: workspace.id }
}

function follow(...args: Parameters<typeof startFollower>): Follower {
  const follower = startFollower(...args)
  cleanUps.push(() => follower.stop().catch(() => undefined))
  return follower
}

const isSubscribed = ({ type }: RealtimeMessage): boolean => type === 'subscribed'
const isAbout =
  (wanted: string) =>
  ({ data }: RealtimeMessage): boolean =>
    data?.title === wanted
const events = ({ messages }: Follower) => messages.filter((message) => !isSubscribed(message))

describe('followWorkspace', () => {
  it('receives everything once and in order, over twenty cuts with work in the meantime', async () => {
    const { taskboard, board, url, key, workspaceId } = await serve()
    await taskboard.start()
    const proxy = await openCuttingProxy(url)
    cleanUps.push(() => proxy.close())
    await board.add({ title: 'before' })
    const follower = follow({ url: proxy.url, key }, workspaceId)
    await follower.heard(isSubscribed)
    for (let n = 0; n < 20; n++) {
      await board.add({ title: `before cut ${n}` })
      if (n % 2 === 0) await follower.heard(isAbout(`before cut ${n}`))
      proxy.cut()
      const { id } = await board.add({ title: `during cut ${n}` })
      await board.move(id, 'DONE')
      proxy.mend()
      if (n % 3 === 0) await follower.heard(isAbout(`during cut ${n}`))
    }
    await board.add({ title: 'last' })
    await follower.heard(isAbout('last'))
    const unbroken = follow({ url, key }, workspaceId, 0)
    await unbroken.heard(isAbout('last'))
    expect(events(unbroken)).toHaveLength(62)
    expect(events(follower)).toEqual(events(unbroken).slice(1))
    expect(proxy.passed).toBeGreaterThanOrEqual(7)
  })

  it('retries until the board is started, and ends with its signal', async () => {
    const { taskboard, board, url, key, workspaceId } = await serve()
    const follower = follow({ url, key }, workspaceId)
    expect(await follower.cut()).toMatchObject({ code: 1006, reason: 'Unexpected server response: 503' })
    await taskboard.start()
    await follower.heard(isSubscribed)
    await board.add({ title: 'heard' })
    await follower.heard(isAbout('heard'))
    await follower.stop()
    await expect(follower.ended).resolves.toBeUndefined()
  })

  it('reconnects after a server that ends, and its signal ends the wait', async () => {
    const { taskboard, url, key, workspaceId } = await serve()
    await taskboard.start()
    const follower = follow({ url, key }, workspaceId)
    await follower.heard(isSubscribed)
    await taskboard.close()
    expect(await follower.cut()).toMatchObject({ code: 1001, error: null })
    await follower.stop()
  })

  it('starts at the end of the log when its place is ahead of it', async () => {
    const { taskboard, board, url, key, workspaceId } = await serve()
    await taskboard.start()
    await board.add({ title: 'restored' })
    const follower = follow({ url, key }, workspaceId, 7)
    expect(await follower.heard(isSubscribed)).toMatchObject({ seq: 1, resumed: false })
  })

  it('ends with the reason when a retry cannot help', async () => {
    const { taskboard, url, key, workspaceId } = await serve()
    await taskboard.start()
    const wrongKey = follow({ url, key: 'tb_wrong' }, workspaceId)
    await expect(wrongKey.ended).rejects.toThrow('AUTHENTICATION_FAILED')
    const wrongWorkspace = follow({ url, key }, 'ws_00000000000000000000000000')
    await expect(wrongWorkspace.ended).rejects.toThrow('RESOURCE_NOT_FOUND')
    expect([wrongKey.cuts, wrongWorkspace.cuts]).toEqual([[], []])
  })
})
