import { connect } from 'node:net'

export interface RawResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A raw connection, for requests that an HTTP client wouldn't send and for the following bytes. */
export interface RawConnection {
  send(bytes: string | Uint8Array): void
  /** The next whole response. Rejects when the connection closes before. Responses must have a `content-length`. */
  next(): Promise<RawResponse>
  readonly open: boolean
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>
  close(): void
}

/** Connects to an `http://host:port` address. */
export async function openConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received: Buffer = Buffer.alloc(0)
  let wake: () => void = () => undefined
  let ended = false
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      ended = true
      wake()
      resolve()
    })
  })
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))

  return {
    get open() {
      return !ended
    },
    send: (bytes) => void socket.write(bytes),
    async next() {
      for (;;) {
        const taken = takeResponse(received)
        if (taken !== null) {
          received = taken.rest
          return taken.response
        }
        if (ended)
          throw new Error(`the connection ended after ${JSON.stringify(received.toString('latin1'))}`)
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    closed,
    close: () => void socket.destroy(),
  }
}

function takeResponse(bytes: Buffer): { response: RawResponse; rest: Buffer } | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const headers = new Map(lines.map((line) => splitHeader(line)))
  const status = Number(statusLine.split(' ')[1])
  const bodyStart = headEnd + 4
  const bodyEnd = bodyStart + (status < 200 ? 0 : Number(headers.get('content-length') ?? 0))
  if (bytes.length < bodyEnd) return null
  const body = bytes.subarray(bodyStart, bodyEnd).toString('utf8')
  return { response: { status, headers, body }, rest: bytes.subarray(bodyEnd) }
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

/** A request's bytes, with a `content-length`. */
export function rawRequest(head: readonly string[], body: string | Uint8Array = ''): Buffer {
  const bytes = Buffer.from(body)
  const lines = [...head, 'Host: conformance', `Content-Length: ${bytes.length}`, '', '']
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), bytes])
}
