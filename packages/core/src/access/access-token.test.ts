import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../environment/index.js'
import { createAccessTokens, resolveTokenOptions, type TokenOptions } from './access-token.js'

const NOW = 1_800_000_000_500
const SECRET = 'x'.repeat(32)
const CLAIMS = { userId: 'user_1', sessionId: 'ses_1' }

function setUp(options: Partial<TokenOptions> = {}) {
  let now = NOW
  const clock = { ...systemClock, now: () => now }
  const settings = resolveTokenOptions({ secret: SECRET, ...options })
  return {
    tokens: createAccessTokens(settings, clock),
    pass: (ms: number) => {
      now += ms
    },
  }
}

/** Made by hand, so that the test depends on the format alone. */
function handMade(header: object, claims: object, secret: string | null = SECRET): string {
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${secret === null ? '' : createHmac('sha256', secret).update(signed).digest('base64url')}`
}

const header = { alg: 'HS256', typ: 'at+jwt' }
const claims = {
  iss: 'taskboard',
  aud: 'taskboard',
  sub: 'user_1',
  sid: 'ses_1',
  exp: Math.floor(NOW / 1_000) + 60,
}

const wrong: readonly [what: string, header: object, claims: object, secret?: string | null][] = [
  ['alg none', { ...header, alg: 'none' }, claims, null],
  ['alg none with a signature', { ...header, alg: 'none' }, claims],
  ['another algorithm', { ...header, alg: 'HS384' }, claims],
  ['RS256', { ...header, alg: 'RS256' }, claims],
  ['an embedded key', { ...header, jwk: { kty: 'oct', k: 'eHg' } }, claims, 'xx'],
  ['an embedded key beside our signature', { ...header, jwk: { kty: 'oct', k: 'eHg' } }, claims],
  ['a key’s address', { ...header, jku: 'https://example.com' }, claims],
  ['a critical extension', { ...header, crit: ['exp'] }, claims],
  ['no typ', { alg: 'HS256' }, claims],
  ['another typ', { ...header, typ: 'JWT' }, claims],
  ['another iss', header, { ...claims, iss: 'other' }],
  ['no iss', header, { ...claims, iss: undefined }],
  ['another aud', header, { ...claims, aud: 'other' }],
  ['no aud', header, { ...claims, aud: undefined }],
  ['no exp', header, { ...claims, exp: undefined }],
  ['exp as text', header, { ...claims, exp: String(claims.exp) }],
  ['no sub', header, { ...claims, sub: undefined }],
  ['no sid', header, { ...claims, sid: undefined }],
  ['sid that is not text', header, { ...claims, sid: 7 }],
  ['nbf in the future', header, { ...claims, nbf: claims.exp }],
  ['another secret', header, claims, 'y'.repeat(32)],
  ['no signature', header, claims, null],
]

describe('access tokens', () => {
  it('return the signed claims until they expire', async () => {
    const { tokens, pass } = setUp({ accessTokenTtlMs: 60_000 })
    const token = await tokens.sign(CLAIMS)
    const expiresAt = 1_800_000_060_000
    expect(await tokens.verify(token)).toEqual({ ...CLAIMS, expiresAt })
    pass(expiresAt - NOW - 1)
    expect(await tokens.verify(token)).not.toBeNull()
    pass(1)
    expect(await tokens.verify(token)).toBeNull()
  })

  it('have the documented form', async () => {
    const token = await setUp().tokens.sign(CLAIMS)
    const [first = '', second = ''] = token.split('.')
    expect(JSON.parse(Buffer.from(first, 'base64url').toString())).toEqual(header)
    expect(JSON.parse(Buffer.from(second, 'base64url').toString())).toEqual({
      ...claims,
      iat: 1_800_000_000,
      exp: 1_800_000_900,
    })
  })

  it('are valid when made elsewhere with the same secret', async () => {
    expect(await setUp().tokens.verify(handMade(header, claims))).toMatchObject(CLAIMS)
  })

  it.each(wrong.map(([what, ...parts]) => ({ what, parts })))('are refused: $what', async ({ parts }) => {
    const [wrongHeader, wrongClaims, secret] = parts
    expect(await setUp().tokens.verify(handMade(wrongHeader, wrongClaims, secret))).toBeNull()
  })

  it.each(['', 'a', '..', 'a.b.c', 'e30.e30.'])('are refused: %j', async (text) => {
    expect(await setUp().tokens.verify(text)).toBeNull()
  })
})

describe('resolveTokenOptions', () => {
  it.each<[string, Partial<TokenOptions>]>([
    ['tokens.secret', { secret: 'x'.repeat(31) }],
    ['tokens.secret', { secret: new Uint8Array(31) }],
    ['tokens.issuer', { issuer: ' ' }],
    ['tokens.audience', { audience: '' }],
    ['tokens.accessTokenTtlMs', { accessTokenTtlMs: 999 }],
    ['tokens.accessTokenTtlMs', { accessTokenTtlMs: 1_500 }],
    ['tokens.accessTokenTtlMs', { accessTokenTtlMs: 86_401_000 }],
    ['tokens.refreshTokenTtlMs', { accessTokenTtlMs: 60_000, refreshTokenTtlMs: 59_000 }],
  ])('refuses a bad %s', (field, options) => {
    const refusal = expect.objectContaining({ code: 'INVALID_CONFIG', field })
    expect(() => resolveTokenOptions({ secret: SECRET, ...options })).toThrow(refusal)
  })

  it('never shows the secret', () => {
    expect(() => resolveTokenOptions({ secret: 'short and secret' })).toThrow(/^(?!.*short and).*$/)
  })
})
