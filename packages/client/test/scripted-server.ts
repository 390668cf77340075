import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'

type Message = Readonly<Record<string, unknown>>

/** What the server does on one connection; `say` sends a message. */
export interface ScriptedConnection {
  readonly number: number
  readonly socket: WebSocket
  say(message: Message): void
}

/** A server of the channel that does as it is scripted: `script` gets each message of each connection. */
export async function serveScript(script: (message: Message, connection: ScriptedConnection) => void) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  const heard: Message[] = []
  let count = 0
  server.on('connection', (socket) => {
    const connection = {
      number: (count += 1),
      socket,
      say: (message: Message) => socket.send(JSON.stringify(message)),
    }
    socket.on('message', (bytes: Buffer) => {
      const message = JSON.parse(bytes.toString()) as Message
      heard.push(message)
      script(message, connection)
    })
  })
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    get connections() {
      return count
    },
    async close() {
      for (const socket of server.clients) socket.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Admits any credential, and confirms each channel at position 0. */
export function admit(message: Message, { say }: Pick<ScriptedConnection, 'say'>): void {
  const { type, channels, request_id } = message as { type: string; channels?: string[]; request_id?: string }
  if (type === 'auth') say({ type: 'auth.ok', connection_id: 'conn_1', scopes: [] })
  if (type === 'ping') say({ type: 'pong' })
  if (type === 'subscribe')
    for (const channel of channels ?? []) say({ type: 'subscribed', channel, seq: 0, request_id })
}
