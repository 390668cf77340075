import { toFetchHandler, type TransportServices } from '@taskboard/core/transport'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Serves the board API on a free port of 127.0.0.1. */
export async function serveBoard(taskboard: { readonly services: TransportServices }): Promise<string> {
  const handle = toFetchHandler(taskboard)

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
    const body = method === 'GET' ? null : await text(incoming)
    const request = new Request(new URL(url, 'http://127.0.0.1'), {
      method,
      headers: Object.fromEntries(headers) as Record<string, string>,
      body,
    })
    const response = await handle(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  }

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error))
  }).listen(0, '127.0.0.1')
  // A process that is held for longer than the default of 5 s must not disconnect a client that retries.
  server.keepAliveTimeout = 60_000
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/board`
}
