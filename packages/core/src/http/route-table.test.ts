import { describe, expect, it } from 'vitest'
import type { Route } from './http.js'
import { createRouteTable } from './route-table.js'

const route = (path: string): Route => ({ path, handle: () => Promise.reject(new Error(path)) })

describe('createRouteTable', () => {
  const table = createRouteTable(
    ['/a', '/v2/tasks/claim', '/v2/tasks/:task_id', '/v2/tasks/:task_id/move'].map(route),
  )
  const found = (path: string) => {
    const match = table.find(path)
    return match && [(match.route as Route).path, { ...match.params }]
  }

  it('falls back to the first prefix of the path', () => {
    const fallbacks = ['/board/v2', '/board'].map((prefix) => ({ ...route(prefix), prefix }))
    const withFallbacks = createRouteTable([route('/board/v2/tasks')], fallbacks)
    const answering = (path: string) => (withFallbacks.find(path)?.route as Route | undefined)?.path
    expect(['/board/v2/tasks', '/board/v2/x', '/board/v2', '/board/x/y', '/boards'].map(answering)).toEqual([
      '/board/v2/tasks',
      '/board/v2',
      '/board/v2',
      '/board',
      undefined,
    ])
  })

  it('prefers a path without parameters', () => {
    expect(found('/v2/tasks/claim')).toEqual(['/v2/tasks/claim', {}])
  })

  it('returns the decoded values of parameters', () => {
    expect(found('/v2/tasks/task_1')).toEqual(['/v2/tasks/:task_id', { task_id: 'task_1' }])
    expect(found('/v2/tasks/a%20b%2Fc/move')).toEqual(['/v2/tasks/:task_id/move', { task_id: 'a b/c' }])
  })

  it('finds the same with a final slash', () => {
    expect(found('/a/')).toEqual(found('/a'))
    expect(found('/v2/tasks/x/move/')).toEqual(['/v2/tasks/:task_id/move', { task_id: 'x' }])
  })

  it('leaves a malformed escape unchanged', () => {
    expect(found('/v2/tasks/%E0%A4%A/move')).toEqual(['/v2/tasks/:task_id/move', { task_id: '%E0%A4%A' }])
  })

  it.each(['/', '/b', '/a//', '/v2/tasks/', '/v2/tasks', '/v2/tasks/x/other', '/v2/tasks/x/move/y'])(
    'has no match for %s',
    (path) => expect(found(path)).toBeNull(),
  )
})
