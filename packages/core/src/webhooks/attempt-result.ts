import type { Instant } from '../environment/index.js'
import { nextAttemptAt, type RetrySchedule } from './retry-schedule.js'
import type { SendResult } from './sender.js'
import type { ClaimedDelivery, DeliveryAttempt, DeliveryResult } from './webhook-store.js'

/** What was seen of one attempt. `aborted` sends are no attempts. */
export interface AttemptSeen {
  readonly startedAt: Instant
  readonly endedAt: Instant
  readonly answer:
    Exclude<SendResult, { kind: 'aborted' }> | { readonly kind: 'unsent'; readonly detail: string }
}

const GONE = 410
const succeeded = { kind: 'succeeded' } as const
const gone = { kind: 'gone' } as const
const failed = { kind: 'failed' } as const

/**
 * Judges an attempt: 2xx succeeds, 410 ends the webhook, all else is tried again as long as the schedule goes.
 * `drawJitter` gives a number from 0 to 1 and is asked when there may be a retry only.
 */
export function judgeAttempt(
  claimed: ClaimedDelivery,
  seen: AttemptSeen,
  drawJitter: () => number,
  schedule: RetrySchedule,
): DeliveryResult {
  const { delivery, claimToken } = claimed
  const attempt = toAttempt(seen)
  // Spelled out, here and below: spreading costs more than all the rest.
  const { id: deliveryId } = delivery
  const { url } = claimed.webhook
  if (attempt.error === null) return { deliveryId, claimToken, url, attempt, outcome: succeeded }
  if (attempt.status === GONE) return { deliveryId, claimToken, url, attempt, outcome: gone }
  const failure = { attemptCount: delivery.attemptCount + 1, endedAt: seen.endedAt, jitter: drawJitter() }
  const at = nextAttemptAt(failure, schedule)
  return { deliveryId, claimToken, url, attempt, outcome: at === null ? failed : { kind: 'retry', at } }
}

function toAttempt({ startedAt: at, endedAt, answer }: AttemptSeen): DeliveryAttempt {
  const durationMs = Math.max(0, endedAt - at)
  switch (answer.kind) {
    case 'answered': {
      const { status, excerpt: responseExcerpt } = answer
      return { at, durationMs, status, error: errorOf(status), responseExcerpt }
    }
    case 'unanswered': {
      const error = `${answer.error}: ${answer.detail}`
      return { at, durationMs, status: null, error, responseExcerpt: null }
    }
    case 'unsent':
      return { at, durationMs, status: null, error: `unsent: ${answer.detail}`, responseExcerpt: null }
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `redirect: HTTP ${status} is not followed` : `status: HTTP ${status}`
}
