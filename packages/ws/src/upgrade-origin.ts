import type { IncomingMessage, IncomingHttpHeaders } from 'node:http'
import type { Origin } from '@taskboard/core'

/**
 * What is kept of an upgrade's request as long as its connection: its headers as one text, which takes a fifth of what the object
 * does. They are asked for where the host has a login of its own.
 */
export class UpgradeOrigin implements Origin {
  readonly clientAddress: string
  readonly #headers: string

  constructor(request: IncomingMessage, clientAddress: string) {
    this.clientAddress = clientAddress
    this.#headers = JSON.stringify(request.headers)
  }

  header(name: string): string | undefined {
    const headers = JSON.parse(this.#headers) as IncomingHttpHeaders
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    return Array.isArray(value) ? value.join(', ') : value
  }
}
