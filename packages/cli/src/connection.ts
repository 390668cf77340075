import { createClient, type TaskboardClient, type WebSocketConstructor } from '@taskboard/client'
import { WebSocket } from 'ws'

/** Somebody waits for the answer. */
const LONGEST_CALL_MS = 10_000

/** A client of the server at `baseUrl`. Node.js 20 has no WebSocket. */
export function connect(
  baseUrl: string,
  { key, token }: { readonly key?: string; readonly token?: () => string },
): TaskboardClient {
  const settings = {
    baseUrl,
    WebSocket: WebSocket as unknown as WebSocketConstructor,
    retry: { deadlineMs: LONGEST_CALL_MS },
  }
  if (key !== undefined) return createClient({ ...settings, key })
  return token === undefined ? createClient(settings) : createClient({ ...settings, token })
}
