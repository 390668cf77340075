import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from './cursor.js'

const id = 'task_01kdvpndg00000000000000000'

describe('a cursor', () => {
  it('comes back as it was, through characters that need no escaping in a URL', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), fc.nat(), (asOf, rank, createdAt) => {
        const text = encodeCursor({ asOf, rank, createdAt, id })
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeCursor(text)).toEqual({ asOf, rank, createdAt, id })
      }),
    )
  })

  it.each([
    '',
    'x',
    '%%%',
    btoa('{}'),
    btoa('[1,2,3]'),
    btoa('[1,2,"3","task_1"]'),
    btoa('[1,2,3,4]'),
    btoa(`[1.5,2,3,"${id}"]`),
    btoa(`[1,2,3,"t"]`),
    btoa(String.raw`[1,2,3,"task_\u0000"]`),
    btoa(`[1,2,3,"${id.repeat(3)}"]`),
    btoa(`[1,2,3,"task_${'0'.repeat(60)}"]`),
    'WzFd'.repeat(99),
  ])('is refused when nobody made it: %s', (text) => {
    expect(() => decodeCursor(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'cursor' }),
    )
  })
})
