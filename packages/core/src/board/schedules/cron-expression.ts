import { Cron } from 'croner'
import type { Instant } from '../../environment/index.js'
import { TaskboardError } from '../../errors/index.js'

/** A cron expression and the IANA time zone in which it is read. */
export interface CronRule {
  readonly cron: string
  readonly timeZone: string
}

const FIELDS = /^(@[a-z]+|\S+(\s+\S+){4})$/i

/**
 * The first occurrence after an instant; null when there is none. When the clock changes, it works as with cron. An expression with fixed
 * minutes and hours, for a time that the day leaves out, has an occurrence at the end of the gap. For a time that the day has twice, it has
 * one at the first. One with a wildcard or a step in them follows the clock, through an hour that comes twice as well.
 * @throws Error for an expression or a time zone that `requireCronRule` rejects.
 * @example
 * ```ts
 * import { nextOccurrence } from '@taskboard/core/storage'
 *
 * const next = nextOccurrence({ cron: '0 9 * * 1', timeZone: 'Europe/Berlin' }, Date.UTC(2026, 0, 1))
 * console.log(new Date(next ?? 0).toISOString()) // 2026-01-05T08:00:00.000Z
 * ```
 */
export function nextOccurrence({ cron, timeZone }: CronRule, after: Instant): Instant | null {
  return cronOf(cron, timeZone).nextRun(new Date(after))?.getTime() ?? null
}

/**
 * Requires an expression of five fields (minute, hour, day of the month, month, day of the week) or a name such as `@daily`. The process
 * must know the time zone.
 * @throws TaskboardError `INVALID_FIELD` (`timeZone`, `cron`).
 */
export function requireCronRule({ cron, timeZone }: CronRule): void {
  try {
    Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw invalid('timeZone', 'must be a time zone such as Europe/Berlin')
  }
  try {
    // The library reads a single date as well.
    if (!FIELDS.test(cron)) throw new Error('not five fields')
    cronOf(cron, timeZone)
  } catch {
    throw invalid('cron', 'must be a cron expression of five fields')
  }
}

/** Without a function it sets no timer. */
function cronOf(cron: string, timezone: string): Cron {
  return new Cron(cron, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true })
}

function invalid(field: string, rule: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `${field} ${rule}`, { field })
}
