import { describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import { mintRefreshToken, parseRefreshToken } from './refresh-token.js'

describe('refresh tokens', () => {
  it('share only their family with the one before', () => {
    const first = mintRefreshToken(systemRandom)
    const next = mintRefreshToken(systemRandom, first.token)
    const other = mintRefreshToken(systemRandom)
    expect(next.familyHash).toBe(first.familyHash)
    expect(other.familyHash).not.toBe(first.familyHash)
    expect(new Set([first, next, other].map(({ tokenHash }) => tokenHash)).size).toBe(3)
    expect(first.token).toMatch(/^tbr_[\w-]{65}$/)
  })

  it('are parsed as they were made, and other text is refused', () => {
    const { token, familyHash, tokenHash } = mintRefreshToken(systemRandom)
    expect(parseRefreshToken(token)).toEqual({ familyHash, tokenHash })
    for (const text of ['', token.slice(1), `${token}x`, token.replace('tbr_', 'tb_'), ` ${token}`]) {
      expect(parseRefreshToken(text)).toBeNull()
    }
  })
})
