import { describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import { hashApiKey, isApiKey, mintApiKey } from './api-key.js'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const seeded = (byte: number) => ({
  bytes: (size: number) => new Uint8Array(size).fill(byte),
  fraction: () => 0,
})

describe('mintApiKey', () => {
  it('makes distinct keys of one form', () => {
    const keys = Array.from({ length: 200 }, () => mintApiKey(systemRandom).key)
    for (const key of keys) expect(key).toMatch(/^tb_[0-9a-hjkmnp-tv-z]{39}$/)
    expect(new Set(keys).size).toBe(200)
    expect(keys.every(isApiKey)).toBe(true)
  })

  it('encodes all 160 bits, so that no two secrets share a key', () => {
    expect(mintApiKey(seeded(0)).key.slice(3, 35)).toBe('0'.repeat(32))
    expect(mintApiKey(seeded(255)).key.slice(3, 35)).toBe('z'.repeat(32))
    const spelled = new Set<string>()
    for (let bit = 0; bit < 160; bit++) {
      const bytes = new Uint8Array(20)
      bytes[bit >> 3] = 1 << (bit & 7)
      spelled.add(mintApiKey({ bytes: () => bytes, fraction: () => 0 }).key)
    }
    expect(spelled.size).toBe(160)
  })

  it('returns a prefix that shows little of the key, and the hash to store', () => {
    const { key, prefix, hash } = mintApiKey(systemRandom)
    expect(key.startsWith(prefix)).toBe(true)
    expect(prefix).toHaveLength(11)
    expect(hash).toBe(hashApiKey(key))
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('isApiKey', () => {
  it('refuses a key with any one character mistyped, and any two neighbours swapped', () => {
    const { key } = mintApiKey(systemRandom)
    const mistyped: string[] = []
    for (let i = 3; i < key.length; i++) {
      for (const other of ALPHABET) mistyped.push(key.slice(0, i) + other + key.slice(i + 1))
      mistyped.push(key.slice(0, i) + (key[i + 1] ?? '') + (key[i] ?? '') + key.slice(i + 2))
    }
    expect(mistyped).toHaveLength(39 * 33)
    expect(new Set(mistyped.filter(isApiKey))).toEqual(new Set([key]))
  })

  it('refuses other forms', () => {
    const { key } = mintApiKey(systemRandom)
    const wrong = [
      '',
      'tb_',
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.toUpperCase(),
      key.replace('tb_', 'sk_'),
    ]
    expect(wrong.filter(isApiKey)).toEqual([])
  })
})

describe('hashApiKey', () => {
  it('is the SHA-256 in hexadecimal', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
