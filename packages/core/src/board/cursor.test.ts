import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from './cursor.js'

const id = 'task_01kdvpndg00000000000000000'

describe('a cursor', () => {
  it('survives a round trip, in characters that need no escaping in a URL', () => {
    const cursors = fc.record({
      asOf: fc.maxSafeInteger(),
      rank: fc.maxSafeInteger(),
      held: fc.boolean(),
      dueDate: fc.option(fc.nat()),
      createdAt: fc.nat(),
      id: fc.constant(id),
    })
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = encodeCursor(cursor)
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeCursor(text)).toEqual(cursor)
      }),
    )
  })

  it.each([
    '',
    'x',
    '%%%',
    btoa('{}'),
    btoa('[1,2,3]'),
    btoa(`[1,2,3,"${id}"]`),
    btoa(`[1,2,false,null,"3","${id}"]`),
    btoa(`[1,2,0,null,3,"${id}"]`),
    btoa(`[1,2,false,"4",3,"${id}"]`),
    btoa('[1,2,false,null,3,4]'),
    btoa(`[1.5,2,false,null,3,"${id}"]`),
    btoa(`[1,2,false,null,3,"t"]`),
    btoa(String.raw`[1,2,false,null,3,"task_\u0000"]`),
    btoa(`[1,2,false,null,3,"${id.repeat(3)}"]`),
    btoa(`[1,2,false,null,3,"task_${'0'.repeat(60)}"]`),
    'WzFd'.repeat(99),
  ])('is refused when the list did not return it: %s', (text) => {
    expect(() => decodeCursor(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'cursor' }),
    )
  })
})
