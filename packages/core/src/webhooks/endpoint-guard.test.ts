import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEndpointGuard } from './endpoint-guard.js'

const guard = createEndpointGuard()
const local = createEndpointGuard({ allow: ['127.0.0.0/8', '::1', '10.1.2.3'] })

const NOT_PUBLIC = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::808:808',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'no address',
  '',
  '127.1',
  '0177.0.0.1',
]
const PUBLIC = ['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808']

describe('addresses', () => {
  it.each(NOT_PUBLIC)('refuses %j', (address) => {
    expect(guard.refuseAddress(address, 'https:')).toBe('must be at a public address')
  })

  it.each(PUBLIC)('accepts %s only over https', (address) => {
    expect(guard.refuseAddress(address, 'https:')).toBeNull()
    expect(guard.refuseAddress(address, 'http:')).toBe('must use https')
  })

  it('accepts allowed addresses, over both protocols, wrapped or not', () => {
    for (const address of [
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      '10.1.2.3',
      '::ffff:127.0.0.1',
      '64:ff9b::7f00:1',
    ]) {
      expect(local.refuseAddress(address, 'https:')).toBeNull()
      expect(local.refuseAddress(address, 'http:')).toBeNull()
    }
    for (const address of ['10.1.2.4', '::2', 'fe80::1', '::7f00:1']) {
      expect(local.refuseAddress(address, 'https:')).not.toBeNull()
    }
    expect(local.refuseAddress('8.8.8.8', 'https:')).toBeNull()
  })

  it('treats IPv4-mapped and NAT64 forms like the plain IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const plain = guard.refuseAddress(address, 'https:')
        expect(guard.refuseAddress(`::ffff:${address}`, 'https:')).toBe(plain)
        expect(guard.refuseAddress(`64:ff9b::${address}`, 'https:')).toBe(plain)
      }),
    )
  })
})

describe('URLs', () => {
  it.each([
    'https://example.com',
    'https://example.com/hooks?token=a%20b',
    'https://example.com:8443/hooks',
    'https://example.com./',
    'https://bücher.example/ä',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]:444/',
    'https://notlocalhost/',
    'HTTPS://EXAMPLE.COM/@me',
  ])('accepts %s', (url) => {
    expect(guard.refuseUrl(url)).toBeNull()
  })

  it.each([
    ['http://example.com/', 'must use https'],
    ['ftp://example.com/', 'must use https'],
    ['javascript:alert(1)', 'must use https'],
    ['file:///etc/passwd', 'must use https'],
    ['example.com/hooks', 'must be an absolute URL'],
    ['/hooks', 'must be an absolute URL'],
    ['', 'must be an absolute URL'],
    ['https://', 'must be an absolute URL'],
    ['https://./', 'must name a host'],
    ['https://example.com:65536/', 'must be an absolute URL'],
    ['https://example.com:0/', 'must have a port from 1 to 65535'],
    ['https://user@example.com/', 'must not contain a user name or password'],
    ['https://:secret@example.com/', 'must not contain a user name or password'],
    ['https://@example.com/', 'must not contain a user name or password'],
    ['https://example.com/#', 'must not have a fragment'],
    ['https://example.com/#top', 'must not have a fragment'],
    [' https://example.com/', 'must not contain spaces, backslashes or control characters'],
    ['https://exa\nmple.com/', 'must not contain spaces, backslashes or control characters'],
    ['https:\\\\example.com', 'must not contain spaces, backslashes or control characters'],
  ])('refuses %j: %s', (url, reason) => {
    expect(guard.refuseUrl(url)).toBe(reason)
    expect(local.refuseUrl(url)).toBe(reason)
  })

  it('refuses more than 2,048 characters', () => {
    const url = `https://example.com/${'a'.repeat(2_028)}`
    expect(guard.refuseUrl(url)).toBeNull()
    expect(guard.refuseUrl(`${url}a`)).toBe('must have at most 2048 characters')
  })

  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '0x7f000001',
    '127.0.0.1.',
    '１２７.0.0.1',
    '%31%32%37.0.0.1',
    '[::1]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'api.localhost',
  ])('refuses loopback spelled as %s unless it is allowed', (host) => {
    expect(guard.refuseUrl(`https://${host}/`)).toBe('must be at a public address')
    expect(guard.refuseUrl(`https://${host}:8443/`)).toBe('must be at a public address')
    expect(local.refuseUrl(`https://${host}/`)).toBeNull()
    expect(local.refuseUrl(`http://${host}:8080/`)).toBeNull()
  })

  it.each([
    '169.254.169.254',
    '0xa9fea9fe',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
  ])('refuses the metadata service as %s', (host) => {
    expect(guard.refuseUrl(`https://${host}/latest/meta-data`)).toBe('must be at a public address')
    expect(local.refuseUrl(`https://${host}/latest/meta-data`)).toBe('must be at a public address')
  })

  it('opens http only to the allowed addresses, and to no name, since that may be anywhere', () => {
    for (const host of ['receiver.test', 'example.com', 'receiver', 'notlocalhost', '8.8.8.8', '10.0.0.1']) {
      expect(local.refuseUrl(`http://${host}/`)).toBe('must use https')
    }
    for (const host of ['127.0.0.1', '[::1]', 'localhost:8080'])
      expect(local.refuseUrl(`http://${host}/`)).toBeNull()
    expect(local.refuseUrl('https://receiver.test/')).toBeNull()
  })

  it('takes localhost for loopback, whatever else is allowed', () => {
    const other = createEndpointGuard({ allow: ['10.0.0.0/8'] })
    expect(other.refuseUrl('http://localhost/')).toBe('must be at a public address')
    expect(other.refuseUrl('http://10.0.0.1/')).toBeNull()
  })
})

it.each(['localhost', '127.0.0.0/33', '127.1', ''])('refuses %j in allow', (entry) => {
  expect(() => createEndpointGuard({ allow: [entry] })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG' }),
  )
})
