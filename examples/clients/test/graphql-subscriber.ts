import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { ServerAccess } from '../src/server-access.js'

/** A message of graphql-transport-ws. */
export interface SubscriptionMessage {
  readonly type: string
  readonly payload?: { readonly data?: Readonly<Record<string, unknown>>; readonly errors?: unknown }
}

export interface GraphqlSubscriber {
  /** The first payload that `isSo`, now or later. Rejects when the connection ends before. */
  received(
    isSo: (payload: SubscriptionMessage['payload']) => boolean,
  ): Promise<SubscriptionMessage['payload']>
  /** Resolves with the code of the connection's end. */
  readonly closed: Promise<number>
}

/** Begins a subscription over a separate connection. */
export async function openSubscriber(
  { url, key }: ServerAccess,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<GraphqlSubscriber> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v2/graphql`, 'graphql-transport-ws')
  const messages: SubscriptionMessage[] = []
  socket.on('error', () => undefined)
  socket.on('message', (bytes: Buffer) => {
    messages.push(JSON.parse(bytes.toString()) as SubscriptionMessage)
    socket.emit('received')
  })
  const closed = once(socket, 'close').then(([code]) => {
    socket.emit('received')
    return code as number
  })

  async function first(isSo: (message: SubscriptionMessage) => boolean): Promise<SubscriptionMessage> {
    for (;;) {
      const found = messages.find(isSo)
      if (found !== undefined) return found
      if (socket.readyState === WebSocket.CLOSED) throw new Error(`it ended: ${JSON.stringify(messages)}`)
      await once(socket, 'received')
    }
  }

  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }))
  await first(({ type }) => type === 'connection_ack')
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query, variables } }))
  return {
    closed,
    received: async (isSo) => (await first(({ type, payload }) => type === 'next' && isSo(payload))).payload,
  }
}
