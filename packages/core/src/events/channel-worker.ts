import {
  atMost,
  createLoop,
  createSharedAbort,
  tracked,
  type Instant,
  type NextPass,
} from '../environment/index.js'
import { createBatchRunner, type BatchRunnerParts } from './batch-runner.js'
import type { NotificationBatch } from './notification-store.js'

/** Works through one channel's backlog in all workspaces. */
export interface ChannelWorker {
  start(): void
  wake(): void
  stop(drainTimeoutMs: number): Promise<void>
}

const EVENTS_PER_TARGET = 20
/** A claim lasts for several sends. A batch that takes longer is returned before the claim expires. */
const SENDS_PER_CLAIM = 4
/** The storage may report work as due that another process holds, which must not make the loop spin. */
const LEAST_DELAY_MS = 100

export function createChannelWorker(parts: BatchRunnerParts): ChannelWorker {
  const { environment, store, channel, settings } = parts
  const { clock, logger } = environment
  const claimMs = SENDS_PER_CLAIM * settings.sendTimeoutMs
  const underWay = new Set<Promise<void>>()
  const runner = createBatchRunner(parts)
  let stopping = createSharedAbort()

  const loop = createLoop({
    name: `notifications:${channel.name}`,
    clock,
    logger,
    pollIntervalMs: settings.pollIntervalMs,
    pass,
  })

  async function pass(): Promise<NextPass> {
    const limit = settings.concurrency - underWay.size
    if (limit <= 0) return null
    const claimEndsAt = clock.now() + claimMs
    const claim = await store.claimNotifications(
      { channels: [channel.name], limit, eventsPerTarget: EVENTS_PER_TARGET, claimMs },
      { now: environment.storageNow() },
    )
    for (const batch of claim.batches) launch(batch, claimEndsAt)
    return claim.nextDueInMs === null ? null : Math.max(LEAST_DELAY_MS, claim.nextDueInMs)
  }

  function launch(batch: NotificationBatch, claimEndsAt: Instant): void {
    const work = tracked(clock, `notifications:${channel.name}`, () =>
      runner.run(batch, claimEndsAt, stopping.signal),
    )
      .catch((error: unknown) => logger.error({ err: error }, 'a notification batch failed'))
      .finally(() => {
        underWay.delete(work)
        loop.wake()
      })
    underWay.add(work)
  }

  async function drain(drainTimeoutMs: number): Promise<void> {
    if (underWay.size === 0 || drainTimeoutMs <= 0) return
    await atMost(clock, drainTimeoutMs, Promise.all(underWay))
  }

  return {
    start() {
      stopping = createSharedAbort()
      loop.start()
    },
    wake: () => loop.wake(),
    async stop(drainTimeoutMs) {
      await loop.stop()
      await drain(drainTimeoutMs)
      stopping.abort()
      await Promise.all(underWay)
    },
  }
}
