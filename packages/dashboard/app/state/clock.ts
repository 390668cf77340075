import { signal } from '@preact/signals'

/** The time of the shown ages: it moves every ten seconds while the page is visible. */
export const now = signal(Date.now())
const TICK_MS = 10_000
/** A clock that is wrong by less isn't noticed; the header has whole seconds, and the answer took some time. */
const NOTICED_MS = 60_000
let aheadMs = 0
setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now() - aheadMs
}, TICK_MS)

/** Shows ages by the server's clock, by the `Date` of an answer, where this computer's is wrong. */
export function alignClock(date: string | null): void {
  const ahead = Date.now() - Date.parse(date ?? '')
  aheadMs = Math.abs(ahead) > NOTICED_MS ? ahead : 0
  now.value = Date.now() - aheadMs
}
