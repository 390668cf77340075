import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../scripts/generate/documented-board.js'
import { operationsOf } from '../scripts/generate/document.js'

const page = readFileSync(new URL('api-v2.md', import.meta.url), 'utf8')

/** The rows of the table of routes: the operations of each, such as `GET /v2/tasks`, and its scopes. */
function rows(): readonly { readonly operations: readonly string[]; readonly scopes: readonly string[] }[] {
  const [, section = ''] = page.split('\n## Routes by subject\n')
  const [table = ''] = /^\|(?:.*\|\n)+/m.exec(section) ?? []
  const [, , ...lines] = table.trim().split('\n')
  return lines.map((line) => {
    const [routes = '', scope = ''] = line.split(' | ')
    return { operations: operationsIn(routes), scopes: namesIn(scope) }
  })
}

const namesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** "`GET`, `POST /v2/tasks`, `GET …/{task_id}`": a method without a path has the next path. */
function operationsIn(cell: string): readonly string[] {
  const [first = ''] = /\/v2\/[^` ]+/.exec(cell) ?? []
  const waiting: string[] = []
  return namesIn(cell).flatMap((code) => {
    const [, method, path] = /^(GET|POST|PATCH|DELETE)(?: (\S+))?$/.exec(code) ?? []
    if (method === undefined) return []
    waiting.push(method)
    if (path === undefined) return []
    return waiting.splice(0).map((each) => `${each} ${path.replace('…', first)}`)
  })
}

describe('the routes in docs/api-v2.md', () => {
  it('are those of API v2, each with the scope that it requires', async () => {
    const scopes = new Map(
      operationsOf(await readDocument())
        .filter(({ path }) => path.startsWith('/v2/'))
        .map((operation) => [`${operation.method} ${operation.path}`, operation['x-scope']]),
    )
    const listed = rows()
    expect(listed.flatMap(({ operations }) => operations).toSorted()).toEqual([...scopes.keys()].toSorted())
    const required = listed.map(({ operations }) =>
      [...new Set(operations.map((each) => scopes.get(each) ?? ''))].filter((scope) => scope.includes(':')),
    )
    expect(listed.map(({ scopes: said }) => said.toSorted())).toEqual(required.map((each) => each.toSorted()))
  })
})
