import { createHmac, timingSafeEqual } from 'node:crypto'

/** How old a signed request may be, and how far ahead its clock. */
const TOLERANCE_S = 300

/**
 * Whether Slack has signed a request with the secret, within five minutes of `now`. The signature is an HMAC-SHA256 of the version, the time
 * and the bytes of the body.
 */
export function isSignedBySlack(
  {
    bytes,
    timestamp,
    signature,
  }: { readonly bytes: Uint8Array; readonly timestamp: string; readonly signature: string },
  secret: string,
  now: number,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE_S) return false
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(bytes).digest('hex')
  const [expected, given] = [Buffer.from(`v0=${digest}`), Buffer.from(signature)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}
