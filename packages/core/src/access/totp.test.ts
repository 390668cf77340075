import { describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import { findTotpStep, isTotpCode, mintTotpSecret } from './mfa-codes.js'

/** `12345678901234567890` in base 32: the secret of the examples in RFC 6238, appendix B. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('one-time passwords', () => {
  // The RFC's eight digits, of which six are the last.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %i', (seconds, code) => {
    expect(findTotpStep(SECRET, code, seconds * 1_000)).toBe(Math.floor(seconds / 30))
  })

  it('are valid one step early or late and report their step', () => {
    const steps = [-60, -30, 0, 30, 60].map((offset) =>
      findTotpStep(SECRET, '005924', (1_234_567_890 + offset) * 1_000),
    )
    expect(steps).toEqual([null, 41_152_263, 41_152_263, 41_152_263, null])
  })

  it.each(['', '5924', '0059240', '00592a', ' 005924', '-05924', '٠٠٥٩٢٤'])('do not match %j', (text) => {
    expect(isTotpCode(text)).toBe(false)
    expect(findTotpStep(SECRET, text, 1_234_567_890_000)).toBeNull()
  })

  it('come with a secret of 160 bits and its address for an app', () => {
    const { text, uri } = mintTotpSecret(systemRandom, 'Board & Co', 'ada+x@example.com')
    expect(text).toMatch(/^[A-Z2-7]{32}$/)
    const { protocol, host, pathname, searchParams } = new URL(uri)
    expect([protocol, host]).toEqual(['otpauth:', 'totp'])
    expect(decodeURIComponent(pathname)).toBe('/Board & Co:ada+x@example.com')
    expect(Object.fromEntries(searchParams)).toEqual({
      issuer: 'Board & Co',
      secret: text,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
