import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../environment/index.js'
import { createEndpointGuard } from './endpoint-guard.js'
import type { Resolver } from './resolver.js'
import type { SendResult } from './sender.js'
import { createUndiciSender } from './undici-sender.js'

/** Self-signed for receiver.test, valid until 2120, and used nowhere else. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVaDdvcuYxx/IJA3b
jSut5j2xUTcP2sS78jppo8I8KpehRANCAASZZE7I3v8Hjc4iQj7rGqDEabxFkGMU
dTXwoyvE4ZE9HAtHiekoChfSDdXmfVCEIW+VSOuAOk42L8uXImcxP5aj
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1yZWNlaXZl
ci50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1yZWNlaXZlci50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmWRO
yN7/B43OIkI+6xqgxGm8RZBjFHU18KMrxOGRPRwLR4npKAoX0g3V5n1QhCFvlUjr
gDpONi/LlyJnMT+Wo6NMMEowGAYDVR0RBBEwD4INcmVjZWl2ZXIudGVzdDAPBgNV
HRMBAf8EBTADAQH/MB0GA1UdDgQWBBTwEGl2EblGPdrYiNMHl/7W4dkqmDAKBggq
hkjOPQQDAgNIADBFAiEA7z44NOguaiS0xCxCUvc+Q9qvuYM6GKOw+nee2b9eknAC
IGiFh2uhjhe2htvT+qQqDGrahLkjmDQIaKu1oU5q7dj0
-----END CERTIFICATE-----`

const resolver: Resolver = { resolve: async () => [{ address: '127.0.0.1', family: 4 }] }
let server: Server
let port: number

beforeAll(async () => {
  server = createServer({ key, cert }, (_, response) => response.end('over TLS'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

async function sendTo(name: string, ca?: string): Promise<SendResult> {
  const guard = createEndpointGuard({ allow: ['127.0.0.1'] })
  const sender = createUndiciSender({ clock: systemClock, guard, resolver, ca })
  const { signal } = new AbortController()
  try {
    return await sender.send({
      url: `https://${name}:${port}/`,
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 5_000,
      signal,
    })
  } finally {
    await sender.close()
  }
}

it('refuses an untrusted certificate', async () => {
  await expect(sendTo('receiver.test')).resolves.toEqual({
    kind: 'unanswered',
    error: 'tls',
    detail: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
})

it('accepts one of an authority that the host configured', async () => {
  await expect(sendTo('receiver.test', cert)).resolves.toEqual({
    kind: 'answered',
    status: 200,
    excerpt: 'over TLS',
  })
})

it('refuses a valid certificate of another name', async () => {
  await expect(sendTo('other.test', cert)).resolves.toEqual({
    kind: 'unanswered',
    error: 'tls',
    detail: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
})
