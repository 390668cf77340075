import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { textOf } from '../errors/index.js'
import { resourceFields } from './index.js'

interface Lamp {
  readonly name: string
  readonly wallColor: string | null
  readonly rooms: readonly string[]
  readonly isOn: boolean
}

const name = textOf({ most: 10, isBlankAllowed: false })
const lampFields = resourceFields<Lamp>()({
  name: { kind: 'text', schema: name, description: 'What it is called.' },
  wallColor: { kind: 'text', schema: name, empty: null },
  rooms: { kind: 'texts', schema: z.array(name).transform((rooms) => [...new Set(rooms)]), empty: [] },
  isOn: { kind: 'boolean', schema: z.boolean(), empty: false },
})

describe('the fields of a resource', () => {
  it('fill a new resource with their empty values', () => {
    expect(lampFields.parseNew({ name: 'desk' })).toEqual({ name: 'desk', ...lampFields.empty })
    expect(lampFields.parseNew({ name: 'desk', wallColor: null, rooms: ['a', 'a'] })).toEqual({
      name: 'desk',
      wallColor: null,
      rooms: ['a'],
      isOn: false,
    })
  })

  it('keep in a change what is given, with null as the empty value', () => {
    expect(lampFields.parseChange({ wallColor: undefined, rooms: null })).toEqual({ rooms: [] })
    expect(lampFields.changeOf({ wall_color: 'red', other: 1 })).toEqual({ wallColor: 'red' })
  })

  it('refuse unknown fields, missing ones and wrong values by name', () => {
    const codeOf = (input: unknown) => {
      try {
        return lampFields.parseNew(input as never)
      } catch (error) {
        return error
      }
    }
    expect(codeOf({ wallColor: 'red' })).toMatchObject({ code: 'MISSING_FIELD', field: 'name' })
    expect(codeOf({ name: null })).toMatchObject({ code: 'MISSING_FIELD', field: 'name' })
    expect(codeOf({ name: 'desk', isOn: 1 })).toMatchObject({ code: 'INVALID_FIELD', field: 'isOn' })
    expect(codeOf({ name: 'desk', wall: 'red' })).toMatchObject({ code: 'INVALID_FIELD', field: 'wall' })
  })

  it('have the names of the wire in bodies and answers', () => {
    const lamp = lampFields.newOf({ name: 'desk', wall_color: 'red' })
    expect(lampFields.toWire(lamp)).toEqual({ name: 'desk', wall_color: 'red', rooms: [], is_on: false })
    expect(Object.keys(lampFields.newBody)).toEqual(['name', 'wall_color', 'rooms', 'is_on'])
    expect(z.object(lampFields.answer).safeParse(lampFields.toWire(lamp)).success).toBe(true)
    expect(lampFields.newBody.name.meta()).toEqual({ description: 'What it is called.' })
  })

  it('have the types of the resource', () => {
    type New = Parameters<typeof lampFields.parseNew>[0]
    expectTypeOf<{ name: string }>().toExtend<New>()
    expectTypeOf<{ name: string; wallColor: null }>().toExtend<New>()
    expectTypeOf<{ wallColor: null }>().not.toExtend<New>()
    expectTypeOf(lampFields.toWire).returns.toEqualTypeOf<{
      readonly name: string
      readonly wall_color: string | null
      readonly rooms: readonly string[]
      readonly is_on: boolean
    }>()
  })
})
