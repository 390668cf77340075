import type { Readable } from 'node:stream'

const MOST_BYTES = 65_536
const EXCERPT_BYTES = 1_024

/**
 * Reads an answer's body to its end, or to 64 KiB, after which the connection is given up. Resolves with its first 1,024
 * bytes as text: what is not UTF-8, and NUL, becomes U+FFFD; a character that is cut off is left out.
 */
export async function readExcerpt(body: Readable): Promise<string> {
  // Giving up early makes the stream say so, to nobody who has not heard.
  body.on('error', () => undefined)
  const head: Uint8Array[] = []
  let headBytes = 0
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (headBytes < EXCERPT_BYTES) {
      const part = chunk.subarray(0, EXCERPT_BYTES - headBytes)
      head.push(part)
      headBytes += part.length
    }
    bytes += chunk.length
    if (bytes >= MOST_BYTES) break
  }
  const cut = bytes > headBytes
  return new TextDecoder().decode(Buffer.concat(head), { stream: cut }).replaceAll('\0', '\u{FFFD}')
}
