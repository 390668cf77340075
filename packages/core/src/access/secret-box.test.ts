import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import { createSecretBox, ephemeralSecretBox, type SecretBoxOptions } from './secret-box.js'

const keyA = new Uint8Array(32).fill(1)
const keyB = new Uint8Array(32).fill(2)
const box = (encryptionKey: SecretBoxOptions['encryptionKey']) =>
  createSecretBox({ encryptionKey }, systemRandom)

function caught(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

function expectUnreadable(work: () => unknown): void {
  const error = caught(work)
  expect(error).toMatchObject({ code: 'INTERNAL_ERROR', message: 'a stored secret could not be read' })
  expect(error).not.toHaveProperty('cause')
}

describe('createSecretBox', () => {
  it('opens what it sealed, whatever the text and context', () => {
    const one = box(keyA)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, context) => {
        expect(one.open(one.seal(plain, context), context)).toBe(plain)
      }),
    )
  })

  it('draws a fresh nonce for each text and shows nothing of the text', () => {
    const one = box(keyA)
    const texts = Array.from({ length: 100 }, () => one.seal('whsec_hello', 'webhook:wh_1'))
    expect(new Set(texts.map((text) => text.split('.')[2]?.slice(0, 16))).size).toBe(100)
    expect(texts[0]).toMatch(/^v1\.[\w-]{11}\.[\w-]+$/)
    expect(Buffer.from(texts[0]?.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('hello')
  })

  it('refuses text with any one character changed, added or taken away', () => {
    const one = box([{ id: 'main', key: keyA }])
    const sealed = one.seal('secret!', 'place')
    for (let i = 0; i < sealed.length; i++) {
      for (const other of ['A', 'B', '.', '=', '']) {
        if (sealed[i] === other) continue
        expectUnreadable(() => one.open(sealed.slice(0, i) + other + sealed.slice(i + 1), 'place'))
      }
    }
    expectUnreadable(() => one.open(`${sealed}A`, 'place'))
    expectUnreadable(() => one.open('', 'place'))
    expectUnreadable(() => one.open('v1.main.', 'place'))
  })

  it('refuses text that was sealed for another place', () => {
    const one = box(keyA)
    expectUnreadable(() => one.open(one.seal('secret', 'webhook:wh_1'), 'webhook:wh_2'))
  })

  it('rotates: the first key seals, all open, a removed one does not', () => {
    const before = box([{ id: 'a', key: keyA }])
    const during = box([
      { id: 'b', key: keyB },
      { id: 'a', key: keyA },
    ])
    const after = box([{ id: 'b', key: keyB }])
    const old = before.seal('secret', 'place')
    const fresh = during.seal('secret', 'place')
    expect(during.open(old, 'place')).toBe('secret')
    expect(fresh.startsWith('v1.b.')).toBe(true)
    expect(after.open(fresh, 'place')).toBe('secret')
    expectUnreadable(() => after.open(old, 'place'))
  })

  it('opens with a listed key what that key sealed when it was given alone', () => {
    const sealed = box(keyA).seal('secret', 'place')
    const listed = box([
      { id: 'new', key: keyB },
      { id: 'old', key: keyA },
    ])
    expect(listed.open(sealed, 'place')).toBe('secret')
  })

  it('does not mistake one key for another with the same id', () => {
    const sealed = box([{ id: 'main', key: keyA }]).seal('secret', 'place')
    expectUnreadable(() => box([{ id: 'main', key: keyB }]).open(sealed, 'place'))
  })

  it('accepts a key as bytes, hexadecimal, base64 and base64url', () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => 255 - index)
    const buffer = Buffer.from(bytes)
    const sealed = box(bytes).seal('secret', 'place')
    const texts = [
      buffer.toString('hex'),
      buffer.toString('hex').toUpperCase(),
      buffer.toString('base64'),
      buffer.toString('base64').replace('=', ''),
      buffer.toString('base64url'),
    ]
    for (const text of texts) expect(box(text).open(sealed, 'place')).toBe('secret')
  })

  it('is not affected by a caller who wipes the key bytes afterwards', () => {
    const bytes = new Uint8Array(keyA)
    const one = box(bytes)
    bytes.fill(0)
    expect(box(keyA).open(one.seal('secret', 'place'), 'place')).toBe('secret')
  })

  it.each<[string, unknown]>([
    ['a pass phrase', 'correct horse battery staple'],
    ['31 bytes', new Uint8Array(31)],
    ['33 bytes as base64', Buffer.alloc(33).toString('base64')],
    ['nothing', undefined],
    ['an empty list', []],
    ['a listed key that is too short', [{ id: 'a', key: 'abcd' }]],
    ['an id with a dot', [{ id: 'a.b', key: keyA }]],
    ['an absent id', [{ key: keyA }]],
    [
      'an id used twice',
      [
        { id: 'a', key: keyA },
        { id: 'a', key: keyB },
      ],
    ],
  ])('refuses %s', (_, encryptionKey) => {
    const error = caught(() => box(encryptionKey as SecretBoxOptions['encryptionKey']))
    expect(isTaskboardError(error, 'INVALID_CONFIG')).toBe(true)
    expect(error).toMatchObject({
      field: 'secrets.encryptionKey',
      message: expect.stringContaining('encryptionKey'),
    })
    expect(String(error)).not.toContain('battery')
  })
})

describe('a digest', () => {
  it('is the same for the same text and first key, and tells nothing without that key', () => {
    const one = box([{ id: 'a', key: keyA }])
    expect(one.digest('hush')).toBe(box(keyA).digest('hush'))
    expect(one.digest('hush')).not.toBe(one.digest('hush '))
    expect(one.digest('hush')).not.toBe(box(keyB).digest('hush'))
    expect(
      box([
        { id: 'b', key: keyB },
        { id: 'a', key: keyA },
      ]).digest('hush'),
    ).toBe(box(keyB).digest('hush'))
    // Nor with the key's id, which is part of every sealed text and is a hash of the key.
    for (const key of ['', 'hush', Buffer.from(keyA)]) {
      const guess = createHmac('sha256', key).update('hush').digest('hex')
      expect(one.digest('hush')).not.toBe(guess)
    }
  })
})

describe('ephemeralSecretBox', () => {
  it('opens its own texts and no other box does', () => {
    const one = ephemeralSecretBox(systemRandom)
    const sealed = one.seal('secret', 'place')
    expect(one.open(sealed, 'place')).toBe('secret')
    expectUnreadable(() => ephemeralSecretBox(systemRandom).open(sealed, 'place'))
  })
})
