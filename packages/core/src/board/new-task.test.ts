import { describe, expect, it } from 'vitest'
import { parseInput } from '../errors/index.js'
import { backoffDelayMs, defaultBackoff } from './backoff.js'
import { parseNewTask, type TaskInput } from './task.js'
import { chatInput } from './write-inputs.js'

const parse = (input: unknown) => parseNewTask(input as TaskInput, 'ws_1', 5)

describe('the input of a task', () => {
  it('keeps no minus zero, which a database returns as zero', () => {
    const { dueDate, notBefore } = parse({ title: 't', dueDate: -0, notBefore: -0 })
    expect([Object.is(dueDate, 0), Object.is(notBefore, 0)]).toEqual([true, true])
  })

  it('trims the title and counts code points', () => {
    expect(parse({ title: '  Ship it \n' }).title).toBe('Ship it')
    expect(parse({ title: '😀'.repeat(200) }).title).toHaveLength(400)
    expect(parse({ title: `${' '.repeat(300)}${'x'.repeat(200)}` }).title).toHaveLength(200)
  })

  it.each([
    [{}, 'MISSING_FIELD', 'title'],
    [{ title: undefined }, 'MISSING_FIELD', 'title'],
    [{ title: null }, 'MISSING_FIELD', 'title'],
    [{ title: 7 }, 'INVALID_FIELD', 'title'],
    [{ title: ' \t ' }, 'INVALID_FIELD', 'title'],
    [{ title: 'x'.repeat(201) }, 'INVALID_FIELD', 'title'],
    [{ title: '😀'.repeat(201) }, 'INVALID_FIELD', 'title'],
    [{ title: 'a\0b' }, 'INVALID_FIELD', 'title'],
    [{ title: 'a\ud800' }, 'INVALID_FIELD', 'title'],
    [{ title: 't', priority: 'URGENT' }, 'INVALID_FIELD', 'priority'],
    [{ title: 't', description: 5 }, 'INVALID_FIELD', 'description'],
    [{ title: 't', description: 'x'.repeat(20_001) }, 'INVALID_FIELD', 'description'],
    [{ title: 't', dueDate: '2026-02-30T00:00:00Z' }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', dueDate: '2026-02-20T00:00:00' }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', dueDate: '2026-02-20' }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', dueDate: 'tomorrow' }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', dueDate: new Date(NaN) }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', dueDate: 1.5 }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', dueDate: 253_402_300_800_000 }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', dueDate: -62_167_219_200_001 }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', dueDate: Number.MAX_SAFE_INTEGER }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', dueDate: '9999-12-31T23:59:59-00:01' }, 'INVALID_FIELD', 'dueDate'],
    [{ title: 't', notBefore: '0000-01-01T00:00:00+00:01' }, 'INVALID_FIELD', 'notBefore'],
    [{ title: 't', tags: 'a' }, 'INVALID_FIELD', 'tags'],
    [{ title: 't', tags: [1] }, 'INVALID_FIELD', 'tags'],
    [{ title: 't', tags: Array.from({ length: 2 }) }, 'INVALID_FIELD', 'tags'],
    [{ title: 't', tags: [' '] }, 'INVALID_FIELD', 'tags'],
    [{ title: 't', tags: Array.from({ length: 51 }, String) }, 'INVALID_FIELD', 'tags'],
    [{ title: 't', type: ' ' }, 'INVALID_FIELD', 'type'],
    [{ title: 't', type: 'x'.repeat(65) }, 'INVALID_FIELD', 'type'],
    [{ title: 't', type: 7 }, 'INVALID_FIELD', 'type'],
    [{ title: 't', metadata: { a: 1 } }, 'INVALID_FIELD', 'metadata'],
    [{ title: 't', metadata: { a: 'x'.repeat(16_400) } }, 'INVALID_FIELD', 'metadata'],
    [{ title: 't', metadata: 'x' }, 'INVALID_FIELD', 'metadata'],
    [{ title: 't', metadata: { a: { b: 'c' } } }, 'INVALID_FIELD', 'metadata'],
    [{ title: 't', dependsOn: 'task_1' }, 'INVALID_FIELD', 'dependsOn'],
    [{ title: 't', maxAttempts: 0 }, 'INVALID_FIELD', 'maxAttempts'],
  ])('%j is refused with %s for %s', (input, code, field) => {
    expect(() => parse(input)).toThrow(expect.objectContaining({ code, field }))
  })

  it.each([null, 'text', 5, []])('%j is not an input', (input) => {
    expect(() => parse(input)).toThrow(expect.objectContaining({ code: 'INVALID_FIELD', field: undefined }))
  })

  it('accepts a time as a Date, as milliseconds and as ISO 8601 with an offset', () => {
    const dueDate = Date.UTC(2028, 1, 29, 10)
    for (const input of [
      new Date(dueDate),
      dueDate,
      '2028-02-29T10:00:00Z',
      '2028-02-29T12:00:00.000+02:00',
    ]) {
      expect(parse({ title: 't', dueDate: input }).dueDate).toBe(dueDate)
    }
  })

  it.each([
    ['2030-01-31T17:00:00', 'dueDate must end with Z (for UTC) or with an offset, such as +02:00'],
    ['2030-01-31', 'dueDate must have a time as well, with Z (for UTC) or an offset: 2030-01-31T17:00:00Z'],
    ['soon', 'dueDate must be a valid date and time with Z or an offset'],
  ])('says what a due date lacks: %s', (dueDate, message) => {
    expect(() => parse({ title: 't', dueDate })).toThrow(message)
  })

  it('accepts the first and the last time with a year of four digits', () => {
    const first = parse({ title: 't', dueDate: '0000-01-01T00:00:00Z' })
    const last = parse({ title: 't', dueDate: '9999-12-31T23:59:59.999Z' })
    expect([first.dueDate, last.dueDate]).toEqual([-62_167_219_200_000, 253_402_300_799_999])
  })

  it('reads no entry of metadata that is far too large', () => {
    const tooMuch = /^metadata must have at most 16384 characters as JSON/
    const long = 'x'.repeat(16_385)
    for (const metadata of [{ a: long, b: 7 }, { a: Array.from(long), b: 7 }, { [long]: 7 }]) {
      expect(() => parse({ title: 't', metadata })).toThrow(tooMuch)
    }
    const keys = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`name ${index}`, '']))
    expect(() => parse({ title: 't', metadata: keys })).toThrow(tooMuch)
    // Longer as JSON than as text.
    expect(() => parse({ title: 't', metadata: { a: '\n'.repeat(8_200) } })).toThrow(tooMuch)
    expect(parse({ title: 't', metadata: { a: '\n'.repeat(8_000) } }).metadata).toHaveProperty('a')
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    expect(() => parse({ title: 't', metadata: circular })).toThrow(/^metadata.self must be text/)
  })

  it.each([
    [{ size: 7 }, 'metadata.size must be text or a list of texts'],
    [{ list: ['a', null] }, 'metadata.list[1] must be text'],
    [{ ['n'.repeat(101)]: 'a' }, /^metadata\["n+…"\] must have a name of 1 to 100 characters/],
    [{ ' ': 'a' }, /^metadata\[" "\] must have a name/],
    [JSON.parse('{"__proto__":"x"}'), 'metadata.__proto__ must have another name'],
  ])('names the key of metadata that is wrong: %o', (metadata: unknown, message) => {
    expect(() => parse({ title: 't', metadata })).toThrow(message)
  })

  it.each([
    [{ tags: ['a', 7] }, 'tags[1] must be text'],
    [{ dependsOn: ['a', ' '] }, 'dependsOn[1] must not be blank'],
  ])('names the entry of a list that is wrong: %o', (fields, message) => {
    expect(() => parse({ title: 't', ...fields })).toThrow(message)
  })

  it('keeps keys like constructor in metadata out of prototypes', () => {
    const metadata: unknown = JSON.parse('{"constructor":"y","plain":["z"]}')
    const parsed = parse({ title: 't', metadata }).metadata ?? {}
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
    expect(Object.hasOwn(parsed, 'constructor')).toBe(true)
    expect(({} as Record<string, unknown>)['plain']).toBeUndefined()
  })
})

describe('a chat message', () => {
  it.each([
    [{}, 'MISSING_FIELD', 'message'],
    [{ message: ' ' }, 'INVALID_FIELD', 'message'],
    [{ message: 'hi', user: 5 }, 'INVALID_FIELD', 'user'],
  ])('%j is refused with %s for %s', (input, code, field) => {
    expect(() => parseInput(chatInput, input)).toThrow(expect.objectContaining({ code, field }))
  })
})

describe('backoffDelayMs', () => {
  it('doubles up to its maximum', () => {
    expect([1, 2, 3, 6, 7, 50].map((attempt) => backoffDelayMs(defaultBackoff, attempt))).toEqual([
      10_000, 20_000, 40_000, 320_000, 600_000, 600_000,
    ])
  })
})
