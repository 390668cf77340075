import { TaskboardError } from '../errors/index.js'
import { createRetrySchedule, type RetrySchedule } from './retry-schedule.js'
import type { Resolver } from './resolver.js'
import type { Sender } from './sender.js'

/** How a host tunes its webhooks. Everything has a default. */
export interface WebhookOptions {
  /** Networks and addresses to which deliveries may go although they are not public, over http too. Default none. */
  readonly allow?: readonly string[] | undefined
  /** What the names of our headers begin with. Default `X-Service-`. */
  readonly headerPrefix?: string | undefined
  /** Adds the headers of the Standard Webhooks specification. Default false. */
  readonly standardWebhooks?: boolean | undefined
  readonly userAgent?: string | undefined
  /** How many deliveries this process sends at once. Default 200. */
  readonly maxInFlight?: number | undefined
  /**
   * How many of those for one account that has the process to itself. Where several hold slots each gets fewer, so that some stay
   * free for the next one. Default a quarter of `maxInFlight`.
   */
  readonly maxInFlightPerAccount?: number | undefined
  /** The same for one webhook within its account's. Default 5. */
  readonly maxInFlightPerWebhook?: number | undefined
  /** For a whole send, the answer's body included. Default 30 s. */
  readonly timeoutMs?: number | undefined
  /** The waits before each retry. Default 1 min, 5 min, 30 min, 2 h, 12 h. */
  readonly retryDelaysMs?: readonly number[] | undefined
  /** By how much of itself a wait may grow at random. Default 0.1. */
  readonly retryJitter?: number | undefined
  /** After how long of nothing but failures a webhook is disabled. Default 5 days. */
  readonly disableAfterMs?: number | undefined
  /** How long an old secret goes on signing after a rotation. Default 24 h. */
  readonly rotationOverlapMs?: number | undefined
  /** Certificates (PEM) to trust instead of the well-known ones, for receivers with a private authority. */
  readonly ca?: string | readonly string[] | undefined
  /** Finds the addresses of names. Default: the operating system. */
  readonly resolver?: Resolver | undefined
  /** Carries the deliveries, in place of the built-in sender; the endpoint guard of connections is then its own affair. */
  readonly sender?: Sender | undefined
}

export interface WebhookSettings {
  readonly headerPrefix: string
  readonly standardWebhooks: boolean
  readonly userAgent: string
  readonly maxInFlight: number
  readonly maxInFlightPerAccount: number
  readonly maxInFlightPerWebhook: number
  readonly timeoutMs: number
  readonly schedule: RetrySchedule
  readonly disableAfterMs: number
  readonly rotationOverlapMs: number
}

const DAY_MS = 86_400_000
const HEADER_PREFIX = /^[A-Za-z][A-Za-z0-9-]{0,62}-$/
const USER_AGENT = /^[\x21-\x7e][\x20-\x7e]{0,254}$/

/** Fills in the defaults. @throws TaskboardError `INVALID_CONFIG` for a value that cannot work. */
export function resolveWebhookSettings(options: WebhookOptions = {}): WebhookSettings {
  const maxInFlight = wholeNumber('maxInFlight', options.maxInFlight ?? 200, 1, 10_000)
  const maxInFlightPerAccount = wholeNumber(
    'maxInFlightPerAccount',
    options.maxInFlightPerAccount ?? Math.ceil(maxInFlight / 4),
    1,
    maxInFlight,
  )
  return {
    headerPrefix: matching('headerPrefix', options.headerPrefix ?? 'X-Service-', HEADER_PREFIX),
    standardWebhooks: options.standardWebhooks ?? false,
    userAgent: matching('userAgent', options.userAgent ?? 'Taskboard-Webhooks/1', USER_AGENT),
    maxInFlight,
    maxInFlightPerAccount,
    maxInFlightPerWebhook: wholeNumber(
      'maxInFlightPerWebhook',
      options.maxInFlightPerWebhook ?? Math.min(5, maxInFlightPerAccount),
      1,
      maxInFlightPerAccount,
    ),
    timeoutMs: wholeNumber('timeoutMs', options.timeoutMs ?? 30_000, 1, 600_000),
    schedule: createRetrySchedule({ delaysMs: options.retryDelaysMs, jitterFraction: options.retryJitter }),
    disableAfterMs: wholeNumber('disableAfterMs', options.disableAfterMs ?? 5 * DAY_MS, 0, 3_650 * DAY_MS),
    rotationOverlapMs: wholeNumber('rotationOverlapMs', options.rotationOverlapMs ?? DAY_MS, 0, 30 * DAY_MS),
  }
}

function wholeNumber(field: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new TaskboardError(
    'INVALID_CONFIG',
    `webhooks.${field} must be a whole number from ${least} to ${most}`,
    { field },
  )
}

function matching(field: string, value: string, pattern: RegExp): string {
  if (pattern.test(value)) return value
  throw new TaskboardError('INVALID_CONFIG', `webhooks.${field} is not usable in a header`, { field })
}
