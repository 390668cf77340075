import { readFileSync } from 'node:fs'
import {
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  getNamedType,
  printSchema,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import type { FieldCost } from '../limits/field-cost.js'
import { taskboardSchema } from './schema.js'

const schema = taskboardSchema()

describe('the schema', () => {
  it('is the one that the package contains (if not: npm run generate)', () => {
    const file = new URL('../../schema.graphql', import.meta.url)
    expect(readFileSync(file, 'utf8')).toBe(`${printSchema(schema)}\n`)
  })

  it('says of every list of objects how many there may be', () => {
    // Pages say it themselves: the field that gives the page counts.
    const paged = new Set(['edges', 'nodes'])
    const unsized = objectFields()
      .filter(({ field }) => {
        const isList = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type))
        return isList && !paged.has(field.name) && costOf(field).size === undefined
      })
      .map(({ name }) => name)
    expect(unsized).toEqual([])
  })

  it('says of every write what it costs', () => {
    const writes = objectFields().filter(({ name }) => name.startsWith('Mutation.'))
    expect(writes.length).toBeGreaterThan(20)
    expect(writes.filter(({ field }) => (costOf(field).weight ?? 0) < 100)).toEqual([])
  })
})

function objectFields() {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) =>
      Object.values(isObjectType(type) ? type.getFields() : {}).map((field) => ({
        name: `${type.name}.${field.name}`,
        field,
      })),
    )
}

function costOf({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): FieldCost {
  return extensions['taskboard'] ?? {}
}
