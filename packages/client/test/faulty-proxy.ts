import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'

/** What happens to one request. `cut` and `halve` do so after the server has carried it out and answered. */
type Fault =
  | { readonly answer: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'cut'
  | 'halve'

export interface FaultyProxy {
  /** What arrived, in order. */
  readonly requests: {
    readonly method: string
    readonly path: string
    readonly headers: IncomingHttpHeaders
  }[]
  readonly baseUrl: string
  /** The faults of the next requests, one each. */
  readonly faults: Fault[]
  close(): Promise<void>
}

/** Passes requests on to the server at `target`, apart from those that a fault is for. */
export async function faultyProxy(target: string): Promise<FaultyProxy> {
  const { origin, pathname } = new URL(target)
  const requests: FaultyProxy['requests'] = []
  const faults: Fault[] = []
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    requests.push({ method, path: url.slice(pathname.length), headers })
    const fault = faults.shift()
    const body = await buffer(request)
    if (typeof fault === 'object') {
      response.writeHead(fault.answer, fault.headers).end(fault.body)
      return
    }
    const { host: _, connection: __, 'content-length': ___, ...passed } = headers
    const answer = await fetch(origin + url, {
      method,
      headers: passed as Record<string, string>,
      ...(body.length > 0 && { body }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (fault === 'cut') return void request.socket.destroy()
    const { 'transfer-encoding': ____, ...kept } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, kept)
    if (fault !== 'halve') return void response.end(bytes)
    response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy())
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    requests,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    faults,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
