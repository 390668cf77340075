import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requireOptionNames } from '@taskboard/core/storage'
import {
  drip,
  hang,
  reset,
  respond,
  type Drip,
  type ParkingClock,
  type ReceiverAnswer,
  type Script,
} from './answers.js'
import { pathOf, receivedDelivery, type ReceivedDelivery } from './received-delivery.js'

/** The script of one path, or of all paths without one. The default answer is 200 with an empty body. */
export interface ReceiverEndpoint {
  readonly url: string
  /** The deliveries so far, in order. */
  readonly deliveries: readonly ReceivedDelivery[]
  /** Responds with a status, with a whole response, or with the result of a function for each delivery. */
  respond(
    answer: ReceiverAnswer | ((delivery: ReceivedDelivery) => ReceiverAnswer | Promise<ReceiverAnswer>),
  ): void
  /** Answers with a redirect. Default status 302. */
  redirect(to: string, status?: number): void
  /** Accepts deliveries and never answers. */
  hang(): void
  /** Begins a 200 and sends its body byte by byte, by default forever. Timed by the receiver's clock. */
  drip(options?: Drip): void
  /** Breaks the connection when a delivery is complete. */
  reset(): void
  /**
   * Resolves with the deliveries once there are at least `count`. Rejects after `timeoutMs` of real time (default 5 s). With a virtual
   * clock, `await clock.advance(…)` first.
   */
  waitFor(count: number, timeoutMs?: number): Promise<readonly ReceivedDelivery[]>
}

/** A web server on loopback that receives deliveries, keeps them, and misbehaves on purpose. */
export interface WebhookReceiver extends ReceiverEndpoint {
  /** The endpoint of one path, with its own deliveries and script. */
  at(path: string): ReceiverEndpoint
  /** Breaks all connections and stops listening. Idempotent. */
  close(): Promise<void>
}

export interface WebhookReceiverOptions {
  /**
   * The clock of the board under test. It dates arrivals. A delivery that is left hanging is parked on it, so that `clock.advance` runs
   * into the sender's timeout instead of waiting for a response.
   */
  readonly clock?: ParkingClock
  /** The prefix of the event, delivery and signature headers. Default `X-Service-`, as on the board. */
  readonly headerPrefix?: string
}

interface Endpoint extends ReceiverEndpoint {
  readonly deliveries: ReceivedDelivery[]
  script(): Script | undefined
}

/**
 * Starts a receiver on 127.0.0.1, at a free port.
 * @example
 * ```ts
 * import { webhookReceiver } from '@taskboard/testing'
 *
 * const receiver = await webhookReceiver()
 * receiver.respond(503) // fails on purpose; register `receiver.url` as a webhook of the board under test
 * const { status } = await fetch(receiver.url, { method: 'POST', body: '{}' })
 * console.log(status, receiver.deliveries.length) // 503 1
 * await receiver.close()
 * ```
 */
export async function webhookReceiver(options: WebhookReceiverOptions = {}): Promise<WebhookReceiver> {
  requireOptionNames<WebhookReceiverOptions>(options, { clock: true, headerPrefix: true })
  const { clock, headerPrefix = 'X-Service-' } = options
  const attempts = new Map<string | null, number>()
  const endpoints = new Map<string, Endpoint>()
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const all = createEndpoint(`${origin}/`, clock)

  function attemptOf(id: string | null): number {
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    return attempt
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const at = clock ? clock.now() : Date.now()
    const delivery = receivedDelivery(request, Buffer.concat(chunks), { headerPrefix, at, attemptOf })
    const own = endpoints.get(pathOf(request))
    own?.deliveries.push(delivery)
    all.deliveries.push(delivery)
    server.emit('delivery')
    const script = own?.script() ?? all.script() ?? respond(200)
    await script(delivery, response)
  }

  function createEndpoint(url: string, time: ParkingClock | undefined): Endpoint {
    const deliveries: ReceivedDelivery[] = []
    let script: Script | undefined
    return {
      url,
      deliveries,
      script: () => script,
      respond: (answer) => (script = respond(answer)),
      redirect: (to, status = 302) => (script = respond({ status, headers: { location: to } })),
      hang: () => (script = hang(time)),
      drip: (how = {}) => (script = drip(time, how)),
      reset: () => (script = reset()),
      async waitFor(count, timeoutMs = 5_000) {
        const signal = AbortSignal.timeout(timeoutMs)
        while (deliveries.length < count) {
          await once(server, 'delivery', { signal }).catch(() => {
            throw new Error(`${deliveries.length} of ${count} deliveries arrived within ${timeoutMs} ms`)
          })
        }
        return deliveries
      },
    }
  }

  return {
    ...all,
    at(path) {
      const known = endpoints.get(path) ?? createEndpoint(`${origin}${path}`, clock)
      endpoints.set(path, known)
      return known
    },
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
