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
import type { LoggedEvent } from './catalog.js'
import { channelsByName, type EventLink, type NotificationChannel } from './notification-channel.js'
import { hostRoute, type NotificationRoute, type RoutedBatch } from './notification-route.js'
import type { NotificationBatch, NotificationStore } from './notification-store.js'

type SendOutcome =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed'; readonly error: unknown }
  | { readonly outcome: 'stopped' }

interface NotificationSend {
  readonly clock: Clock
  readonly routeName: string
  readonly target: RoutedBatch
  readonly event: LoggedEvent
  readonly stopping: AbortSignal
  readonly timeoutMs: number
}

/** One try to send one event to one channel. Never rejects, and ends by the timeout or `stopping` at the latest. */
async function sendNotification(send: NotificationSend): Promise<SendOutcome> {
  const { clock, routeName, target, event, stopping, timeoutMs } = send
  const aborter = new AbortController()
  const stop = (): void => aborter.abort(new Error('the notifier stops'))
  stopping.addEventListener('abort', stop, { once: true })
  // Set outside of the tracked work, so that a clock that advances while work waits for a timer does not count this one.
  const timer = clock.setTimer(() => aborter.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  try {
    const answer = async (): Promise<void> => target.send(event, { signal: aborter.signal })
    await tracked(clock, `notification:${routeName}`, () => untilAborted(answer(), aborter.signal))
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

interface RouteDeps {
  readonly environment: Environment
  readonly store: Pick<NotificationStore, 'claimNotifications' | 'settleNotifications'>
  readonly route: NotificationRoute
  readonly settings: {
    readonly sendTimeoutMs: number
    readonly concurrency: number
    readonly pollIntervalMs: number | null
  }
}

const SETTLE_RETRY_DELAY_MS = 1_000

/**
 * Notifies one channel of the events that were claimed for it. Ends when the claim does or soon after `stopping` aborts, at the latest;
 * releases the claim either way.
 */
async function runBatch(
  deps: RouteDeps,
  batch: NotificationBatch,
  claimEndsAt: Instant,
  stopping: AbortSignal,
): Promise<void> {
  const { route, settings } = deps
  const { sendTimeoutMs: timeoutMs } = settings
  const { clock } = deps.environment
  const first = batch.events[0]
  if (first === undefined) return
  const target = route.begin(batch)
  let readThroughSeq = first.seq - 1
  let retryInMs: number | null = null
  for (const event of batch.events) {
    if (target.wants(event)) {
      if (stopping.aborted || clock.now() + timeoutMs > claimEndsAt) break
      const sent = await sendNotification({
        clock,
        routeName: route.name,
        target,
        event,
        stopping,
        timeoutMs,
      })
      if (sent.outcome === 'stopped') break
      if (sent.outcome === 'sent') target.sent()
      else {
        const failed = target.failed(event, sent.error)
        retryInMs = failed.retryInMs
        if (!failed.isSkipped) break
      }
      readThroughSeq = event.seq
      if (retryInMs !== null || route.claimsEachSend) break
    }
    readThroughSeq = event.seq
  }
  const kept = await settle(deps, { batch, target, readThroughSeq, retryInMs, claimEndsAt, stopping })
  if (!kept) target.lost()
}

interface BatchEnd {
  readonly batch: NotificationBatch
  readonly target: RoutedBatch
  readonly readThroughSeq: number
  readonly retryInMs: number | null
  readonly claimEndsAt: Instant
  readonly stopping: AbortSignal
}

/**
 * Stores the target's progress, and retries while the claim lasts. If that fails, the same events are sent once more. False when the
 * claim was lost.
 */
async function settle(deps: RouteDeps, end: BatchEnd): Promise<boolean> {
  const { environment, store } = deps
  const { clock, logger } = environment
  const { readThroughSeq, retryInMs, claimEndsAt, stopping } = end
  const { workspaceId, channel, claimToken } = end.batch
  const health = end.target.health()
  const result = { workspaceId, channel, claimToken, readThroughSeq, retryInMs, health }
  for (;;) {
    try {
      return await store.settleNotifications(result, environment.call())
    } catch (error) {
      logger.warn({ workspaceId, err: error }, 'the progress of notifications could not be stored')
      if (stopping.aborted || clock.now() + SETTLE_RETRY_DELAY_MS >= claimEndsAt) return true
      await sleep(clock, SETTLE_RETRY_DELAY_MS, stopping)
    }
  }
}

/** Works through the backlog of one route in all workspaces. */
interface RouteWorker {
  start(): void
  wake(): void
  stop(drainTimeoutMs: number): Promise<void>
}

const EVENTS_PER_TARGET = 20
/** A claim lasts for several sends. A batch that takes longer is returned before the claim expires. */
const SENDS_PER_CLAIM = 4
/** Of a route that claims each send: the rest is time to store the result. */
const SENDS_PER_SHORT_CLAIM = 2
/** The storage may report work as due that another process holds, which must not make the loop spin. */
const LEAST_DELAY_MS = 100

function createRouteWorker(deps: RouteDeps): RouteWorker {
  const { environment, store, route, settings } = deps
  const { clock, logger } = environment
  const claimMs = (route.claimsEachSend ? SENDS_PER_SHORT_CLAIM : SENDS_PER_CLAIM) * settings.sendTimeoutMs
  const underWay = new Set<Promise<void>>()
  let stopping = createSharedAbort()

  const loop = createBackgroundLoop({
    name: `notifications:${route.name}`,
    environment,
    pollIntervalMs: settings.pollIntervalMs,
    pass,
  })

  async function pass(): Promise<NextPass> {
    const limit = (route.concurrency ?? settings.concurrency) - underWay.size
    if (limit <= 0) return null
    const claimEndsAt = clock.now() + claimMs
    const claim = await store.claimNotifications(
      { ...route.claims, limit, eventsPerTarget: EVENTS_PER_TARGET, claimMs },
      environment.call(),
    )
    for (const batch of claim.batches) launch(batch, claimEndsAt)
    return claim.nextDueInMs === null ? null : Math.max(LEAST_DELAY_MS, claim.nextDueInMs)
  }

  function launch(batch: NotificationBatch, claimEndsAt: Instant): void {
    const work = tracked(clock, `notifications:${route.name}`, () =>
      runBatch(deps, batch, claimEndsAt, stopping.signal),
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
  /** What a notification of the host's channels links to. */
  readonly linkOf: EventLink
  /** How channels that users set up are served. Default none. */
  readonly userRoutes?: readonly NotificationRoute[] | undefined
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
 * failed send is retried after 1 s, doubling, while later events of that target wait. After many tries the event is skipped with an error
 * in the log. Channels don't wait for one another.
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
  const maxTries = options.maxTries ?? DEFAULT_MAX_TRIES
  const settings = {
    sendTimeoutMs: options.sendTimeoutMs ?? DEFAULT_SEND_TIMEOUT_MS,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    pollIntervalMs,
  }
  const routes = [...channelsByName(options.channels).values()].map((channel) =>
    hostRoute({ environment, channel, maxTries, linkOf: options.linkOf }),
  )
  const workers = [...routes, ...(options.userRoutes ?? [])].map((route) =>
    createRouteWorker({ environment, store, route, settings }),
  )
  return {
    start: () => workers.forEach((worker) => worker.start()),
    wake: () => workers.forEach((worker) => worker.wake()),
    async stop(drainTimeoutMs = 0) {
      await Promise.all(workers.map((worker) => worker.stop(drainTimeoutMs)))
    },
  }
}
