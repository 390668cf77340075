import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { serveRealtime, type RealtimeHost, type RealtimeHostOptions } from '../test/realtime-host.js'
import { upgradeStatus } from '../test/upgrade-status.js'

const hosts: RealtimeHost[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function serve(options?: RealtimeHostOptions): Promise<RealtimeHost> {
  const host = await serveRealtime(options)
  hosts.push(host)
  return host
}

describe('an upgrade', () => {
  it('is refused to a page of another origin with a cookie of the host’s login', async () => {
    const { url } = await serve({ authenticate: () => null, allowedOrigins: ['https://panel.example'] })
    const own = url.replace('ws:', 'http:').replace('/v2/realtime', '')
    const statusFor = (headers: object) =>
      upgradeStatus(url, 'websocket', { cookie: 'session=1', ...headers })
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: own.replace(/\d+$/, '1') },
      { origin: own, 'sec-fetch-site': 'same-site' },
      {},
    ]) {
      expect([headers, await statusFor(headers)]).toEqual([headers, 403])
    }
    for (const headers of [
      { origin: own },
      { origin: own.replace('http:', 'https:') },
      { 'sec-fetch-site': 'same-origin' },
      { origin: 'https://panel.example', 'sec-fetch-site': 'cross-site' },
      { authorization: 'Bearer x', origin: 'https://evil.example' },
      { cookie: [], origin: 'https://evil.example' },
    ]) {
      expect([headers, await statusFor(headers)]).toEqual([headers, 101])
    }
  })

  it('is refused with the reason', async () => {
    const { url } = await serve({ authenticate: () => null })
    const socket = new WebSocket(url, { headers: { cookie: 'session=1' }, origin: 'https://evil.example' })
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    const chunks = (await response.toArray()) as Buffer[]
    const { error } = JSON.parse(Buffer.concat(chunks).toString()) as { error: object }
    expect(response.headers['x-request-id']).toMatch(/^req_/)
    expect(error).toMatchObject({
      code: 'AUTHORIZATION_FAILED',
      message: expect.stringContaining('allowedOrigins'),
    })
  })

  it('is open to pages of any origin where no cookie is a credential', async () => {
    const { url } = await serve()
    const headers = { cookie: 'session=1', origin: 'https://evil.example' }
    expect(await upgradeStatus(url, 'websocket', headers)).toBe(101)
  })
})
