import type { IncomingHttpHeaders } from 'node:http'
import type { Origin } from '@taskboard/core/transport'

/** Of the handshake alone, which is over. */
const HANDSHAKE = [
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
]

const NONE = '{}'

/**
 * What is kept of an upgrade's request as long as its connection: its headers, where they are asked for, as one text, which takes a
 * fifth of what the object does.
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
