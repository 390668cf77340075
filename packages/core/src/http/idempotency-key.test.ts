import { describe, expect, it } from 'vitest'
import type { HttpRequest } from './http.js'
import { idempotencyClaim } from './idempotency-key.js'

const request = (key?: string): HttpRequest => ({
  method: 'POST',
  path: '/',
  params: {},
  query: '',
  header: (name) => (name === 'idempotency-key' ? key : undefined),
  clientAddress: '',
  body: { kind: 'none' },
})
const caller = (id: string, defaultWorkspaceId: string) => ({ id, defaultWorkspaceId })

describe('idempotencyClaim', () => {
  it('is none without a key', () => {
    expect(idempotencyClaim(request(), caller('ak_1', 'ws_1'), 'add', {})).toBeUndefined()
  })

  it('has a scope for each caller, workspace and operation, whatever their ids contain', () => {
    const scopes = [
      ['a', 'b', 'add'],
      ['a', 'c', 'add'],
      ['a b', 'c', 'add'],
      ['a', 'b c', 'add'],
      ['a', 'b', 'webhooks/create'],
    ].map(([id = '', workspaceId = '', operation = '']) => {
      return idempotencyClaim(request('k'), caller(id, workspaceId), operation, {})?.scope
    })
    expect(new Set(scopes).size).toBe(5)
  })

  it.each(['', ' ', 'a b', 'é', 'x'.repeat(256)])('refuses the key "%s"', (key) => {
    expect(() => idempotencyClaim(request(key), caller('ak_1', 'ws_1'), 'add', {})).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'Idempotency-Key' }),
    )
  })
})
