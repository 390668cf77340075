import { sign, verify } from '@octokit/webhooks-methods'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSigningKey, signPayload, verifySignature } from './signature.js'

const BODY = JSON.stringify({ event: 'task.created', data: { title: 'Grüße, 東京 🚀 \u2028 «ñ»' } })

describe('signPayload', () => {
  it('returns the HMAC of RFC 4231, test case 2', () => {
    expect(signPayload('Jefe', 'what do ya want for nothing?')).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  it('is what @octokit/webhooks-methods verifies and makes, non-ASCII included', async () => {
    for (const secret of ['plain', 'pässwörd 🔑', 'whsec_AAAA']) {
      const signature = signPayload(secret, BODY)
      expect(await verify(secret, BODY, signature)).toBe(true)
      expect(await sign(secret, BODY)).toBe(signature)
    }
  })

  it('signs text and its UTF-8 bytes alike, with text and key alike', () => {
    const signature = signPayload('secret', BODY)
    expect(signPayload('secret', new TextEncoder().encode(BODY))).toBe(signature)
    expect(signPayload(createSigningKey('secret'), BODY)).toBe(signature)
  })

  it('refuses an empty secret', () => {
    expect(() => signPayload('', BODY)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'secret' }),
    )
  })
})

describe('verifySignature', () => {
  it('accepts its own signature and no other', () => {
    const signature = signPayload('secret', BODY)
    expect(verifySignature('secret', BODY, signature)).toBe(true)
    expect(verifySignature(createSigningKey('secret'), Buffer.from(BODY), signature)).toBe(true)
    expect(verifySignature('Secret', BODY, signature)).toBe(false)
    expect(verifySignature('secret', `${BODY} `, signature)).toBe(false)
    expect(verifySignature('secret', BODY, signature.toUpperCase())).toBe(false)
    expect(verifySignature('secret', BODY, signature.slice('sha256='.length))).toBe(false)
  })

  it('compares every digit: a signature that differs in one place is refused', () => {
    const signature = signPayload('secret', BODY)
    for (let place = 'sha256='.length; place < signature.length; place++) {
      const other = signature[place] === '0' ? '1' : '0'
      const forged = signature.slice(0, place) + other + signature.slice(place + 1)
      expect([place, verifySignature('secret', BODY, forged)]).toEqual([place, false])
    }
  })

  it('accepts a list in which one entry matches', () => {
    const list = `${signPayload('new', BODY)}, ${signPayload('old', BODY)}`
    expect(verifySignature('old', BODY, list)).toBe(true)
    expect(verifySignature('new', BODY, list)).toBe(true)
    expect(verifySignature('other', BODY, list)).toBe(false)
  })

  it('is false for junk and never throws', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (secret, body, signature) => {
        expect(verifySignature(secret as string, body as string, signature as string)).toBe(false)
      }),
      { numRuns: 500 },
    )
    expect(verifySignature('', '', signPayload('x', ''))).toBe(false)
    expect(verifySignature('secret', BODY, undefined)).toBe(false)
  })

  it('accepts every body and secret that it signed', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.uint8Array(), (secret, body) => {
        expect(verifySignature(secret, body, signPayload(secret, body))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
