import { createBackgroundLoop, type Environment, type Instant } from '../environment/index.js'
import type { JudgedAttempt } from './delivery-attempt.js'
import type { DeliveryResult, WebhookStore } from './webhook-store.js'

export interface ResultWriterOptions {
  readonly environment: Environment
  readonly store: Pick<WebhookStore, 'recordDeliveryResults'>
  readonly disableAfterMs: number
  /** Called once for each result, when it is stored or can no longer be stored. */
  readonly onSettled: (webhookId: string) => void
}

/** A result that waits to be stored. */
export interface PendingResult {
  readonly webhookId: string
  readonly result: JudgedAttempt
  /** When its claim ends. The storage rejects it later. */
  readonly claimedUntil: Instant
}

/** Stores results. Those that wait while a statement runs go together into the next one. */
export interface ResultWriter {
  start(): void
  /** Adds a result. It is retried after a storage error until its claim ends. */
  write(pending: PendingResult): void
  /** Stores what waits, with one retry if the storage fails, and leaves no timer. */
  stop(): Promise<void>
}

const LARGEST_BATCH = 500
const TRIES_AT_STOP = 2

export function createResultWriter(options: ResultWriterOptions): ResultWriter {
  const { environment, store, disableAfterMs, onSettled } = options
  const { clock, logger } = environment
  const pending: PendingResult[] = []
  let batchSize = LARGEST_BATCH

  /** Retries a batch after an error. A result that was stored anyway no longer holds its claim. */
  async function writeBatch(): Promise<void> {
    dropLate()
    const batch = pending.slice(0, batchSize)
    if (batch.length === 0) return
    const now = clock.now()
    const results = batch.map(({ result }) => toResult(result, now))
    try {
      await store.recordDeliveryResults({ results, disableAfterMs }, environment.call())
    } catch (error) {
      // One result that cannot be stored must not block the others: use smaller batches, at the end of the queue.
      batchSize = Math.max(1, Math.floor(batch.length / 2))
      pending.push(...pending.splice(0, batch.length))
      throw error
    }
    batchSize = Math.min(LARGEST_BATCH, batchSize * 2)
    pending.splice(0, batch.length)
    for (const { webhookId } of batch) onSettled(webhookId)
  }

  function dropLate(): void {
    const now = clock.now()
    const late = pending.filter(({ claimedUntil }) => claimedUntil <= now)
    if (late.length === 0) return
    pending.splice(0, pending.length, ...pending.filter(({ claimedUntil }) => claimedUntil > now))
    for (const { webhookId, result } of late) {
      logger.error(
        { webhookId, deliveryId: result.deliveryId },
        'could not store a webhook result in time; its delivery is sent again',
      )
      onSettled(webhookId)
    }
  }

  const loop = createBackgroundLoop({
    name: 'webhook results',
    environment,
    pollIntervalMs: null,
    async pass() {
      await writeBatch()
      return pending.length > 0 ? 'now' : null
    },
  })

  return {
    start: () => loop.start(),
    write(result) {
      pending.push(result)
      loop.wake()
    },
    async stop() {
      await loop.stop()
      let fault: unknown
      for (let faults = 0; pending.length > 0 && faults < TRIES_AT_STOP;) {
        try {
          await writeBatch()
        } catch (error) {
          fault = error
          faults += 1
        }
      }
      if (pending.length === 0) return
      logger.error(
        { results: pending.length, err: fault },
        'could not store webhook results at stop; their deliveries are sent again',
      )
      for (const { webhookId } of pending.splice(0)) onSettled(webhookId)
    },
  }
}

/** As the storage expects it, on its own clock. */
function toResult(
  { deliveryId, claimToken, url, attempt, endedAt, outcome }: JudgedAttempt,
  now: Instant,
): DeliveryResult {
  return { deliveryId, claimToken, url, attempt, endedMsAgo: Math.max(0, now - endedAt), outcome }
}
