import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A message of the server. */
export interface Message {
  readonly type: string
  readonly channel?: string
  readonly workspace_id?: string
  readonly seq?: number | Readonly<Record<string, number>>
  readonly [field: string]: unknown
}

/** A client on a real socket that keeps all it receives. */
export interface RealtimeClient {
  readonly socket: WebSocket
  readonly messages: readonly Message[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  say(message: Readonly<Record<string, unknown>>): void
  /** The first message that `isSo`, now or later. Rejects when the connection ends before. */
  heard(isSo: (message: Message) => boolean): Promise<Message>
  /** Ends the connection without a close frame. */
  cut(): void
}

/** Opens a connection; resolves when it is upgraded. */
export async function openClient(url: string): Promise<RealtimeClient> {
  const socket = new WebSocket(url)
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  const wakeAll = (): void => waiting.forEach((wake) => wake())
  socket.on('message', (data: Buffer) => {
    messages.push(JSON.parse(data.toString()) as Message)
    wakeAll()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      resolve({ code, reason: reason.toString() })
      wakeAll()
    })
  })
  await once(socket, 'open')
  socket.on('error', () => undefined)

  return {
    socket,
    messages,
    closed,
    say: (message) => socket.send(JSON.stringify(message)),
    async heard(isSo) {
      for (;;) {
        const found = messages.find(isSo)
        if (found !== undefined) return found
        if (socket.readyState === WebSocket.CLOSED) {
          throw new Error(`the connection ended; heard last: ${JSON.stringify(messages.at(-1))}`)
        }
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
    cut: () => socket.terminate(),
  }
}

/** Opens a connection and authenticates. */
export async function openAuthenticated(url: string, key: string): Promise<RealtimeClient> {
  const client = await openClient(url)
  client.say({ type: 'auth', token: `Bearer ${key}` })
  await client.heard(({ type }) => type === 'auth.ok' || type === 'error')
  return client
}

/** Opens a connection that is subscribed to `channels`. */
export async function openSubscribed(
  url: string,
  key: string,
  channels: readonly string[],
  since?: Readonly<Record<string, unknown>>,
): Promise<RealtimeClient> {
  const client = await openAuthenticated(url, key)
  client.say({ type: 'subscribe', channels, ...(since === undefined ? {} : { since }) })
  for (const channel of channels) {
    await client.heard((message) => message.type !== 'auth.ok' && message.channel === channel)
  }
  return client
}
