import { describe, expect, it } from 'vitest'
import { createOriginGuard, type AllowedOrigins } from './cross-origin.js'

type Headers = Readonly<Record<string, string>>

/** Whether a guard accepts a POST with a cookie. */
function passes(
  headers: Headers,
  { allowed, target, method = 'POST' }: { allowed?: AllowedOrigins; target?: string; method?: string } = {},
): boolean {
  const all: Headers = { cookie: 'session=1', ...headers }
  const request = { method, targetOrigin: target, header: (name: string) => all[name] || undefined }
  return createOriginGuard(allowed).refuse(request) === null
}

const OWN = 'https://app.example'

describe('a request with a cookie', () => {
  it('passes from a page of the same origin, and from no page, by its Sec-Fetch-Site', () => {
    expect(passes({ 'sec-fetch-site': 'same-origin' })).toBe(true)
    expect(passes({ 'sec-fetch-site': 'none' })).toBe(true)
    // A proxy may have changed the host; the browser's header counts.
    expect(passes({ 'sec-fetch-site': 'same-origin', origin: OWN }, { target: 'http://10.0.0.1' })).toBe(true)
  })

  it.each(['same-site', 'cross-site', 'anything', 'Same-Origin', 'none, none'])(
    'is refused as %s, whatever its Origin says',
    (site) => {
      expect(passes({ 'sec-fetch-site': site })).toBe(false)
      expect(passes({ 'sec-fetch-site': site, origin: OWN }, { target: OWN })).toBe(false)
      expect(passes({ 'sec-fetch-site': site, origin: 'https://evil.example' }, { target: OWN })).toBe(false)
    },
  )

  it.each([
    ['https://app.example', 'https://app.example'],
    ['https://app.example:8443', 'https://app.example:8443'],
    // A proxy terminates TLS.
    ['https://app.example', 'http://app.example'],
    ['https://app.example', 'http://app.example:443'],
    ['http://app.example', 'http://app.example:80'],
    ['http://app.example:3000', 'http://APP.example:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('passes from %s at %s without more from the browser', (origin, target) => {
    expect(passes({ origin }, { target })).toBe(true)
  })

  it.each([
    ['https://evil.example', OWN],
    ['https://app.example.evil.example', OWN],
    ['https://evil.app.example', OWN],
    ['https://app.example:8443', OWN],
    ['https://app.example', 'https://app.example:8443'],
    // Anyone on the network may have changed a page of plain HTTP.
    ['http://app.example', OWN],
    ['null', OWN],
    ['null', 'null'],
    ['', ''],
    ['chrome-extension://app.example', OWN],
    ['https://app.example, https://evil.example', OWN],
    ['https://', 'http://'],
  ])('is refused from %s at %s', (origin, target) => {
    expect(passes({ origin }, { target })).toBe(false)
  })

  it('is compared with the Host header when nothing more is known', () => {
    expect(passes({ origin: 'http://app.example:3000', host: 'app.example:3000' })).toBe(true)
    expect(passes({ origin: 'http://app.example:3000', host: 'app.example' })).toBe(false)
    expect(passes({ origin: 'http://app.example' })).toBe(false)
  })

  it('is refused when no header names its origin', () => {
    const header = (name: string) => (name === 'cookie' ? 'session=1' : undefined)
    const refusal = createOriginGuard().refuse({ method: 'POST', header })
    expect(refusal).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('requires an Origin'),
    })
  })

  it('passes with an Authorization header, or an empty cookie', () => {
    expect(passes({ origin: 'https://evil.example', authorization: 'Bearer x' })).toBe(true)
    expect(passes({ origin: 'https://evil.example', cookie: '' })).toBe(true)
  })

  it('is refused with a password that browsers keep, unless it is from no page', () => {
    const judge = (headers: Headers) =>
      createOriginGuard().refuse({ method: 'POST', header: (name) => headers[name], targetOrigin: OWN })
    for (const authorization of [
      'Basic dTpw',
      'basic dTpw',
      'Negotiate YII',
      'Digest username="u"',
      'NTLM T',
    ]) {
      expect(judge({ authorization, origin: 'https://evil.example' })).toMatchObject({ code: 'FORBIDDEN' })
      expect(judge({ authorization, 'sec-fetch-site': 'cross-site' })).toMatchObject({ code: 'FORBIDDEN' })
      expect(judge({ authorization, cookie: 'a=1' })).toBeNull()
      expect(judge({ authorization, cookie: 'a=1', origin: 'https://evil.example' })).not.toBeNull()
      expect(judge({ authorization, origin: OWN })).toBeNull()
      expect(judge({ authorization })).toBeNull()
    }
    expect(judge({ authorization: 'Basically x', origin: 'https://evil.example' })).toBeNull()
  })

  it('passes with a safe method, but not when it opens a WebSocket', () => {
    const headers: Headers = { cookie: 'session=1', origin: 'https://evil.example', host: 'app.example' }
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(passes(headers, { method })).toBe(true)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'get']) {
      expect(passes(headers, { method })).toBe(false)
    }
    const upgrade = { method: 'GET', header: (name: string) => headers[name] }
    expect(createOriginGuard().refuseUpgrade(upgrade)).toMatchObject({ code: 'FORBIDDEN' })
    expect(createOriginGuard(['https://evil.example']).refuseUpgrade(upgrade)).toBeNull()
  })
})

describe('allowedOrigins', () => {
  const allowed = ['https://Panel.example:443', 'tauri://localhost']

  it('pass, as browsers write them', () => {
    for (const origin of ['https://panel.example', 'tauri://localhost']) {
      expect(passes({ origin, 'sec-fetch-site': 'cross-site' }, { allowed })).toBe(true)
      expect(passes({ origin }, { allowed, target: OWN })).toBe(true)
    }
    for (const origin of ['http://panel.example', 'https://panel.example:8443', 'https://a.panel.example']) {
      expect(passes({ origin, 'sec-fetch-site': 'cross-site' }, { allowed })).toBe(false)
    }
  })

  it('turn the check off with any', () => {
    expect(passes({ origin: 'https://evil.example' }, { allowed: 'any' })).toBe(true)
    expect(passes({}, { allowed: 'any' })).toBe(true)
  })

  it.each([
    'https://app.example/',
    'https://app.example/path',
    'app.example',
    '*',
    'https://*.app.example',
    'https://user@app.example',
    'https://',
    'null',
    '',
  ])('cannot contain "%s"', (origin) => {
    const refusal = expect.objectContaining({ code: 'INVALID_CONFIG', field: 'allowedOrigins' })
    expect(() => createOriginGuard([origin])).toThrow(refusal)
  })

  it('cannot be a text', () => {
    const refusal = expect.objectContaining({ code: 'INVALID_CONFIG', field: 'allowedOrigins' })
    expect(() => createOriginGuard(OWN as never)).toThrow(refusal)
  })
})
