import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'

/** A page in a browser: its requests have the browser's cookies for the server, and their origin. */
export interface Page {
  send(url: string, init?: RequestInit): Promise<{ readonly status: number; readonly text: string }>
  /** Opens a WebSocket; returns the status of a refusal instead. */
  connect(url: string, protocol?: string): Promise<WebSocket | number>
}

/** A browser that has logged in to a host, whose cookies go wherever a page sends a request, as with `SameSite=None`. */
export async function logIn(hostUrl: string, name: string, password: string) {
  const answer = await fetch(`${hostUrl}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  })
  const [cookie = ''] = answer.headers.get('set-cookie')?.split(';') ?? []
  return {
    status: answer.status,
    cookie,
    /** `saysSite`: browsers leave `Sec-Fetch-Site` out on plain HTTP, old ones everywhere. */
    openPage: (origin: string, { saysSite = true } = {}): Page => pageOf(cookie, origin, saysSite),
  }
}

function pageOf(cookie: string, origin: string, saysSite: boolean): Page {
  function headersFor(url: string): Record<string, string> {
    const target = new URL(url.replace(/^ws/, 'http')).origin
    const site = target === origin ? 'same-origin' : 'cross-site'
    return { cookie, origin, ...(saysSite && { 'sec-fetch-site': site }) }
  }
  return {
    async send(url, init = {}) {
      const headers = { ...headersFor(url), ...(init.headers as Record<string, string> | undefined) }
      const answer = await fetch(url, { ...init, headers })
      return { status: answer.status, text: await answer.text() }
    },
    async connect(url, protocol) {
      const socket = new WebSocket(url, protocol === undefined ? [] : [protocol], {
        headers: headersFor(url),
      })
      const refused = once(socket, 'unexpected-response') as Promise<[unknown, IncomingMessage]>
      const status = refused.then(([, response]) => {
        response.resume()
        return response.statusCode ?? 0
      })
      return Promise.race([once(socket, 'open').then(() => socket), status])
    },
  }
}
