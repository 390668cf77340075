import { sleep, type Environment, type Instant } from '../environment/index.js'
import type { NotificationBatch, NotificationStore } from './notification-store.js'
import type { NotificationChannel } from './notification-channel.js'
import { isNotified, sendNotification } from './send-notification.js'

export interface BatchRunnerParts {
  readonly environment: Environment
  readonly store: Pick<NotificationStore, 'claimNotifications' | 'settleNotifications'>
  readonly channel: NotificationChannel
  readonly settings: {
    readonly sendTimeoutMs: number
    readonly maxTries: number
    readonly concurrency: number
    readonly pollIntervalMs: number | null
  }
}

/** Notifies one channel of the events that were claimed for one workspace, and counts repeated failures. */
export interface BatchRunner {
  /** Ends when the claim does or soon after `stopping` aborts, at the latest; releases the claim either way. */
  run(batch: NotificationBatch, claimEndsAt: Instant, stopping: AbortSignal): Promise<void>
}

const FIRST_RETRY_DELAY_MS = 1_000
const LONGEST_RETRY_DELAY_MS = 300_000
const SETTLE_RETRY_DELAY_MS = 1_000

export function createBatchRunner(parts: BatchRunnerParts): BatchRunner {
  const { environment, channel, settings } = parts
  const { clock, logger } = environment
  /** By workspace: how often the event at the head of its queue has failed in this process. */
  const failures = new Map<string, { seq: number; tries: number }>()

  async function run(batch: NotificationBatch, claimEndsAt: Instant, stopping: AbortSignal): Promise<void> {
    const first = batch.events[0]
    if (first === undefined) return
    let readThroughSeq = first.seq - 1
    let retryInMs: number | null = null
    for (const event of batch.events) {
      if (isNotified(event)) {
        if (stopping.aborted || clock.now() + settings.sendTimeoutMs > claimEndsAt) break
        const sent = await sendNotification({
          clock,
          channel,
          target: batch,
          event,
          stopping,
          timeoutMs: settings.sendTimeoutMs,
        })
        if (sent.outcome === 'stopped') break
        if (sent.outcome === 'failed') {
          retryInMs = retryAfterMs(batch.workspaceId, event.seq, sent.error)
          if (retryInMs !== null) break
        } else failures.delete(batch.workspaceId)
      }
      readThroughSeq = event.seq
    }
    const kept = await settle(parts, { batch, readThroughSeq, retryInMs, claimEndsAt, stopping })
    if (!kept) failures.delete(batch.workspaceId)
  }

  /** The wait before the next try of an event that failed; null when it has failed too often. */
  function retryAfterMs(workspaceId: string, seq: number, error: unknown): number | null {
    const earlier = failures.get(workspaceId)
    const tries = earlier?.seq === seq ? earlier.tries + 1 : 1
    const fields = { channel: channel.name, workspaceId, seq, tries, err: error }
    if (tries >= settings.maxTries) {
      failures.delete(workspaceId)
      logger.error(fields, 'a notification was skipped after too many tries')
      return null
    }
    failures.set(workspaceId, { seq, tries })
    logger.warn(fields, 'a notification failed; retrying')
    return Math.min(FIRST_RETRY_DELAY_MS * 2 ** (tries - 1), LONGEST_RETRY_DELAY_MS)
  }

  return { run }
}

interface BatchEnd {
  readonly batch: NotificationBatch
  readonly readThroughSeq: number
  readonly retryInMs: number | null
  readonly claimEndsAt: Instant
  readonly stopping: AbortSignal
}

/**
 * Stores the target's progress, and retries while the claim lasts. If that fails, the same events are sent once more. False when the
 * claim was lost.
 */
async function settle(parts: BatchRunnerParts, end: BatchEnd): Promise<boolean> {
  const { environment, store } = parts
  const { clock, logger } = environment
  const { readThroughSeq, retryInMs, claimEndsAt, stopping } = end
  const { workspaceId, claimToken } = end.batch
  const result = { workspaceId, channel: parts.channel.name, claimToken, readThroughSeq, retryInMs }
  for (;;) {
    try {
      return await store.settleNotifications(result, { now: environment.storageNow() })
    } catch (error) {
      logger.warn({ workspaceId, err: error }, 'the progress of notifications could not be stored')
      if (stopping.aborted || clock.now() + SETTLE_RETRY_DELAY_MS >= claimEndsAt) return true
      await sleep(clock, SETTLE_RETRY_DELAY_MS, stopping)
    }
  }
}
