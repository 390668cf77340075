import type { AgentDefinition, AgentDirectory } from './agents/index.js'
import { createLeaseSweep, createRunner } from './agents/index.js'
import { createRollUpSweep } from './analytics/index.js'
import type { SecretBox } from './access/index.js'
import type { Backoff } from './board/index.js'
import type { Clock, Environment } from './environment/index.js'
import {
  createFollower,
  createNotifier,
  toTaskboardEvent,
  type NotificationChannel,
  type TaskboardEmitter,
} from './events/index.js'
import { createRetentionSweep, type Retention } from './retention.js'
import type { Realtime } from './realtime/index.js'
import type { Storage } from './storage/index.js'
import { createDeliverer, type Sender, type WebhookSettings } from './webhooks/index.js'

/** Everything that runs between `start` and `close`. */
export interface Background {
  /** @throws when the storage cannot be opened; nothing is left running then. */
  start(): Promise<void>
  /**
   * Ends it, in the order in which each part feeds the next, and closes the storage. `drainTimeoutMs` is for all of them together.
   * @throws what the first part threw that could not be ended; the others are ended all the same.
   */
  stop(drainTimeoutMs: number): Promise<void>
}

export interface BackgroundParts<Tx> {
  readonly environment: Environment
  readonly storage: Storage<Tx>
  readonly agents: readonly AgentDefinition[]
  readonly directory: AgentDirectory
  readonly channels: readonly NotificationChannel[]
  readonly emitter: TaskboardEmitter
  readonly realtime: Realtime
  readonly secrets: SecretBox
  readonly sender: Sender
  readonly webhookSettings: WebhookSettings
  readonly backoff: Backoff
  readonly retention: Retention
  /** For storages whose wake-ups are hints. */
  readonly pollIntervalMs: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Makes the background work; nothing of it runs yet. */
export function createBackground<Tx>(parts: BackgroundParts<Tx>): Background {
  const { environment, storage, emitter, realtime, backoff, secrets, sender } = parts
  const { tasks, agents, events, notifications, webhooks } = storage
  const pollIntervalMs = storage.wakes === 'complete' ? null : parts.pollIntervalMs
  const runner = createRunner({
    environment,
    tasks,
    agents,
    events,
    directory: parts.directory,
    runtimes: parts.agents,
    backoff,
    pollIntervalMs,
  })
  const leases = createLeaseSweep({ environment, tasks, events, backoff, pollIntervalMs })
  const deliverer = createDeliverer({
    environment,
    store: webhooks,
    secrets,
    sender,
    settings: parts.webhookSettings,
    pollIntervalMs,
  })
  const notifier = createNotifier({
    environment,
    store: notifications,
    channels: parts.channels,
    pollIntervalMs,
  })
  const follower = createFollower({ environment, store: events, pollIntervalMs })
  const rollUpEveryMs = storage.wakes === 'complete' ? HOUR_MS : MINUTE_MS
  const rollUps = createRollUpSweep(environment, storage.analytics, rollUpEveryMs)
  const retention = createRetentionSweep(environment, storage, parts.retention)
  follower.subscribe(
    (event) => realtime.publish(event),
    () => realtime.isHeard,
  )
  follower.subscribe(
    (event) => emitter.emit(toTaskboardEvent(event)),
    () => emitter.isHeard,
  )
  let stopListening: (() => void) | undefined

  return {
    async start() {
      await storage.open()
      await follower.start().catch(async (error: unknown) => {
        await storage.close().catch(() => undefined)
        throw error
      })
      realtime.start()
      stopListening = events.onCommit(() => {
        follower.wake()
        notifier.wake()
        deliverer.wake()
      })
      // It has looked before it could be woken.
      follower.wake()
      deliverer.start()
      notifier.start()
      leases.start()
      rollUps.start()
      retention.start()
      runner.start()
    },
    async stop(drainTimeoutMs) {
      const leftMs = createBudget(environment.clock, drainTimeoutMs)
      await inTurn([
        () => runner.stop({ drainTimeoutMs }),
        () => together([leases.stop(), rollUps.stop(), retention.stop()]),
        () => together([deliverer.stop({ drainTimeoutMs: leftMs() }), notifier.stop(leftMs())]),
        () => stopListening?.(),
        () => follower.stop(),
        () => realtime.stop(),
        () => storage.close(),
      ])
    },
  }
}

/** Tells what is left of a time that begins now; when the clock steps back, no more than all of it. */
function createBudget(clock: Clock, totalMs: number): () => number {
  const endsAt = clock.now() + totalMs
  return () => Math.min(totalMs, Math.max(0, endsAt - clock.now()))
}

/** Ends one part after the other, also when some fail to; rejects with the first failure once all had their turn. */
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

/** Waits for all, also when some fail. */
async function together(ends: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(ends)
  for (const end of settled) if (end.status === 'rejected') throw end.reason
}
