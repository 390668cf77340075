import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { taskboardSchema } from '../schema/schema.js'
import { boundVariables } from './bound-variables.js'

const schema = taskboardSchema()
const bound = (declared: string, variables: Record<string, unknown>) =>
  boundVariables(schema, parse(`mutation (${declared}) { __typename }`), variables)
const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]))

describe('variables', () => {
  it('stay as they are where their types have what they hold', () => {
    const metadata = { ...many, list: ['a', 'b'] }
    const variables = {
      input: { title: 'a', tags: Array.from({ length: 50 }, String), dependsOn: null, metadata },
      id: 'b',
      undeclared: many,
    }
    expect(bound('$input: CreateTaskInput!, $id: ID', variables)).toEqual(variables)
  })

  it('keep one of the members that an input object does not have', () => {
    const input = { ...many, title: 'a' }
    expect(bound('$input: CreateTaskInput!', { input })).toEqual({ input: { title: 'a', k0: 0 } })
  })

  it('keep the beginning of an object where there is to be none', () => {
    const beginning = Object.fromEntries(Object.entries(many).slice(0, 20))
    const input = { title: many, tags: [many, 'a'] }
    expect(bound('$input: CreateTaskInput!', { input })).toEqual({
      input: { title: beginning, tags: [beginning, 'a'] },
    })
    expect(bound('$a: Int, $b: [ID!]', { a: [many], b: many })).toEqual({ a: [beginning], b: beginning })
  })

  it('keep no more entries of a list or metadata than a body may have', () => {
    const tags = Array.from({ length: 30_000 }, (_, index) => String(index))
    const metadata = Object.fromEntries(tags.map((tag) => [`k${tag}`, tag]))
    const { input } = bound('$input: CreateTaskInput!', { input: { tags, metadata } }) as {
      input: { tags: string[]; metadata: object }
    }
    expect([input.tags.length, Object.keys(input.metadata).length]).toEqual([20_000, 20_000])
  })

  it('keep what is named as the members of all objects are', () => {
    const input = JSON.parse('{"__proto__": {"title": "x"}}') as unknown
    const { input: kept } = bound('$input: CreateTaskInput!', { input }) as { input: object }
    expect(Object.keys(kept)).toEqual(['__proto__'])
    expect(kept).not.toHaveProperty('title')
  })
})
