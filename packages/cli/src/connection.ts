import { createClient, type TaskboardClient, type WebSocketConstructor } from '@taskboard/client'
import { WebSocket } from 'ws'

export interface Credential {
  readonly key?: string
  readonly token?: () => string
}

/** A client of the server at `baseUrl`. Node.js 20 has no WebSocket. */
export function connect(
  baseUrl: string,
  { key, token, deadlineMs }: Credential & { readonly deadlineMs: number },
): TaskboardClient {
  const settings = {
    baseUrl,
    WebSocket: WebSocket as unknown as WebSocketConstructor,
    retry: { deadlineMs },
  }
  if (key !== undefined) return createClient({ ...settings, key })
  return token === undefined ? createClient(settings) : createClient({ ...settings, token })
}
