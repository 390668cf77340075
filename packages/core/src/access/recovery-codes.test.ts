import { describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import { hashRecoveryCode, mintRecoveryCodes } from './mfa-codes.js'

describe('recovery codes', () => {
  it('are ten, all different, of 128 bits each', () => {
    const { codes, hashes } = mintRecoveryCodes(systemRandom)
    expect([new Set(codes).size, new Set(hashes).size]).toEqual([10, 10])
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){6}[0-9a-hjkmnp-tv-z]{2}$/)
    const zeroes = mintRecoveryCodes({ ...systemRandom, bytes: (size) => new Uint8Array(size) })
    const ones = mintRecoveryCodes({ ...systemRandom, bytes: (size) => new Uint8Array(size).fill(255) })
    expect(zeroes.codes[0]).toBe('0000-0000-0000-0000-0000-0000-00')
    expect(ones.codes[0]).toBe('7zzz-zzzz-zzzz-zzzz-zzzz-zzzz-zz')
  })

  it('match their hash, however they are grouped', () => {
    const { codes, hashes } = mintRecoveryCodes(systemRandom)
    const [code = ''] = codes
    for (const text of [
      code,
      code.toUpperCase(),
      code.replaceAll('-', ''),
      ` ${code.replaceAll('-', ' ')} `,
    ]) {
      expect(hashRecoveryCode(text)).toBe(hashes[0])
    }
    for (const text of ['', code.slice(1), `${code}0`, '123456', 'l'.repeat(26)]) {
      expect(hashRecoveryCode(text)).toBeNull()
    }
  })
})
