import { setTimeout as sleep } from 'node:timers/promises'
import { placeAfter, type RealtimeMessage } from './realtime-message.js'
import { reconnectDelayMs } from './reconnect-delay.js'
import type { ServerAccess } from './server-access.js'
import { visitChannel, type VisitEnd } from './visit-channel.js'

export interface FollowOptions {
  readonly access: ServerAccess
  readonly workspaceId: string
  /** Called with each event once and in order, over all connections; also with `subscribed` and gaps. */
  readonly onMessage: (message: RealtimeMessage) => void
  /** Called when a connection has ended, with the delay before the next one. */
  readonly onCut: (end: VisitEnd, delayMs: number) => void
  /** Ends it. */
  readonly signal: AbortSignal
  /** The event after which to resume. Default: the end of the log. */
  readonly since?: number
  /** How long to wait after so many failed connections. Default `reconnectDelayMs`. */
  readonly delayMs?: (attempts: number) => number
}

/** Codes for which a retry cannot help: the key or the request is wrong. */
const FINAL_CODES = ['AUTHENTICATION_FAILED', 'AUTHORIZATION_FAILED', 'RESOURCE_NOT_FOUND', 'INVALID_REQUEST']

/**
 * Follows the events of a workspace until the signal aborts. Each connection resumes after the last message of the one before.
 * @throws Error when the server refuses permanently.
 */
export async function followWorkspace(options: FollowOptions): Promise<void> {
  const { access, onMessage, onCut, signal, delayMs = reconnectDelayMs } = options
  const channel = `workspace.${options.workspaceId}`
  let since = options.since ?? null
  let attempts = 0
  function hear(message: RealtimeMessage): void {
    attempts = 0
    since = placeAfter(message) ?? since
    onMessage(message)
  }
  while (!signal.aborted) {
    const end = await visitChannel({ access, channel, since, onMessage: hear, signal })
    if (signal.aborted) return
    // The log is shorter than before, for example after a backup was restored, so start at its end.
    if (end.error?.details?.field === 'since') since = null
    else if (FINAL_CODES.includes(end.error?.code ?? '')) throw new Error(`${end.error?.code}: ${end.reason}`)
    const waitMs = delayMs(attempts++)
    onCut(end, waitMs)
    await sleep(waitMs, undefined, { signal }).catch(() => undefined)
  }
}
