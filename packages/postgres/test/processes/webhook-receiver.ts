import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface ReceivedDelivery {
  /** `X-Service-Delivery`. */
  readonly id: string
  /** `X-Service-Event`. */
  readonly event: string
  readonly signature: string
  /** The body's bytes, in hexadecimal digits so that they are compared as bytes. */
  readonly bytes: string
}

/** An endpoint that answers 200 to everything, and remembers it in the order in which it came. */
export interface WebhookReceiver {
  readonly url: string
  readonly received: readonly ReceivedDelivery[]
  close(): Promise<void>
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedDelivery[] = []
  const server = createServer((request, response) => {
    const header = (name: string): string => String(request.headers[name])
    void buffer(request).then((body) => {
      received.push({
        id: header('x-service-delivery'),
        event: header('x-service-event'),
        signature: header('x-service-signature'),
        bytes: body.toString('hex'),
      })
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
