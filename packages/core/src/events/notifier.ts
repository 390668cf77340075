import {
  atMost,
  type Clock,
  createBackgroundLoop,
  createSharedAbort,
  type Environment,
  type Instant,
  type NextPass,
  sleep,
  tracked,
} from '../environment/index.js'
import { isNotified, type LoggedEvent } from './catalogue.js'
import { channelsByName, type NotificationChannel } from './notification-channel.js'
import type { NotificationBatch, NotificationStore, NotificationTarget } from './notification-store.js'
import { describeEvent } from './payloads.js'
import { toTaskboardEvent } from './taskboard-event.js'

type SendOutcome =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed'; readonly error: unknown }
  | { readonly outcome: 'stopped' }

interface NotificationSend {
  readonly clock: Clock
  readonly channel: NotificationChannel
  readonly target: NotificationTarget
  readonly event: LoggedEvent
  readonly stopping: AbortSignal
  readonly timeoutMs: number
}

/** One try to send one event to one channel. Never rejects, and ends by the timeout or `stopping` at the latest. */
async function sendNotification(send: NotificationSend): Promise<SendOutcome> {
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

interface BatchRunnerParts {
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
interface BatchRunner {
  /** Ends when the claim does or soon after `stopping` aborts, at the latest; releases the claim either way. */
  run(batch: NotificationBatch, claimEndsAt: Instant, stopping: AbortSignal): Promise<void>
}

const FIRST_RETRY_DELAY_MS = 1_000
const LONGEST_RETRY_DELAY_MS = 300_000
const SETTLE_RETRY_DELAY_MS = 1_000

function createBatchRunner(parts: BatchRunnerParts): BatchRunner {
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

/** Works through one channel's backlog in all workspaces. */
interface ChannelWorker {
  start(): void
  wake(): void
  stop(drainTimeoutMs: number): Promise<void>
}

const EVENTS_PER_TARGET = 20
/** A claim lasts for several sends. A batch that takes longer is returned before the claim expires. */
const SENDS_PER_CLAIM = 4
/** The storage may report work as due that another process holds, which must not make the loop spin. */
const LEAST_DELAY_MS = 100

function createChannelWorker(parts: BatchRunnerParts): ChannelWorker {
  const { environment, store, channel, settings } = parts
  const { clock, logger } = environment
  const claimMs = SENDS_PER_CLAIM * settings.sendTimeoutMs
  const underWay = new Set<Promise<void>>()
  const runner = createBatchRunner(parts)
  let stopping = createSharedAbort()

  const loop = createBackgroundLoop({
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

export interface NotifierOptions {
  readonly environment: Environment
  readonly store: Pick<NotificationStore, 'claimNotifications' | 'settleNotifications'>
  readonly channels: readonly NotificationChannel[]
  /** See `LoopOptions.pollIntervalMs`. */
  readonly pollIntervalMs: number | null
  /** How long a channel may take for one event. Default 30 s. */
  readonly sendTimeoutMs?: number | undefined
  /** How often one process tries an event before it skips it, so that later ones get through. Default 10. */
  readonly maxTries?: number | undefined
  /** How many workspaces one channel serves at a time. Default 20. */
  readonly concurrency?: number | undefined
}

/**
 * Sends each change of state to every channel of its workspace: at least once, and in the log's order per workspace and channel. A
 * failed send is retried after 1 s, doubling up to 5 min, while later events of that target wait. After `maxTries` the event is skipped
 * with an error in the log. Channels do not wait for one another.
 */
export interface Notifier {
  start(): void
  /** Requests a read of the log. */
  wake(): void
  /**
   * Starts no more sends, waits `drainTimeoutMs` (default 0) for those in progress, then aborts them. Aborted events are sent again after
   * the next start. Leaves no timer.
   */
  stop(drainTimeoutMs?: number): Promise<void>
}

const DEFAULT_SEND_TIMEOUT_MS = 30_000
const DEFAULT_MAX_TRIES = 10
const DEFAULT_CONCURRENCY = 20

/** @throws TaskboardError `INVALID_CONFIG` for channels with a blank or repeated name. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { environment, store, pollIntervalMs } = options
  const settings = {
    sendTimeoutMs: options.sendTimeoutMs ?? DEFAULT_SEND_TIMEOUT_MS,
    maxTries: options.maxTries ?? DEFAULT_MAX_TRIES,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    pollIntervalMs,
  }
  const workers = [...channelsByName(options.channels).values()].map((channel) =>
    createChannelWorker({ environment, store, channel, settings }),
  )
  return {
    start: () => workers.forEach((worker) => worker.start()),
    wake: () => workers.forEach((worker) => worker.wake()),
    async stop(drainTimeoutMs = 0) {
      await Promise.all(workers.map((worker) => worker.stop(drainTimeoutMs)))
    },
  }
}
