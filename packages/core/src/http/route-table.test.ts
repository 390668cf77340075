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
    return match && [match.route.path, { ...match.params }]
  }

  it('prefers a path that is spelled out', () => {
    expect(found('/v2/tasks/claim')).toEqual(['/v2/tasks/claim', {}])
  })

  it('gives what parameters stand for, decoded', () => {
    expect(found('/v2/tasks/task_1')).toEqual(['/v2/tasks/:task_id', { task_id: 'task_1' }])
    expect(found('/v2/tasks/a%20b%2Fc/move')).toEqual(['/v2/tasks/:task_id/move', { task_id: 'a b/c' }])
  })

  it.each([
    '/',
    '/b',
    '/a/',
    '/v2/tasks/',
    '/v2/tasks',
    '/v2/tasks/x/other',
    '/v2/tasks/%zz',
    '/v2/tasks/x/move/y',
  ])('has no match for %s', (path) => expect(found(path)).toBeNull())
})
