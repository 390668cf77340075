import type { IncomingMessage, IncomingHttpHeaders } from 'node:http'
import type { Origin } from '@taskboard/core'

/** Of the handshake alone, which is over. */
const HANDSHAKE = [
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
]

/**
 * What is kept of an upgrade's request as long as its connection: its headers as one text, which takes a fifth of what the object
 * does. They are asked for where the host has a login of its own.
 */
export class UpgradeOrigin implements Origin {
  readonly clientAddress: string
  readonly #headers: string

  constructor(request: IncomingMessage, clientAddress: string) {
    this.clientAddress = clientAddress
    const kept = Object.entries(request.headers).filter(([name]) => !HANDSHAKE.includes(name))
    this.#headers = JSON.stringify(Object.fromEntries(kept))
  }

  header(name: string): string | undefined {
    const headers = JSON.parse(this.#headers) as IncomingHttpHeaders
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    return Array.isArray(value) ? value.join(', ') : value
  }
}
