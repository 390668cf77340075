import { once } from 'node:events'
import { closeCodes, type RealtimeProtocol } from '@taskboard/core/transport'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { openAuthenticated, openClient } from '@taskboard/kit/realtime/client'
import { serveRealtime, type RealtimeHost } from '../test/realtime-host.js'
import { upgradeStatus } from '../test/upgrade-status.js'

let host: RealtimeHost
afterEach(() => host.close())

it('answers upgrades of an address 429 while too many have no credential, and ends none that has one', async () => {
  host = await serveRealtime({ bounds: { unauthenticatedPerAddress: 2 } })
  const { url, key } = host
  const ours = await openAuthenticated(url, key)
  const theirs = [await openClient(url), await openClient(url)]
  expect(await upgradeStatus(url)).toBe(429)
  ours.say({ type: 'ping', request_id: 'still' })
  await ours.heard(({ type }) => type === 'pong')
  theirs[0]?.cut()
  await expect.poll(() => upgradeStatus(url)).toBe(101)
})

it('counts connections that speak no subprotocol until they are gone', async () => {
  const silent: RealtimeProtocol = {
    path: '/v2/spoken',
    subprotocols: ['spoken'],
    closeCodes,
    open: () => ({ received: () => undefined, ended: () => undefined }),
  }
  host = await serveRealtime({
    bounds: { unauthenticatedPerAddress: 1 },
    attach: { protocols: [silent] },
  })
  const url = host.url.replace('/v2/realtime', '/v2/spoken')
  const wrong = new WebSocket(url)
  wrong.on('open', () => wrong.pause())
  await once(wrong, 'open')
  expect(await upgradeStatus(url)).toBe(429)
  wrong.terminate()
  await expect.poll(() => upgradeStatus(host.url)).toBe(101)
})
