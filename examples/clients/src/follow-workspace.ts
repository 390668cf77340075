import { setTimeout as sleep } from 'node:timers/promises'
import { placeAfter, type RealtimeMessage } from './realtime-message.js'
import { reconnectDelayMs } from './reconnect-delay.js'
import type { ServerAccess } from './server-access.js'
import { visitChannel, type VisitEnd } from './visit-channel.js'

export interface FollowOptions {
  readonly access: ServerAccess
  readonly workspaceId: string
  /** Told each event once and in order, over all connections; also `subscribed` and gaps. */
  readonly onMessage: (message: RealtimeMessage) => void
  /** Told that a connection has ended, and when the next one is tried. */
  readonly onCut: (end: VisitEnd, delayMs: number) => void
  /** Ends it. */
  readonly signal: AbortSignal
  /** After which event to go on. Default: the present. */
  readonly since?: number
  /** How long to wait after so many connections that came to nothing. Default `reconnectDelayMs`. */
  readonly delayMs?: (attempts: number) => number
}

/** Where trying again is of no use: the key, or what is asked for, is wrong. */
const FINAL_CODES = ['AUTHENTICATION_FAILED', 'AUTHORIZATION_FAILED', 'RESOURCE_NOT_FOUND', 'INVALID_REQUEST']

/**
 * Follows the events of a workspace for as long as the signal lets it, from connection to connection: each goes on after the last
 * message of the one before.
 * @throws Error when the server refuses for good.
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
    // The log is shorter than it was, as after a backup was restored: what is told now is another story.
    if (end.error?.details?.field === 'since') since = null
    else if (FINAL_CODES.includes(end.error?.code ?? '')) throw new Error(`${end.error?.code}: ${end.reason}`)
    const waitMs = delayMs(attempts++)
    onCut(end, waitMs)
    await sleep(waitMs, undefined, { signal }).catch(() => undefined)
  }
}
