import type { Instant } from '@taskboard/core'

/** A time as people of a zone read it. */
export function shownTime(at: Instant, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at)
}
