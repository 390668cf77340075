import { checkEncryptionKey, type SecretBox } from '../access/index.js'
import type { AgentAnnouncer, AgentDefinition, AgentDirectory } from '../agents/index.js'
import { createLeaseSweep, createRunner } from '../agents/index.js'
import { createRollUpSweep } from '../analytics/index.js'
import { createTaskSweep, type Actor, type Backoff, type Board, type ScheduleLoop } from '../board/index.js'
import type { BackgroundLoop, Clock, Environment, Gauges } from '../environment/index.js'
import {
  createEventLogTailer,
  createNotifier,
  toTaskboardEvent,
  type EventLink,
  type EventLogTailer,
  type NotificationChannel,
  type NotificationRoute,
  type TaskboardEmitter,
} from '../events/index.js'
import { createRetentionSweep, type Retention } from './retention.js'
import type { Realtime } from '../realtime/index.js'
import type { Storage, TaskCounts } from '../storage/index.js'
import type { Bots } from '../bots/index.js'
import type { Deliverer } from '../webhooks/index.js'

/** Everything that runs between `start` and `close`. */
export interface Background {
  /** @throws when the storage can't be opened; then nothing keeps running. */
  start(): Promise<void>
  /**
   * Stops all parts, in the order in which each feeds the next, and closes the storage. `drainTimeoutMs` is for all parts together.
   * @throws the error of the first part that failed to stop; the others still stop.
   */
  stop(drainTimeoutMs: number): Promise<void>
}

export interface BackgroundDeps<Tx> {
  readonly environment: Environment
  /** What notifications link to. */
  readonly linkOf: EventLink
  readonly storage: Storage<Tx>
  /** Null without a key of the host's: then the key expires with this process, and so do the secrets. */
  readonly keptSecrets: SecretBox | null
  readonly agents: readonly AgentDefinition[]
  readonly directory: AgentDirectory
  readonly boardFor: (workspaceId: string, actor: Actor) => Board<Tx>
  readonly channels: readonly NotificationChannel[]
  readonly userRoutes: readonly NotificationRoute[]
  /** Called when the notifier has stopped. */
  readonly closeChannels: () => Promise<void>
  readonly emitter: TaskboardEmitter
  readonly announcer: AgentAnnouncer
  readonly realtime: Realtime
  readonly bots: Bots
  readonly deliverer: Deliverer
  /** Routes what waits, after a change of agents. */
  readonly routes: BackgroundLoop
  readonly scheduleLoop: ScheduleLoop
  readonly deletions: BackgroundLoop
  readonly auditCounts: BackgroundLoop
  readonly backoff: Backoff
  readonly longestOutageMs: number
  readonly retention: Retention
  /** Null for a storage whose commit notifications are complete. */
  readonly pollIntervalMs: number | null
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Creates the background work without starting it. */
export function createBackground<Tx>(deps: BackgroundDeps<Tx>): Background {
  const { environment, storage, realtime, backoff, deliverer, bots } = deps
  const { tasks, agents, access, events, notifications } = storage
  const { pollIntervalMs } = deps
  const runner = createRunner({
    environment,
    tasks,
    agents,
    access,
    events,
    directory: deps.directory,
    runtimes: deps.agents,
    boardFor: deps.boardFor,
    backoff,
    longestOutageMs: deps.longestOutageMs,
    pollIntervalMs,
  })
  const notifier = createNotifier({ ...deps, store: notifications })
  const tailer = createEventLogTailer({ environment, store: events, pollIntervalMs })
  const rollUpEveryMs = storage.commitNotifications === 'complete' ? HOUR_MS : MINUTE_MS
  const sweeps = [
    deps.routes,
    createLeaseSweep({ environment, tasks, events, backoff, pollIntervalMs }),
    createTaskSweep({ name: 'dependent-sweep', left: 'dependents', environment, tasks, pollIntervalMs }),
    deps.announcer,
    createRollUpSweep(environment, storage.analytics, rollUpEveryMs),
    createRetentionSweep(environment, storage, deps.retention),
    deps.scheduleLoop,
    deps.deletions,
    deps.auditCounts,
  ]
  subscribe(tailer, deps)
  let stopListening: (() => void) | undefined
  let stopObserving: (() => void) | undefined

  return {
    async start() {
      await open(deps, tailer)
      realtime.start()
      stopObserving = environment.telemetry?.observe(createGauges(environment, storage, realtime))
      stopListening = events.onCommit(() => {
        tailer.wake()
        notifier.wake()
        deliverer.wake()
        bots.wake()
      })
      // It polled before it could be woken.
      tailer.wake()
      deliverer.start()
      notifier.start()
      bots.start()
      for (const sweep of sweeps) sweep.start()
      runner.start()
    },
    async stop(drainTimeoutMs) {
      const leftMs = createBudget(environment.clock, drainTimeoutMs)
      await inTurn([
        () => runner.stop({ drainTimeoutMs }),
        () => bots.stop(),
        () => together(sweeps.map((sweep) => sweep.stop())),
        () => together([deliverer.stop({ drainTimeoutMs: leftMs() }), notifier.stop(leftMs())]),
        () => deps.closeChannels(),
        () => stopListening?.(),
        () => stopObserving?.(),
        () => tailer.stop(),
        () => realtime.stop(),
        () => storage.close(),
      ])
    },
  }
}

/** Passes the log on to those who listen. */
function subscribe<Tx>(
  tailer: EventLogTailer,
  { realtime, emitter, bots }: Pick<BackgroundDeps<Tx>, 'realtime' | 'emitter' | 'bots'>,
): void {
  tailer.subscribe(
    (event) => realtime.publish(event),
    () => realtime.isHeard,
  )
  tailer.subscribe(
    (event) => emitter.emit(toTaskboardEvent(event)),
    () => emitter.isHeard,
  )
  tailer.subscribe(
    (event) => bots.hear(event),
    () => bots.areAny,
  )
}

/** @throws when the encryption key is another one, or the log can't be read; then the storage is closed. */
async function open<Tx>(
  { environment, storage, keptSecrets }: BackgroundDeps<Tx>,
  tailer: EventLogTailer,
): Promise<void> {
  await storage.open()
  try {
    if (keptSecrets !== null) {
      const now = environment.storageNow()
      await checkEncryptionKey(keptSecrets, (check) => storage.keepKeyCheck(check, { now }))
    }
    await tailer.start()
  } catch (error) {
    await storage.close().catch(() => undefined)
    throw error
  }
}

/** Returns the rest of a period that starts now; when the clock steps back, at most the whole period. */
function createBudget(clock: Clock, totalMs: number): () => number {
  const endsAt = clock.now() + totalMs
  return () => Math.min(totalMs, Math.max(0, endsAt - clock.now()))
}

/** Stops one part after the other, even if some fail; rejects with the first failure at the end. */
async function inTurn(ends: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const end of ends) {
    try {
      await end()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Waits for all, even if some fail. */
async function together(ends: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(ends)
  for (const end of settled) if (end.status === 'rejected') throw end.reason
}

const COUNTED_EVERY_MS = 30_000

/** Reads the gauges of telemetry. However many readers there are, the storage counts its tasks at most every 30 seconds. */
function createGauges(
  { clock, logger, storageNow }: Pick<Environment, 'clock' | 'logger' | 'storageNow'>,
  storage: Pick<Storage, 'check'>,
  realtime: Pick<Realtime, 'countConnections'>,
): () => Promise<Gauges> {
  let counted: Promise<TaskCounts | null> = Promise.resolve(null)
  let countedAt = -Infinity

  async function count(): Promise<TaskCounts | null> {
    try {
      return (await storage.check({ withCounts: true }, { now: storageNow() })).counts
    } catch (error) {
      logger.warn({ err: error }, 'the tasks could not be counted for telemetry')
      return null
    }
  }

  return async () => {
    const now = clock.now()
    if (now < countedAt || now >= countedAt + COUNTED_EVERY_MS) {
      countedAt = now
      counted = count()
    }
    const counts = await counted
    return {
      waitingTasks: counts?.waiting ?? null,
      runningTasks: counts?.running ?? null,
      connections: realtime.countConnections(),
    }
  }
}
