import { request as send } from 'node:http'

/** A request. `body` is sent as JSON unless it is text or bytes. */
export interface ClientRequest {
  readonly method?: string | undefined
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
}

export interface ClientResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The body as JSON; throws when it isn't. */
  json(): Record<string, unknown>
}

/** Sends one request over a separate connection. A body is sent as `application/json` unless the headers set another type. */
export async function sendRequest(url: string, request: ClientRequest): Promise<ClientResponse> {
  const { bytes, ...rest } = await sendBytes(url, request)
  const text = bytes.toString('utf8')
  return { ...rest, text, json: () => JSON.parse(text) as Record<string, unknown> }
}

/** The same, with the bytes of the response. */
export function sendBytes(
  url: string,
  { method, path, headers, body }: ClientRequest,
): Promise<Pick<ClientResponse, 'status' | 'headers'> & { readonly bytes: Buffer }> {
  const bytes = toBytes(body)
  const isChunked = headers?.['transfer-encoding'] !== undefined
  const defaults =
    bytes === undefined
      ? {}
      : { 'content-type': 'application/json', ...(isChunked ? {} : { 'content-length': bytes.length }) }
  return new Promise((resolve, reject) => {
    const options = {
      method: method ?? 'GET',
      path,
      headers: { ...defaults, ...headers },
      agent: false as const,
    }
    const outgoing = send(url, options, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          bytes: Buffer.concat(chunks),
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
