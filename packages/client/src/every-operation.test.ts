import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ClientMethod, clientMethods } from '../../../scripts/generate/client-methods.js'
import { operationsOf } from '../../../scripts/generate/document.js'
import { readDocument } from '../../../scripts/generate/documented-board.js'
import { generatedFiles } from '../../../scripts/generate/files.js'
import { methodsOf, type RecordedCall, recordCalls } from '../test/recorded-calls.js'
import { createClient, type OperationId, type Operations, type TaskboardClient } from './index.js'

const root = new URL('../../../', import.meta.url)
const textOf = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8')

/** Methods that send something else, or nothing by themselves. */
const others = new Set(['graphql', 'realtime.subscribe', 'worker'])

type IsAny<Type> = 0 extends 1 & Type ? true : false

/** The names of the members whose type is `any`, or a function that takes or returns it. */
type AnyIn<Type> = {
  [Name in keyof Type]: IsAny<Type[Name]> extends true
    ? Name
    : Type[Name] extends (...args: infer Args) => infer Result
      ? true extends IsAny<Args[number]> | IsAny<Result> | IsAny<Awaited<Result>>
        ? Name
        : never
      : Type[Name] extends object
        ? AnyIn<Type[Name]>
        : never
}[keyof Type]

/** The operations that take or answer `any`. */
type AnyOperation = {
  [Id in OperationId]: true extends IsAny<Operations[Id]['answer' | 'body' | 'query']> ? Id : never
}[OperationId]

/** Does not compile when there is one. */
const withoutAny: [AnyIn<TaskboardClient>, AnyOperation] extends [never, never] ? true : never = true

describe('the methods of the client', () => {
  let documented: ReadonlyMap<string, ClientMethod>
  let ids: readonly string[]
  let calls: readonly RecordedCall[]

  beforeAll(async () => {
    const document = await readDocument()
    documented = new Map(clientMethods(document).map((method) => [method.name, method]))
    ids = operationsOf(document).map(({ operationId }) => operationId)
    calls = await recordCalls(others)
  })

  it('are made from the operations as they are, like all that is not in git (if not: npm run generate)', async () => {
    const files = await generatedFiles()
    for (const [path, text] of Object.entries(files))
      expect({ path, text: await textOf(path) }).toEqual({ path, text })
    expect(Object.keys(files)).toContain('clients/python/taskboard/operations.py')
  })

  it('cover every operation', () => {
    const covered = new Set([...documented.values()].map(({ operation }) => operation.operationId))
    expect([...covered].toSorted()).toEqual(ids.toSorted())
    expect(ids.length).toBeGreaterThan(75)
  })

  it('are all there, and called here', () => {
    const client = createClient({ baseUrl: 'http://board.example' })
    const names = methodsOf(client, '').map(([name]) => name)
    expect(names.toSorted()).toEqual([...documented.keys(), ...others].toSorted())
    expect(calls.map(({ name }) => name).toSorted()).toEqual([...documented.keys()].toSorted())
  })

  it('send the method and the path of their operation, with the ids in order', () => {
    const sent = calls.map(({ name, method, path }) => [name, `${method} ${path}`])
    const promised = calls.map(({ name }) => {
      const { method, path } = documented.get(name)?.operation ?? {}
      let count = 0
      return [name, `${method} ${path?.replaceAll(/\{\w+\}/g, () => `id${(count += 1)}`)}`]
    })
    expect(sent).toEqual(promised)
  })

  it('send a body where their operation has one, and the action of the board API', () => {
    const sent = calls.filter(({ body }) => body !== undefined).map(({ name }) => name)
    const promised = calls.filter(({ name }) => documented.get(name)?.operation.requestBody)
    expect(sent).toEqual(promised.map(({ name }) => name))
    const actions = calls.flatMap(({ name, query }) => (query === '' ? [] : [[name, query]]))
    const columns = ['todo', 'doing', 'done', 'add', 'move', 'chat']
    expect(actions).toEqual(columns.map((action) => [`board.${action}`, `?action=${action}`]))
  })

  it('have a doc comment each', async () => {
    const lines = (await textOf('packages/client/src/methods.ts')).split('\n')
    const [end] = lines.flatMap((line, index) => (line.startsWith('export const') ? [index] : []))
    const members = lines
      .slice(0, end)
      .flatMap((line, index) => (/^ +(?:readonly )?\w+(?:: |\()/.test(line) ? [index] : []))
    const undocumented = members.filter((index) => !lines[index - 1]?.trim().startsWith('/** '))
    expect(undocumented.map((index) => lines[index])).toEqual([])
    expect(members.length).toBeGreaterThan(documented.size)
  })

  it('have no any in their types', async () => {
    expect(withoutAny).toBe(true)
    const code = (await textOf('packages/client/src/wire.ts')).replaceAll(/\/\*.*?\*\//gs, '')
    expect(code).not.toMatch(/\bany\b/)
  })
})
