import { describe, expect, it } from 'vitest'
import { rotateSecrets } from './signing-keys.js'

const NOW = 1_000_000
const current = { sealed: 'current', expiresAt: null }

describe('rotateSecrets', () => {
  it('keeps the current secret for the overlap', () => {
    expect(rotateSecrets([current], 'new', NOW, 500)).toEqual([
      { sealed: 'new', expiresAt: null },
      { sealed: 'current', expiresAt: NOW + 500 },
    ])
  })

  it('keeps no expired secret, and none without an overlap', () => {
    expect(rotateSecrets([current], 'new', NOW, 0)).toEqual([{ sealed: 'new', expiresAt: null }])
    const expired = { sealed: 'expired', expiresAt: NOW }
    expect(rotateSecrets([expired], 'new', NOW, 500)).toEqual([{ sealed: 'new', expiresAt: null }])
  })

  it('does not extend an expiry that an earlier rotation has set', () => {
    const old = { sealed: 'old', expiresAt: NOW + 1 }
    expect(rotateSecrets([old], 'new', NOW, 500)).toEqual([{ sealed: 'new', expiresAt: null }, old])
  })
})
