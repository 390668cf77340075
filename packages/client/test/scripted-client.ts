import { type ClientOptions, createClient, type TokenFunction } from '../src/index.js'

export interface Sent {
  readonly url: string
  readonly init: RequestInit
  readonly headers: Readonly<Record<string, string>>
}

export type Reply = Response | Error | 'never'

export const json = (body: unknown, init?: ResponseInit): Response => Response.json(body, init)
export const failing = (status: number, headers: Record<string, string> = {}): Response =>
  new Response('<h1>proxy</h1>', { status, headers: { 'content-type': 'text/html', ...headers } })

type Changes = Omit<Partial<ClientOptions>, 'key' | 'token'> & {
  readonly key?: string | undefined
  readonly token?: TokenFunction
}

/** A client whose requests get the replies in turn, and the last one from then on. Its clock moves only by waits. */
export function scripted(replies: readonly Reply[], options: Changes = {}) {
  const sent: Sent[] = []
  const waits: number[] = []
  let at = 0
  const client = createClient({
    baseUrl: 'https://app.example/kanban/',
    key: 'tb_secret',
    ...options,
    fetch: (url, init) => {
      const reply = replies[Math.min(sent.length, replies.length - 1)]
      sent.push({ url, init, headers: init.headers as Record<string, string> })
      if (reply === 'never') return new Promise<Response>(() => undefined)
      return reply instanceof Response ? Promise.resolve(reply.clone()) : Promise.reject(reply ?? new Error())
    },
    retry: {
      random: () => 1,
      now: () => at,
      sleep: (ms) => {
        waits.push(ms)
        at += ms
        return Promise.resolve()
      },
      ...options.retry,
    },
  } as ClientOptions)
  return { client, sent, waits }
}
