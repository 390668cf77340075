import { expect, it } from 'vitest'
import { RefusedAddressError } from './guarded-connector.js'
import { describeFault } from './http-exchange.js'

const withCode = (code: unknown, cause?: unknown): Error =>
  Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443', { cause }), { code })

it.each([
  [new RefusedAddressError('must be at a public address'), 'refused_address', 'must be at a public address'],
  [withCode('ECONNREFUSED'), 'network', 'ECONNREFUSED'],
  [withCode('CERT_HAS_EXPIRED'), 'tls', 'CERT_HAS_EXPIRED'],
  [withCode('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls', 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [withCode('EPROTO'), 'tls', 'EPROTO'],
  [withCode(undefined, withCode('ECONNRESET')), 'network', 'ECONNRESET'],
  [withCode(undefined), 'network', 'the request failed'],
  [withCode('at 10.0.0.7'), 'network', 'the request failed'],
  ['10.0.0.7', 'network', 'the request failed'],
  [null, 'network', 'the request failed'],
])('%o is %s: %s, without the address', (error, kind, detail) => {
  expect(describeFault(error)).toEqual({ error: kind, detail })
})
