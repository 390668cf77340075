import { tracked, type Clock } from '../environment/index.js'
import { eventKinds, type LoggedEvent } from './catalogue.js'
import type { NotificationTarget } from './notification-store.js'
import type { NotificationChannel } from './notification-channel.js'
import { describeEvent } from './payloads.js'
import { toTaskboardEvent } from './taskboard-event.js'

export type SendOutcome =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed'; readonly error: unknown }
  | { readonly outcome: 'stopped' }

export interface NotificationSend {
  readonly clock: Clock
  readonly channel: NotificationChannel
  readonly target: NotificationTarget
  readonly event: LoggedEvent
  readonly stopping: AbortSignal
  readonly timeoutMs: number
}

/** Whether notification channels receive this event at all. */
export function isNotified(event: LoggedEvent): boolean {
  return eventKinds[event.type].notifications
}

/** One try to send one event to one channel. Never rejects, and ends by the timeout or `stopping` at the latest. */
export async function sendNotification(send: NotificationSend): Promise<SendOutcome> {
  const { clock, channel, target, event, stopping, timeoutMs } = send
  const { workspaceId, settings } = target
  const aborter = new AbortController()
  const stop = (): void => aborter.abort(new Error('the notifier stops'))
  stopping.addEventListener('abort', stop, { once: true })
  // Set outside of the tracked work, so that a clock that advances while work waits for a timer does not count this one.
  const timer = clock.setTimer(() => aborter.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  try {
    const notification = { workspaceId, settings, event: toTaskboardEvent(event), text: describeEvent(event) }
    const answer = async (): Promise<void> => channel.send(notification, { signal: aborter.signal })
    await tracked(clock, `notification:${channel.name}`, () => untilAborted(answer(), aborter.signal))
    return { outcome: 'sent' }
  } catch (error) {
    return stopping.aborted ? { outcome: 'stopped' } : { outcome: 'failed', error }
  } finally {
    timer.cancel()
    stopping.removeEventListener('abort', stop)
  }
}

/** Settles as `work` does, or rejects with the signal's reason when that aborts first and `work` ignores it. */
function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
