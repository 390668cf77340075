import type { Instant } from '../environment/index.js'
import type { Delivery, DeliveryTarget } from './webhook-store.js'

const MINUTE_MS = 60_000
/** No delivery waits longer behind others: they may be of a webhook that is deleted by then. */
const LONGEST_WAIT_MS = 5 * MINUTE_MS

/** The sends of one account to one host. */
interface HostLine {
  /** When the last `limit` sends began; once there are so many, `oldest` is the place of the first of them. */
  readonly starts: Instant[]
  oldest: number
  /** When the last of those falls due again that were put off at their first turn, and of those that were put off before. */
  readonly lastDue: { first: Instant; later: Instant }
  usedAt: Instant
}

/** How often this process sends to each host, for each account. */
export interface HostRates {
  /**
   * 0 when a delivery may be sent now, which then counts. Otherwise in how many milliseconds to try it again, at most five minutes.
   * Postponed ones fall due one after the other, as many per minute as may be sent, and new deliveries don't overtake them.
   */
  take(
    target: Pick<DeliveryTarget, 'id' | 'accountId' | 'url'>,
    delivery: Pick<Delivery, 'nextAttemptAt' | 'createdAt'>,
    now: Instant,
  ): number
  /** The webhooks of which a delivery was postponed within a second: no more deliveries should be claimed for them. */
  paused(now: Instant): readonly string[]
  /** When the first of those pauses ends, in milliseconds; null without any. */
  pauseEndsInMs(now: Instant): number | null
  /** How many lines are kept. */
  readonly size: number
}

/** A backlog isn't claimed as a whole, only to be put off, but about as it can be sent. */
const PAUSE_MS = 1_000
/** Claims name the webhooks that are paused. */
const MOST_PAUSED = 1_000

/** In any minute, at most `limit` sends of an account to a host begin. Sets no timer, and forgets a host after a minute without work for it. */
export function createHostRates(limit: number): HostRates {
  /** Used last comes last. */
  const lines = new Map<string, HostLine>()
  /** By webhook, the end of its pause; the first to end comes first. */
  const pauses = new Map<string, Instant>()
  const spacingMs = MINUTE_MS / limit

  function lineOf(key: string, now: Instant): HostLine {
    const found = lines.get(key)
    lines.delete(key)
    // A clock that was set back must not stop the sends until it is where it was.
    const line =
      found === undefined || found.usedAt > now
        ? { starts: [], oldest: 0, lastDue: { first: now, later: now }, usedAt: now }
        : found
    line.usedAt = now
    lines.set(key, line)
    return line
  }

  function forgetIdle(now: Instant): void {
    for (const [key, { usedAt, lastDue }] of lines) {
      const isIdle = now - Math.max(usedAt, lastDue.first, lastDue.later) >= MINUTE_MS
      if (!isIdle && usedAt <= now) return
      lines.delete(key)
    }
  }

  function pause(webhookId: string, now: Instant): void {
    pauses.delete(webhookId)
    pauses.set(webhookId, now + PAUSE_MS)
    const [oldest] = pauses.keys()
    if (pauses.size > MOST_PAUSED && oldest !== undefined) pauses.delete(oldest)
  }

  function endPauses(now: Instant): void {
    for (const [webhookId, endsAt] of pauses) {
      const isOn = endsAt > now && endsAt <= now + PAUSE_MS
      if (isOn) return
      pauses.delete(webhookId)
    }
  }

  return {
    take({ id, accountId, url }, { nextAttemptAt, createdAt }, now) {
      forgetIdle(now)
      const line = lineOf(`${accountId} ${hostOf(url)}`, now)
      const { starts, oldest, lastDue } = line
      const freeAt = starts.length < limit ? now : (starts[oldest] ?? now) + MINUTE_MS
      const turn = (nextAttemptAt ?? createdAt) > createdAt ? 'later' : 'first'
      const isNext = turn === 'later' || lastDue.first <= now
      if (freeAt <= now && isNext) {
        starts[oldest] = now
        line.oldest = (oldest + 1) % limit
        return 0
      }
      lastDue[turn] = Math.min(Math.max(lastDue[turn], freeAt) + spacingMs, now + LONGEST_WAIT_MS)
      pause(id, now)
      return Math.ceil(lastDue[turn] - now)
    },
    paused(now) {
      endPauses(now)
      return [...pauses.keys()]
    },
    pauseEndsInMs(now) {
      endPauses(now)
      const [endsAt] = pauses.values()
      return endsAt === undefined ? null : endsAt - now
    },
    get size() {
      return lines.size
    },
  }
}

/** The host without its port; one that ends with a dot is the same host. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : ''
}
