import { createHmac } from 'node:crypto'

/** Changes to a valid access token: an undefined member is left out. */
export interface Forgery {
  readonly name: string
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** The secret that signs it; null for no signature. Default: the right one. */
  readonly secret?: string | null
  readonly hash?: 'sha256' | 'sha512'
}

/** The forger's key, for a token that carries it. */
const OWN_KEY = 'a key that nobody but its maker has ever trusted'

/** Tokens that must be rejected; `now` is the current time in seconds. */
export function forgeries(now: number): readonly Forgery[] {
  const jwk = { kty: 'oct', k: Buffer.from(OWN_KEY).toString('base64url'), alg: 'HS256' }
  return [
    { name: 'no algorithm', header: { alg: 'none' }, secret: null },
    { name: 'no algorithm, but a signature', header: { alg: 'none' } },
    { name: 'another algorithm', header: { alg: 'HS512' }, hash: 'sha512' },
    { name: 'the name of an algorithm with public keys', header: { alg: 'RS256' } },
    { name: 'a key that comes with it', header: { jwk }, secret: OWN_KEY },
    { name: 'a key that comes with it, beside the right signature', header: { jwk } },
    { name: 'another secret', secret: OWN_KEY },
    { name: 'no type', header: { typ: undefined } },
    { name: 'another type', header: { typ: 'JWT' } },
    { name: 'another issuer', claims: { iss: 'someone' } },
    { name: 'no issuer', claims: { iss: undefined } },
    { name: 'another audience', claims: { aud: 'someone' } },
    { name: 'no audience', claims: { aud: undefined } },
    { name: 'no end', claims: { exp: undefined } },
    { name: 'an end that has come', claims: { exp: now } },
    { name: 'no subject', claims: { sub: undefined } },
    { name: 'another subject', claims: { sub: 'user_00000000000000000000000000' } },
    { name: 'no session', claims: { sid: undefined } },
    { name: 'another session', claims: { sid: 'ses_00000000000000000000000000' } },
  ]
}

/** A good token as it would be with a forgery's changes. */
export function forge(good: string, secret: string, forgery: Forgery): string {
  const [header = {}, claims = {}] = good.split('.').slice(0, 2).map(decode)
  const signed = [
    { ...header, ...forgery.header },
    { ...claims, ...forgery.claims },
  ]
    .map(encode)
    .join('.')
  const key = forgery.secret === undefined ? secret : forgery.secret
  const signature =
    key === null
      ? ''
      : createHmac(forgery.hash ?? 'sha256', key)
          .update(signed)
          .digest('base64url')
  return `${signed}.${signature}`
}

function decode(part: string): object {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as object
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
