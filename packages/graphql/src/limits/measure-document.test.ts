import { getIntrospectionQuery, parse } from 'graphql'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { abusiveDocument } from '../../test/abusive-document.js'
import { taskboardSchema } from '../schema/schema.js'
import { createDocuments } from '../documents.js'
import { resolveOptions } from '../graphql-options.js'
import { FragmentCycle, measureDocument, type Variables } from './measure-document.js'

const schema = taskboardSchema()
const measure = (text: string, variables?: Variables) => measureDocument(schema, parse(text), variables)
const sizeOf = (text: string, variables?: Variables) => measure(text, variables).size

describe('the measures of a document', () => {
  it('are taken only for a text of at most 100,000 characters', () => {
    const documents = createDocuments(schema, resolveOptions({}))
    const padded = (length: number) => `{ __typename }${' '.repeat(length - 14)}`
    expect(documents.prepare(padded(100_000), null)).toHaveProperty('kind', 'Document')
    expect(documents.prepare(padded(100_001), null)).toMatchObject([
      { message: 'the document is too long: at most 100000 characters; use variables' },
    ])
  })

  it('are taken again of a known document, whose cost depends on the variables', () => {
    const documents = createDocuments(schema, resolveOptions({ limits: { cost: 50 } }))
    const text = 'query ($n: Int) { tasks(first: $n) { nodes { id } } }'
    const tooMuch = [{ message: 'the document may cost too much: at most 50' }]
    expect(documents.prepare(text, { n: 49 })).toHaveProperty('kind', 'Document')
    expect(documents.prepare(text, { n: 50 })).toMatchObject(tooMuch)
    expect(documents.prepare(text, { n: 49 })).toHaveProperty('kind', 'Document')
  })

  it('count a selection once per entry of a page', () => {
    const page = (first: string) => `{ tasks${first} { edges { node { id agent { name } } } } }`
    expect(sizeOf(page('(first: 10)'))).toMatchObject({ cost: 1 + 10 * 3, depth: 5, fields: 6 })
    expect(sizeOf(page(''))).toMatchObject({ cost: 1 + 20 * 3 })
    expect(sizeOf('{ tasks(first: 10) { nodes { logs { message } } } }').cost).toBe(1 + 10 * (1 + 1 + 100))
  })

  it('count a fragment within a list as often as the list may be long', () => {
    const inList = (spread: string) => `{ tasks(first: 50) { nodes { ${spread} } } }`
    const whole = 1 + 50 * (1 + 1 + 1 + 100)
    expect(sizeOf(inList('agent { name } logs { message }')).cost).toBe(whole)
    expect(sizeOf(inList('... on Task { agent { name } logs { message } }')).cost).toBe(whole)
    const fragment = 'fragment F on Task { agent { name } logs { message } }'
    expect(sizeOf(`${inList('...F')} ${fragment}`).cost).toBe(whole)
    const nested = 'fragment G on TaskConnection { nodes { ...F } }'
    expect(sizeOf(`{ tasks(first: 50) { ...G } } ${nested} ${fragment}`).cost).toBe(whole)
    // Each time that it is spread, and with the length of the list that it is spread in.
    const twice = '{ a: tasks(first: 50) { nodes { ...F } } b: tasks(first: 10) { nodes { ...F } } }'
    expect(sizeOf(`${twice} ${fragment}`).cost).toBe(whole + 1 + 10 * (1 + 1 + 1 + 100))
  })

  it('count a subscription as twenty of its events', () => {
    const events = (selected: string) => sizeOf(`subscription { taskEvents { ${selected} } }`).cost
    expect(events('seq workspaceId')).toBe(1 + 20)
    expect(events('seq ... on TaskEvent { type task { title logs { message } } }')).toBe(
      1 + 20 * (1 + 1 + 100),
    )
  })

  it('use the values of variables, else their defaults', () => {
    const text = 'query ($n: Int = 5) { tasks(first: $n) { nodes { id } } }'
    expect(measure(text)).toMatchObject({ size: { cost: 1 + 5 }, dependsOnVariables: true })
    expect(sizeOf(text, { n: 50 }).cost).toBe(1 + 50)
    expect(sizeOf('query ($n: Int) { tasks(first: $n) { nodes { id } } }').cost).toBe(1 + 20)
    expect(sizeOf('query ($n: Int) { tasks(first: $n) { nodes { id } } }', { n: null }).cost).toBe(1 + 20)
    expect(sizeOf('{ tasks(first: null) { nodes { id } } }').cost).toBe(1 + 20)
    expect(measure('{ tasks { nodes { id } } }').dependsOnVariables).toBe(false)
  })

  it('use the largest default where operations have variables of the same name', () => {
    const operation = (name: string, declared: string) =>
      `query ${name}($n: Int${declared}) { tasks(first: $n) { nodes { id } } }`
    for (const [one, other] of [
      [' = 90', ' = 1'],
      [' = 1', ' = 90'],
      [' = 90', ''],
      ['', ' = 90'],
    ] as const) {
      const text = operation('A', one) + operation('B', other)
      expect(sizeOf(text).cost).toBe(1 + 90)
      expect(sizeOf(text, { n: 7 }).cost).toBe(1 + 7)
    }
    expect(sizeOf(operation('A', ' = 1') + operation('B', '')).cost).toBe(1 + 20)
  })

  it('count nothing for introspection, unless aliases multiply it', () => {
    const nothing = { cost: 1, aliases: 0, directives: 0 }
    expect(sizeOf(getIntrospectionQuery())).toMatchObject(nothing)
    expect(sizeOf('{ a: __type(name: "Task") { name } b: __type(name: "Agent") { name } }').aliases).toBe(2)
    for (const text of [
      '{ __schema { types { a: fields { name } } } }',
      '{ a: __schema { types { name } } b: __schema { types { name } } }',
      '{ __type(name: "Task") { ...F } } fragment F on __Type { a: name }',
      '{ __schema { ... on __Schema { types { ... { fields { type { b: name } } } } } } }',
    ]) {
      expect(sizeOf(text).aliases).toBe(Infinity)
    }
  })

  it('count fragments wherever they are spread', () => {
    const text = '{ ...F ...F ...on Query { ...F } } fragment F on Query { a: __typename @skip(if: false) }'
    expect(sizeOf(text)).toMatchObject({ fields: 3, aliases: 3, directives: 3, depth: 1 })
  })

  it('count directives at any place', () => {
    const text =
      'query ($a: Int @a) @b { ...F @c ...on Query @d { __typename @e } } fragment F on Query @f { __typename }'
    expect(sizeOf(text).directives).toBe(6)
  })

  it('count writes at their cost', () => {
    expect(sizeOf('mutation { deleteTask(id: "a") b: deleteTask(id: "b") }').cost).toBe(500)
  })

  it('count unused fragments, and all operations', () => {
    const text =
      'query A { __typename } query B { a: __typename b: __typename } fragment F on Query { account { id } }'
    expect(sizeOf(text)).toMatchObject({ aliases: 2, depth: 2 })
  })

  it('leave introspection out', () => {
    const text = '{ __schema { types { fields { ...F } } } } fragment F on __Field { args { type { name } } }'
    expect(sizeOf(text)).toMatchObject({ depth: 1, fields: 1 })
  })

  it.each([
    '{ ...A } fragment A on Query { ...A }',
    '{ a } fragment A on Query { ...B } fragment B on Query { ...A }',
  ])('refuse fragments that spread themselves: %s', (text) =>
    expect(() => measure(text)).toThrow(FragmentCycle),
  )

  it('read each selection once, however often its fragment is spread', () => {
    fc.assert(
      fc.property(abusiveDocument, (text) => {
        let document
        try {
          document = parse(text, { maxTokens: 30_000 })
        } catch {
          return
        }
        const { visited, watched } = watchSelections(document)
        try {
          measureDocument(schema, watched)
        } catch (error) {
          expect(error).toBeInstanceOf(FragmentCycle)
        }
        expect(visited.most()).toBeLessThanOrEqual(1)
      }),
      { numRuns: 200 },
    )
  })
})

/** The same document, which counts how often each of its selection sets is read. */
function watchSelections<T extends object>(document: T) {
  const reads = new Map<object, number>()
  const wrap = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(wrap)
    if (typeof value !== 'object' || value === null || !('kind' in value)) return value
    const node = value as Record<string, unknown>
    const copy: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(node)) {
      if (name === 'loc') continue
      const wrapped = wrap(member)
      if (name !== 'selections') copy[name] = wrapped
      else {
        Object.defineProperty(copy, name, {
          get() {
            reads.set(node, (reads.get(node) ?? 0) + 1)
            return wrapped
          },
        })
      }
    }
    return copy
  }
  return { watched: wrap(document) as T, visited: { most: () => Math.max(0, ...reads.values()) } }
}
