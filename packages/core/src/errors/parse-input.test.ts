import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { boundedList, parseInput, wholeNumber } from './parse-input.js'
import { TaskboardError } from './taskboard-error.js'
import { boundedText, textOf } from './text.js'

const schema = z.strictObject({
  name: textOf({ most: 5, isBlankAllowed: false }),
  count: wholeNumber(1, 9).nullish(),
  ratio: z.number().min(0.5).max(1.5).optional(),
  whole: z.int().optional(),
  on: z.boolean().optional(),
  at: z.date().optional(),
  level: z.enum(['low', 'high']).optional(),
  kind: z.literal('one').optional(),
  tags: boundedList(boundedText(3), { of: 'tags', least: 1, most: 3 }).optional(),
  plain: z.array(z.string().min(2)).min(1).max(2).optional(),
  letter: z.string().length(1).optional(),
  by: z.record(z.string().max(3), z.int()).optional(),
  inner: z.object({ deep: z.array(z.strictObject({ id: z.string() })) }).optional(),
  either: z.union([z.string(), z.number()]).optional(),
  pattern: z.string().regex(/^a$/).optional(),
  custom: z
    .string()
    .refine(() => false)
    .optional(),
})

const faults: readonly (readonly [fields: object, field: string, message: string])[] = [
  [{ name: 5 }, 'name', 'name must be text'],
  [{ name: 'sixsix' }, 'name', 'name must have at most 5 characters'],
  [{ name: ' ' }, 'name', 'name must not be blank'],
  [{ count: 0 }, 'count', 'count must be a whole number from 1 to 9'],
  [{ count: 10 }, 'count', 'count must be a whole number from 1 to 9'],
  [{ count: 1.5 }, 'count', 'count must be a whole number from 1 to 9'],
  [{ count: '1' }, 'count', 'count must be a whole number from 1 to 9'],
  [{ ratio: 'x' }, 'ratio', 'ratio must be a number'],
  [{ ratio: Number.NaN }, 'ratio', 'ratio must be a number'],
  [{ ratio: 0 }, 'ratio', 'ratio must be at least 0.5'],
  [{ ratio: 2 }, 'ratio', 'ratio must be at most 1.5'],
  [{ whole: 1.5 }, 'whole', 'whole must be a whole number'],
  [{ on: 'yes' }, 'on', 'on must be true or false'],
  [{ on: null }, 'on', 'on must be true or false'],
  [{ at: 'now' }, 'at', 'at must be a valid date'],
  [{ level: 'loud' }, 'level', 'level must be one of low, high'],
  [{ kind: 'two' }, 'kind', 'kind must be one'],
  [{ tags: 'a' }, 'tags', 'tags must be a list of tags'],
  [{ tags: [] }, 'tags', 'tags must have at least 1 of the tags'],
  [{ tags: ['a', 7] }, 'tags', 'tags[1] must be text'],
  [{ tags: ['a', 'b', 'four'] }, 'tags', 'tags[2] must have at most 3 characters'],
  [{ tags: [1, 2, 3, 4] }, 'tags', 'tags must have at most 3 entries'],
  [{ plain: 7 }, 'plain', 'plain must be a list'],
  [{ plain: [] }, 'plain', 'plain must have at least 1 entry'],
  [{ plain: ['aa', 'bb', 'cc'] }, 'plain', 'plain must have at most 2 entries'],
  [{ letter: 'ab' }, 'letter', 'letter must have at most 1 character'],
  [{ plain: ['aa', 'b'] }, 'plain', 'plain[1] must have at least 2 characters'],
  [{ by: { a: 'x' } }, 'by', 'by.a must be a number'],
  [{ by: { 'a b': 'x' } }, 'by', 'by["a b"] must be a number'],
  [{ by: { long: 1 } }, 'by', 'by.long has a name that is not valid'],
  [{ by: [] }, 'by', 'by must be an object'],
  [{ inner: { deep: [{ id: 'a' }, {}] } }, 'inner', 'inner.deep[1].id is required'],
  [{ either: true }, 'either', 'either is not valid'],
  [{ pattern: 'b' }, 'pattern', 'pattern is not valid'],
  [{ custom: 'b' }, 'custom', 'custom is not valid'],
  [{ stranger: 1 }, 'stranger', 'stranger is not a known field'],
  [{ inner: { deep: [{ id: 'a', od: 1 }] } }, 'inner', 'inner.deep[0].od is not a known field'],
]

describe('parseInput', () => {
  it.each(faults)('describes %o', (fields, field, message) => {
    expect(thrownBy({ name: 'x', ...fields })).toMatchObject({ code: 'INVALID_FIELD', field, message })
  })

  it.each([undefined, null])('reports a required field of %s as required', (name) => {
    const expected = { code: 'MISSING_FIELD', field: 'name', message: 'name is required' }
    expect(thrownBy({ name })).toMatchObject(expected)
  })

  it.each([undefined, null, 7, 'text'])('refuses %s as no object', (input) => {
    expect(thrownBy(input)).toMatchObject({ code: 'INVALID_FIELD', message: 'the input must be an object' })
  })

  it('reads no entry of a list that is too long', () => {
    let looked = 0
    const entry = z.string().refine(() => (looked += 1) > 0)
    const list = z.object({ list: boundedList(entry, { of: 'texts', most: 2 }) })
    expect(() => parseInput(list, { list: ['a', 'b', 'c'] })).toThrow('list must have at most 2 entries')
    expect(looked).toBe(0)
    expect(parseInput(list, { list: ['a', 'b'] })).toEqual({ list: ['a', 'b'] })
    expect(looked).toBe(2)
  })
})

function thrownBy(input: unknown): unknown {
  try {
    return parseInput(schema, input)
  } catch (error) {
    expect(error).toBeInstanceOf(TaskboardError)
    return error
  }
}
