import type { Instant } from '@taskboard/core'
import { require } from './violation.js'

/** Counts admitted requests by a list of all of them. */
export interface LimitModel {
  /** Returns whether the request was admitted. @throws Violation */
  took(request: unknown, decision: unknown, at: Instant): boolean
}

interface RollingRequest {
  readonly key: string
  readonly limit: number
  readonly windowMs: number
}

interface RollingDecision {
  readonly allowed: boolean
  readonly retryAfterMs: number
}

export function createLimitModel(): LimitModel {
  const admitted = new Map<string, Instant[]>()
  return {
    took(request, decision, at) {
      const { key, limit, windowMs } = request as RollingRequest
      const { allowed, retryAfterMs } = decision as RollingDecision
      const times = admitted.get(key) ?? []
      admitted.set(key, times)
      const within = times.filter((time) => time > at - windowMs)
      require(allowed === within.length < limit, 'a limit is exact', () =>
        `${key} was ${allowed ? 'admitted' : 'refused'} at ${at} with ${within.length} of ${limit} in its window`)
      if (allowed) {
        times.push(at)
        return true
      }
      const freeAt = (within[within.length - limit] ?? at) + windowMs
      require(at + retryAfterMs === freeAt, 'a refusal says how long to wait', () =>
        `${retryAfterMs}, not ${freeAt - at}`)
      return false
    },
  }
}
