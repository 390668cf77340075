import type { SendErrorKind, SendResult } from './sender.js'
import type { Dispatcher } from './undici.js'

const MOST_BYTES = 65_536
const EXCERPT_BYTES = 1_024

/** The beginning of an answer's body. */
interface Excerpt {
  /** Adds the next bytes; false when 64 KiB have arrived and no more are needed. */
  add(chunk: Uint8Array): boolean
  /** Its first 1,024 bytes as text. Invalid UTF-8 and NUL become U+FFFD; a character that is cut off is left out. */
  text(): string
}

function createExcerpt(): Excerpt {
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

const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|EPROTO)/

const CODE = /^[A-Z][A-Z0-9_]{1,63}$/

/**
 * The logged error of a send that threw. Only codes are kept: the runtime's messages name addresses, which would reveal the
 * host's network to the owner of a webhook.
 */
export function describeFault(error: unknown): { error: SendErrorKind; detail: string } {
  const code = findCode(error)
  if (code === 'REFUSED_ADDRESS') return { error: 'refused_address', detail: (error as Error).message }
  if (code === null) return { error: 'network', detail: 'the request failed' }
  return { error: TLS_CODE.test(code) ? 'tls' : 'network', detail: code }
}

function findCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  if (typeof code === 'string' && CODE.test(code)) return code
  return cause === undefined ? null : findCode(cause)
}

/**
 * Turns undici's callbacks for one request into the result of a send, without a stream or promise. Ends once: with a full response
 * (or as much of it as is read), an error, or the result passed to `end`.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #onEnd: (result: SendResult) => void
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #excerpt: Excerpt | undefined
  #hasEnded = false

  /** `onEnd` is called once. */
  constructor(onEnd: (result: SendResult) => void) {
    this.#onEnd = onEnd
  }

  /** Aborts the request and its connection; no effect once it is over. */
  end(result: SendResult): void {
    if (this.#hasEnded) return
    this.#settle(result)
    this.#controller?.abort(new Error('aborted'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It was aborted while it waited for a connection.
    if (this.#hasEnded) controller.abort(new Error('aborted'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#excerpt ??= createExcerpt()
    if (!this.#excerpt.add(chunk)) this.end(this.#answered())
  }

  onResponseEnd(): void {
    this.#settle(this.#answered())
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle({ kind: 'unanswered', ...describeFault(error) })
  }

  #answered(): SendResult {
    return { kind: 'answered', status: this.#status, excerpt: this.#excerpt?.text() ?? '' }
  }

  #settle(result: SendResult): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onEnd(result)
  }
}
