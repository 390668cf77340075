import { TaskboardError } from '../errors/index.js'
import { resolveBounds, type Bounds } from '../limits/index.js'
import { createRetrySchedule, type RetrySchedule } from './retry-schedule.js'
import type { Resolver } from './resolver.js'
import type { Sender } from './sender.js'

/** Options of webhooks. Each has a default. */
export interface WebhookOptions {
  /** Networks and addresses that deliveries can go to although they aren't public, including over http. Default none. */
  readonly allow?: readonly string[] | undefined
  /** The prefix of the header names. Default `X-Service-`. */
  readonly headerPrefix?: string | undefined
  readonly userAgent?: string | undefined
  /** The timeout of a whole send, including the answer's body. Default 30 s. */
  readonly timeoutMs?: number | undefined
  /** The waits before each retry. Default 1 min, 5 min, 30 min, 2 h, 12 h. */
  readonly retryDelaysMs?: readonly number[] | undefined
  /** The largest part of a wait that is added at random. Default 0.1. */
  readonly retryJitter?: number | undefined
  /** How long all attempts must fail before a webhook is disabled. Default 5 days. */
  readonly disableAfterMs?: number | undefined
  /** How long an old secret still signs after a rotation. Default 24 h. */
  readonly rotationOverlapMs?: number | undefined
  /**
   * The fewest characters of a secret that a user chooses over API v2. A shorter one, from the Board API or from your code, is accepted and
   * marked as weak. Default 16.
   */
  readonly shortestSecret?: number | undefined
  /**
   * How many deliveries of one account this process starts per minute to one host name. Others wait, and no attempt is counted. Default 600.
   */
  readonly mostPerHostPerMinute?: number | undefined
  /** Certificates (PEM) to trust instead of the well-known ones, for receivers with a private authority. */
  readonly ca?: string | readonly string[] | undefined
  /** Resolves host names. Default: the operating system. */
  readonly resolver?: Resolver | undefined
  /** Sends the deliveries instead of the built-in sender. It must then guard its connections itself. */
  readonly sender?: Sender | undefined
}

export interface WebhookSettings extends Pick<
  Bounds,
  'maxDeliveries' | 'maxDeliveriesPerAccount' | 'maxDeliveriesPerWebhook'
> {
  readonly headerPrefix: string
  readonly userAgent: string
  readonly timeoutMs: number
  readonly schedule: RetrySchedule
  readonly disableAfterMs: number
  readonly rotationOverlapMs: number
  readonly shortestSecret: number
  readonly mostPerHostPerMinute: number
}

/** The most UTF-16 code units of a secret. */
export const SECRET_CODE_UNITS = 256

const DAY_MS = 86_400_000
const HEADER_PREFIX = /^[A-Za-z][A-Za-z0-9-]{0,62}-$/
const USER_AGENT = /^[\x21-\x7e][\x20-\x7e]{0,254}$/

/** Fills in the defaults. @throws TaskboardError `INVALID_CONFIG` for an invalid value. */
export function resolveWebhookSettings(
  options: WebhookOptions = {},
  { maxDeliveries, maxDeliveriesPerAccount, maxDeliveriesPerWebhook } = resolveBounds(),
): WebhookSettings {
  return {
    headerPrefix: matching('headerPrefix', options.headerPrefix ?? 'X-Service-', HEADER_PREFIX),
    userAgent: matching('userAgent', options.userAgent ?? 'Taskboard-Webhooks/1', USER_AGENT),
    maxDeliveries,
    maxDeliveriesPerAccount,
    maxDeliveriesPerWebhook,
    timeoutMs: wholeNumber('timeoutMs', options.timeoutMs ?? 30_000, 1, 600_000),
    schedule: createRetrySchedule({ delaysMs: options.retryDelaysMs, jitterFraction: options.retryJitter }),
    disableAfterMs: wholeNumber('disableAfterMs', options.disableAfterMs ?? 5 * DAY_MS, 0, 3_650 * DAY_MS),
    rotationOverlapMs: wholeNumber('rotationOverlapMs', options.rotationOverlapMs ?? DAY_MS, 0, 30 * DAY_MS),
    shortestSecret: wholeNumber('shortestSecret', options.shortestSecret ?? 16, 1, SECRET_CODE_UNITS),
    mostPerHostPerMinute: wholeNumber(
      'mostPerHostPerMinute',
      options.mostPerHostPerMinute ?? 600,
      1,
      1_000_000,
    ),
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
  throw new TaskboardError(
    'INVALID_CONFIG',
    `webhooks.${field} contains characters that a header cannot have`,
    { field },
  )
}
