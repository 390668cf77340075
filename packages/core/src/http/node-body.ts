import { joinChunks } from './join-chunks.js'

/** The used part of a Node readable stream of bytes. */
export interface ByteStream {
  /** True once a whole HTTP message has arrived, though not all of it may have been read; absent on other streams. */
  readonly complete?: boolean | undefined
  /** The head of an HTTP message; absent on other streams. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>> | undefined
  /** How many bytes are buffered. */
  readonly readableLength?: number | undefined
  readonly destroyed?: boolean | undefined
  readonly readableEnded?: boolean | undefined
  /** All buffered bytes; null when there are none. */
  read(): Uint8Array | null
  on(event: string, listener: (...values: never[]) => void): unknown
  removeListener(event: string, listener: (...values: never[]) => void): unknown
  destroy(): unknown
}

/** How much of a refused body is discarded, so that the client gets its answer and can reuse the connection. */
const DISCARDED_BYTES = 4 * 1024 * 1024

const NO_BYTES = new Uint8Array(0)

/**
 * All bytes of a stream, or null as soon as there are more than `maxBytes`; then the rest is discarded as in `discardRest`.
 * A small message has usually arrived by then, and its bytes are returned at once, without an event or a promise. Rejects when
 * the stream ends early.
 */
export function readStream(
  stream: ByteStream,
  maxBytes: number,
): Uint8Array | null | Promise<Uint8Array | null> {
  if (!hasArrived(stream)) return collect(stream, maxBytes)
  const bytes = stream.read() ?? NO_BYTES
  return bytes.length > maxBytes ? null : bytes
}

/** Whether all bytes are buffered: the message has ended, or as many have arrived as its `content-length`. */
function hasArrived({ complete, destroyed, headers, readableLength }: ByteStream): boolean {
  if (destroyed === true) return false
  if (complete === true) return true
  const length = headers?.['content-length']
  return length !== undefined && readableLength !== 0 && Number(length) === readableLength
}

function collect(stream: ByteStream, maxBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let total = 0
    const settle = (work: () => void): void => {
      stream.removeListener('data', onData)
      stream.removeListener('end', onEnd)
      stream.removeListener('error', onCut)
      stream.removeListener('close', onCut)
      work()
    }
    const onData = (chunk: Uint8Array): void => {
      total += chunk.length
      if (total <= maxBytes) chunks.push(chunk)
      else
        settle(() => {
          discard(stream)
          resolve(null)
        })
    }
    const onEnd = (): void => settle(() => resolve(joinChunks(chunks, total)))
    const onCut = (): void => settle(() => reject(new Error('the client disconnected before the body ended')))
    if (stream.destroyed === true || stream.readableEnded === true) return onCut()
    stream.on('data', onData)
    stream.on('end', onEnd)
    stream.on('error', onCut)
    stream.on('close', onCut)
  })
}

/**
 * Discards the rest of a refused body, up to 4 MiB; closes the connection of a client that sends more.
 * Call it after the response is sent; does nothing for a message that has arrived completely.
 * @example
 * ```ts
 * import { discardRest } from '@taskboard/core/transport'
 * import { createServer } from 'node:http'
 *
 * const server = createServer((request, response) => {
 *   response.writeHead(413).end('too large')
 *   discardRest(request)
 * })
 * await new Promise<void>((resolve) => server.listen(0, resolve))
 * const address = server.address()
 * const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
 * const { status } = await fetch(url, { method: 'POST', body: 'x'.repeat(100_000) })
 * console.log(status) // 413
 * server.close()
 * server.closeAllConnections()
 * ```
 */
export function discardRest(stream: ByteStream): void {
  if (stream.complete === true || stream.destroyed === true || stream.readableEnded === true) return
  discard(stream)
}

function discard(stream: ByteStream): void {
  let remaining = DISCARDED_BYTES
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Uint8Array) => {
    remaining -= chunk.length
    if (remaining < 0) stream.destroy()
  })
}
