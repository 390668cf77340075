import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { ServerAccess } from '../src/server-access.js'

/** A client that subscribes and then stops reading, so that it does not answer a close frame either. */
export async function openDeafClient({ url, key }: ServerAccess, workspaceId: string): Promise<() => void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v2/realtime`)
  socket.on('error', () => undefined)
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'auth', token: `Bearer ${key}` }))
  await once(socket, 'message')
  socket.send(JSON.stringify({ type: 'subscribe', channels: [`workspace.${workspaceId}`] }))
  await once(socket, 'message')
  socket.pause()
  return () => socket.terminate()
}
