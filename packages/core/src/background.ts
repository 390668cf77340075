import type { AgentDefinition, AgentDirectory } from './agents/index.js'
import { createLeaseSweep, createRunner } from './agents/index.js'
import { createRollUpSweep } from './analytics/index.js'
import type { SecretBox } from './access/index.js'
import type { Backoff } from './board/index.js'
import type { Environment } from './environment/index.js'
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
  /** Ends it, in the order in which each part feeds the next, and closes the storage. */
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
      await follower.start()
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
      await runner.stop({ drainTimeoutMs })
      await Promise.all([leases.stop(), rollUps.stop(), retention.stop()])
      await Promise.all([deliverer.stop({ drainTimeoutMs }), notifier.stop(drainTimeoutMs)])
      stopListening?.()
      await follower.stop()
      await realtime.stop()
      await storage.close()
    },
  }
}
