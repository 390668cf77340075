import { verifySignature } from '@taskboard/core'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { randomness } from '../simulation/randomness.js'
import { cert, key } from './certificate.js'
import { RECEIVER_HOST } from './messages.js'
import type { Journal } from './observations.js'

/** An HTTPS server that receives webhooks, and behaves badly by its seed. */
export interface Receiver {
  /** Its URL for the webhook with this secret. */
  urlOf(secret: string): string
  /** Accepts everything from now on. */
  mend(): void
  close(): Promise<void>
}

/** How many of a hundred requests get which treatment; the others are accepted. */
const REFUSED = 10
const HUNG = 5
const DROPPED = 8
const DROPPED_UNREAD = 5
const HANG_MS = 3_000

export async function startReceiver(seed: number, journal: Journal): Promise<Receiver> {
  const draw = randomness(seed)
  let isMended = false

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fate = isMended ? 100 : draw.below(100)
    if (fate < DROPPED_UNREAD) return void request.destroy()
    const body = await buffer(request)
    const secret = (request.url ?? '/').slice(1)
    const header = (name: string): string => String(request.headers[name] ?? '')
    const bad = fate - DROPPED_UNREAD
    const isAccepted = bad >= REFUSED + HUNG + DROPPED
    journal.record({
      kind: 'received',
      deliveryId: header('x-service-delivery'),
      type: header('x-service-event'),
      digest: createHash('sha256').update(body).digest('hex'),
      isSigned: verifySignature(secret, body, header('x-service-signature')),
      isAccepted,
      atMs: Date.now(),
    })
    if (isAccepted) response.writeHead(200).end()
    else if (bad < REFUSED) response.writeHead(draw.pick([429, 500, 503])).end()
    else if (bad < REFUSED + HUNG) setTimeout(() => request.destroy(), HANG_MS).unref()
    else request.destroy()
  }

  const server: Server = createServer({ key, cert }, (request, response) => {
    receive(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (secret) => `https://${RECEIVER_HOST}:${port}/${secret}`,
    mend: () => void (isMended = true),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
