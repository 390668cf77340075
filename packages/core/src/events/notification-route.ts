import type { Environment } from '../environment/index.js'
import { isNotified, type LoggedEvent } from './catalog.js'
import type { EventLink, NotificationChannel } from './notification-channel.js'
import type { ChannelHealth, NotificationBatch, UserChannelClaim } from './notification-store.js'
import { describeEvent } from './payloads.js'
import { toTaskboardEvent } from './taskboard-event.js'

/** Channels that one loop of the notifier serves, and how it sends to them. */
export interface NotificationRoute {
  /** In the names of loops. */
  readonly name: string
  readonly claims: { readonly channels: readonly string[]; readonly users?: UserChannelClaim }
  /** How many channels it serves at a time; null for the notifier's default. */
  readonly concurrency: number | null
  /** Whether a claim ends after one send, so that a change or a deletion of the channel counts for the next one. */
  readonly claimsEachSend: boolean
  begin(batch: NotificationBatch): RoutedBatch
}

/** What follows after a failed send. */
export interface FailedSend {
  /** Whether the event is given up, so that later ones get through. */
  readonly isSkipped: boolean
  /** The wait before the next send; null: none. */
  readonly retryInMs: number | null
}

/** The events of one claim. */
export interface RoutedBatch {
  wants(event: LoggedEvent): boolean
  /** As `NotificationChannel.send`. */
  send(event: LoggedEvent, options: { readonly signal: AbortSignal }): Promise<void>
  sent(): void
  failed(event: LoggedEvent, error: unknown): FailedSend
  /** What to store with the progress. */
  health(): ChannelHealth | undefined
  /** The claim was lost. */
  lost(): void
}

const FIRST_RETRY_DELAY_MS = 1_000

/** The wait after a number of consecutive failures, from 1: 1 s, doubling up to `longestMs`. */
export function notificationRetryMs(failures: number, longestMs: number): number {
  return Math.min(FIRST_RETRY_DELAY_MS * 2 ** Math.min(failures - 1, 40), longestMs)
}

interface HostRouteDeps {
  readonly environment: Pick<Environment, 'logger'>
  readonly channel: NotificationChannel
  readonly maxTries: number
  readonly linkOf: EventLink
}

const LONGEST_RETRY_DELAY_MS = 300_000

/** The route of a channel that the host registered. It counts tries in this process. */
export function hostRoute({ environment, channel, maxTries, linkOf }: HostRouteDeps): NotificationRoute {
  const { logger } = environment
  /** By workspace: how often the event at the head of its queue has failed in this process. */
  const failures = new Map<string, { seq: number; tries: number }>()

  return {
    name: channel.name,
    claims: { channels: [channel.name] },
    concurrency: null,
    claimsEachSend: false,
    begin: ({ workspaceId, settings }) => ({
      wants: isNotified,
      send: async (event, options) => {
        const [text, url] = [describeEvent(event), linkOf(event)]
        await channel.send({ workspaceId, settings, event: toTaskboardEvent(event), text, url }, options)
      },
      sent: () => failures.delete(workspaceId),
      failed({ seq }, error) {
        const earlier = failures.get(workspaceId)
        const tries = earlier?.seq === seq ? earlier.tries + 1 : 1
        const fields = { channel: channel.name, workspaceId, seq, tries, err: error }
        if (tries >= maxTries) {
          failures.delete(workspaceId)
          logger.error(fields, 'a notification was skipped after too many tries')
          return { isSkipped: true, retryInMs: null }
        }
        failures.set(workspaceId, { seq, tries })
        logger.warn(fields, 'a notification failed; retrying')
        return { isSkipped: false, retryInMs: notificationRetryMs(tries, LONGEST_RETRY_DELAY_MS) }
      },
      health: () => undefined,
      lost: () => failures.delete(workspaceId),
    }),
  }
}
