import { createLoop, type Environment, type Instant } from '../environment/index.js'
import type { JudgedAttempt } from './attempt-result.js'
import type { DeliveryResult, WebhookStore } from './webhook-store.js'

export interface ResultWriterOptions {
  readonly environment: Environment
  readonly store: Pick<WebhookStore, 'recordDeliveryResults'>
  readonly disableAfterMs: number
  /** Called once for each result, when it is stored or can be stored no more. */
  readonly onSettled: (webhookId: string) => void
}

/** A result on its way into the storage. */
export interface PendingResult {
  readonly webhookId: string
  readonly result: JudgedAttempt
  /** When its claim ends: later the storage would not take it. */
  readonly claimedUntil: Instant
}

/** Stores results; those that wait while a statement is under way go together into the next one. */
export interface ResultWriter {
  start(): void
  /** Takes a result on. It is tried again after a fault of the storage until its claim ends. */
  write(pending: PendingResult): void
  /** Stores what waits, with one more try should the storage fail, and leaves no timer. */
  stop(): Promise<void>
}

const LARGEST_BATCH = 500
const TRIES_AT_STOP = 2

export function createResultWriter(options: ResultWriterOptions): ResultWriter {
  const { environment, store, disableAfterMs, onSettled } = options
  const { clock, logger } = environment
  const pending: PendingResult[] = []
  let batchSize = LARGEST_BATCH

  /** A batch is written again after a fault: a result that was stored all the same no longer holds its claim. */
  async function writeBatch(): Promise<void> {
    dropLate()
    const batch = pending.slice(0, batchSize)
    if (batch.length === 0) return
    const now = clock.now()
    const results = batch.map(({ result }) => toResult(result, now))
    try {
      await store.recordDeliveryResults({ results, disableAfterMs }, { now: environment.storageNow() })
    } catch (error) {
      // One result that the storage cannot take must not keep back the others: smaller batches, and the end of the queue.
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
        'webhook result not stored in time; it is sent again',
      )
      onSettled(webhookId)
    }
  }

  const loop = createLoop({
    name: 'webhook results',
    clock,
    logger,
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
        'webhook results not stored at stop; those deliveries are sent again',
      )
      for (const { webhookId } of pending.splice(0)) onSettled(webhookId)
    },
  }
}

/** As the storage takes it, on a clock of its own. */
function toResult(
  { deliveryId, claimToken, url, attempt, endedAt, outcome }: JudgedAttempt,
  now: Instant,
): DeliveryResult {
  return { deliveryId, claimToken, url, attempt, endedMsAgo: Math.max(0, now - endedAt), outcome }
}
