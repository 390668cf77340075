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
  const result = { deliveryId: delivery.id, claimToken, attempt }
  if (attempt.error === null) return { ...result, outcome: { kind: 'succeeded' } }
  if (attempt.status === GONE) return { ...result, outcome: { kind: 'gone' } }
  const failed = { attemptCount: delivery.attemptCount + 1, endedAt: seen.endedAt, jitter: drawJitter() }
  const at = nextAttemptAt(failed, schedule)
  return { ...result, outcome: at === null ? { kind: 'failed' } : { kind: 'retry', at } }
}

function toAttempt({ startedAt, endedAt, answer }: AttemptSeen): DeliveryAttempt {
  const times = { at: startedAt, durationMs: Math.max(0, endedAt - startedAt) }
  switch (answer.kind) {
    case 'answered':
      return {
        ...times,
        status: answer.status,
        error: errorOf(answer.status),
        responseExcerpt: answer.excerpt,
      }
    case 'unanswered':
      return { ...times, status: null, error: `${answer.error}: ${answer.detail}`, responseExcerpt: null }
    case 'unsent':
      return { ...times, status: null, error: `unsent: ${answer.detail}`, responseExcerpt: null }
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `redirect: HTTP ${status} is not followed` : `status: HTTP ${status}`
}
