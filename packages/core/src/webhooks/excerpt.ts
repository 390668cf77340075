const MOST_BYTES = 65_536
const EXCERPT_BYTES = 1_024

/** The beginning of an answer's body. */
export interface Excerpt {
  /** Adds the next bytes; false when 64 KiB have arrived and no more are needed. */
  add(chunk: Uint8Array): boolean
  /** Its first 1,024 bytes as text. Invalid UTF-8 and NUL become U+FFFD; a character that is cut off is left out. */
  text(): string
}

export function createExcerpt(): Excerpt {
  const head: Uint8Array[] = []
  let headBytes = 0
  let bytes = 0
  return {
    add(chunk) {
      if (headBytes < EXCERPT_BYTES) {
        const part = chunk.subarray(0, EXCERPT_BYTES - headBytes)
        head.push(part)
        headBytes += part.length
      }
      bytes += chunk.length
      return bytes < MOST_BYTES
    },
    text() {
      const cut = bytes > headBytes
      return new TextDecoder().decode(Buffer.concat(head), { stream: cut }).replaceAll('\0', '\u{FFFD}')
    },
  }
}
