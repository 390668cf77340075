import type { Instant } from '../environment/index.js'
import { retryDelayMs, type RetrySchedule } from './retry-schedule.js'
import type { SendResult } from './sender.js'
import type { ClaimedDelivery, DeliveryResult } from './webhook-store.js'

/** The outcome of one attempt. An `aborted` send is not an attempt. */
export interface AttemptSeen {
  readonly startedAt: Instant
  readonly endedAt: Instant
  readonly answer:
    Exclude<SendResult, { kind: 'aborted' }> | { readonly kind: 'unsent'; readonly detail: string }
}

/** A result that waits to be stored. How long ago the attempt ended is known only when it is stored. */
export interface JudgedAttempt extends Omit<DeliveryResult, 'endedMsAgo'> {
  readonly endedAt: Instant
}

const GONE = 410
const succeeded = { kind: 'succeeded' } as const
const gone = { kind: 'gone' } as const
const failed = { kind: 'failed' } as const

/**
 * Evaluates an attempt at `url`: 2xx succeeds, 410 disables the webhook, anything else is retried until the schedule ends.
 * `drawJitter` returns a number from 0 to 1 and is called only when a retry is possible.
 */
export function judgeAttempt(
  claimed: ClaimedDelivery,
  url: string,
  seen: AttemptSeen,
  drawJitter: () => number,
  schedule: RetrySchedule,
): JudgedAttempt {
  const { delivery, claimToken } = claimed
  const { endedAt } = seen
  const attempt = toAttempt(seen)
  // Members spelled out, here and below: a spread costs more than everything else here.
  const { id: deliveryId } = delivery
  if (attempt.error === null) return { deliveryId, claimToken, url, attempt, endedAt, outcome: succeeded }
  if (attempt.status === GONE) return { deliveryId, claimToken, url, attempt, endedAt, outcome: gone }
  const delayMs = retryDelayMs(delivery.attemptCount + 1, drawJitter(), schedule)
  const outcome = delayMs === null ? failed : ({ kind: 'retry', delayMs } as const)
  return { deliveryId, claimToken, url, attempt, endedAt, outcome }
}

function toAttempt({ startedAt, endedAt, answer }: AttemptSeen): DeliveryResult['attempt'] {
  const durationMs = Math.max(0, endedAt - startedAt)
  switch (answer.kind) {
    case 'answered': {
      const { status, excerpt: responseExcerpt } = answer
      return { durationMs, status, error: errorOf(status), responseExcerpt }
    }
    case 'unanswered': {
      const error = `${answer.error}: ${answer.detail}`
      return { durationMs, status: null, error, responseExcerpt: null }
    }
    case 'unsent':
      return { durationMs, status: null, error: `unsent: ${answer.detail}`, responseExcerpt: null }
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `redirect: HTTP ${status} is not followed` : `status: HTTP ${status}`
}
