type Headers = Readonly<Record<string, string>>

const SECONDS = /^\d+(\.\d+)?$/
/** `Date.parse` alone takes almost anything. */
const HTTP_DATE = /^[a-z]{3,9},? .* GMT$/i

/**
 * How long a provider asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date. Null when it does not say, or says nothing
 * that makes sense. A date is compared with the `Date` of the same response, so that clocks need not agree.
 */
export function retryAfterMs(headers: Headers): number | null {
  const inMs = headers['retry-after-ms']?.trim()
  if (inMs !== undefined && SECONDS.test(inMs)) return Number(inMs)
  const given = headers['retry-after']?.trim()
  if (given === undefined) return null
  if (SECONDS.test(given)) return 1_000 * Number(given)
  const at = HTTP_DATE.test(given) ? Date.parse(given) : NaN
  if (Number.isNaN(at)) return null
  const sent = Date.parse(headers['date'] ?? '')
  return Math.max(0, at - (Number.isNaN(sent) ? Date.now() : sent))
}
