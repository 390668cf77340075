import { TaskboardError } from '../errors/index.js'

/** Bounds that protect a process and its database. The defaults suit nearly every host. */
export interface BoundOptions {
  /** The largest request body in bytes. Default 1 MiB. */
  readonly bodyLimitBytes?: number | undefined
  /**
   * How long a task can be postponed (`RetryLater`) without a break. After that, one more postponement is a failed attempt, so that a task
   * whose provider never comes back ends on hold. Default 24 h.
   */
  readonly longestOutageMs?: number | undefined
  /** The highest cost that one report of usage may say, in dollars; a larger report is rejected. Default 100. */
  readonly usdPerReport?: number | undefined
  /** The most tokens that one report of usage may say, of input and output together. Default 10,000,000. */
  readonly tokensPerReport?: number | undefined
  /** How many webhook deliveries this process sends at the same time. Default 200. */
  readonly maxDeliveries?: number | undefined
  /**
   * How many of those one account can have while no other account sends. Several accounts get fewer each, so that some slots stay
   * free for the next one. Default a quarter of `maxDeliveries`.
   */
  readonly maxDeliveriesPerAccount?: number | undefined
  /** The same for one webhook, within the limit of its account. Default 5. */
  readonly maxDeliveriesPerWebhook?: number | undefined
  /** The largest message of a realtime client, in bytes. Default 64 KiB. */
  readonly messageLimitBytes?: number | undefined
  /** How many messages a realtime client may send in a minute. Default 120. */
  readonly messagesPerMinute?: number | undefined
  /** How many bytes can wait in memory for a slow realtime client before its connection is closed. Default 1 MiB. */
  readonly bufferLimitBytes?: number | undefined
  /** How many WebSockets of one client address can be open without a credential. Further upgrades get 429. Default 20. */
  readonly unauthenticatedPerAddress?: number | undefined
  /**
   * How many WebSockets of all addresses can be. Further upgrades get 503. The last tenth is for addresses from which someone
   * has authenticated before. Default 1,000.
   */
  readonly unauthenticated?: number | undefined
  /** How many channels a realtime connection can subscribe to. Default 100. */
  readonly subscriptionsPerConnection?: number | undefined
  /** How many events back `since` reaches, for each subscribed channel. Default 1,000. */
  readonly replayLimit?: number | undefined
}

/** The bounds with every default filled in. */
export type Bounds = Required<{ readonly [K in keyof BoundOptions]: number }>

const MIB = 2 ** 20
const MOST = 2 ** 30
const DAY_MS = 86_400_000
const TEN_YEARS_MS = 3_650 * DAY_MS

/** @throws TaskboardError `INVALID_CONFIG` naming the first bound with an invalid value. */
export function resolveBounds(options: BoundOptions = {}): Bounds {
  const whole = (name: keyof BoundOptions, usual: number, most: number): number => {
    const { [name]: value = usual } = options
    if (Number.isInteger(value) && value >= 1 && value <= most) return value
    throw refusal(name, `must be a whole number from 1 to ${most}`)
  }
  const maxDeliveries = whole('maxDeliveries', 200, 10_000)
  const quarter = Math.ceil(maxDeliveries / 4)
  const maxDeliveriesPerAccount = whole('maxDeliveriesPerAccount', quarter, maxDeliveries)
  const five = Math.min(5, maxDeliveriesPerAccount)
  return {
    bodyLimitBytes: whole('bodyLimitBytes', MIB, MOST),
    longestOutageMs: whole('longestOutageMs', DAY_MS, TEN_YEARS_MS),
    usdPerReport: usdPerReport(options),
    tokensPerReport: whole('tokensPerReport', 10_000_000, 1_000_000_000_000),
    maxDeliveries,
    maxDeliveriesPerAccount,
    maxDeliveriesPerWebhook: whole('maxDeliveriesPerWebhook', five, maxDeliveriesPerAccount),
    messageLimitBytes: whole('messageLimitBytes', MIB / 16, MOST),
    messagesPerMinute: whole('messagesPerMinute', 120, MOST),
    bufferLimitBytes: whole('bufferLimitBytes', MIB, MOST),
    unauthenticatedPerAddress: whole('unauthenticatedPerAddress', 20, MOST),
    unauthenticated: whole('unauthenticated', 1_000, MOST),
    subscriptionsPerConnection: whole('subscriptionsPerConnection', 100, MOST),
    replayLimit: whole('replayLimit', 1_000, MOST),
  }
}

const MOST_USD = 1_000_000

function usdPerReport({ usdPerReport: usd = 100 }: BoundOptions): number {
  if (typeof usd === 'number' && usd >= 0 && usd <= MOST_USD) return usd
  throw refusal('usdPerReport', `must be a number from 0 to ${MOST_USD}`)
}

function refusal(name: keyof BoundOptions, rule: string): TaskboardError {
  const field = `bounds.${name}`
  return new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
}
