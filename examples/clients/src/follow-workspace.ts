import { createClient, TaskboardApiError, TaskboardRealtimeError } from '@taskboard/client'
import type { RealtimeTimings } from '@taskboard/client'
import { WebSocket } from 'ws'
import type { RealtimeMessage } from './realtime-message.js'
import type { ServerAccess } from './server-access.js'

/** How a connection closed. */
export interface ConnectionCut {
  /** Of the close frame; 1006 without one. */
  readonly code: number
  readonly reason: string
  /** The code of the server's error, or null. */
  readonly error: string | null
}

export interface FollowOptions {
  readonly access: ServerAccess
  readonly workspaceId: string
  /** Called with each event once and in order, over all connections; including with `subscribed` and gaps. */
  readonly onMessage: (message: RealtimeMessage) => void
  /** Called when a connection has closed; another one follows. */
  readonly onCut: (cut: ConnectionCut) => void
  /** Stops it. */
  readonly signal: AbortSignal
  /** The event after which to resume. Default: the end of the log. */
  readonly since?: number
  /** Default: the credentials of the client. */
  readonly waits?: Partial<RealtimeTimings>
}

/**
 * Follows the events of a workspace until the signal aborts. Each connection resumes after the last message of the one before.
 * @throws Error when the server rejects permanently.
 */
export async function followWorkspace(options: FollowOptions): Promise<void> {
  const { access, workspaceId, onMessage, onCut, signal, since, waits } = options
  const channel = `workspace.${workspaceId}`
  // Node.js 20 has no WebSocket of its own.
  const client = createClient({
    baseUrl: access.url,
    key: access.key,
    WebSocket,
    ...(waits !== undefined && { realtime: waits }),
  })
  const messages = client.realtime.subscribe(channel, {
    signal,
    ...(since !== undefined && { since: { [channel]: since } }),
    onState(state, reason) {
      if (state === 'offline' && reason !== undefined) onCut(toCut(reason))
    },
  })
  try {
    for await (const message of messages) onMessage(message as RealtimeMessage)
  } catch (error) {
    if (!(error instanceof TaskboardApiError)) throw error
    throw new Error(`${error.code}: ${error.message}`, { cause: error })
  }
}

function toCut(reason: Error): ConnectionCut {
  const isEnd = reason instanceof TaskboardRealtimeError
  return {
    code: (isEnd ? reason.closeCode : null) ?? 1006,
    reason: reason.message,
    error: isEnd && reason.code !== 'CLOSED' ? reason.code : null,
  }
}
