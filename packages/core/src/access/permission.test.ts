import { describe, expect, it } from 'vitest'
import { isTaskboardError } from '../errors/index.js'
import { reaches, requireScope } from './permission.js'
import type { Principal } from './principal.js'

const principal: Principal = {
  id: 'ak_1',
  kind: 'api_key',
  accountId: 'acct_1',
  tier: 'professional',
  scopes: ['tasks:read'],
  workspaceIds: ['ws_1'],
  defaultWorkspaceId: 'ws_1',
}

describe('requireScope', () => {
  it('passes a scope that the principal has and names one that it lacks', () => {
    expect(() => requireScope(principal, 'tasks:read')).not.toThrow()
    expect(() => requireScope(principal, 'tasks:write')).toThrow(
      expect.toSatisfy(
        (error: unknown) => isTaskboardError(error, 'FORBIDDEN') && /tasks:write/.test(error.message),
      ),
    )
  })
})

describe('reaches', () => {
  it('keeps a bound principal to its workspaces and an unbound one to its account', () => {
    const unbound: Principal = { ...principal, workspaceIds: 'all' }
    const own = { id: 'ws_1', accountId: 'acct_1' }
    const sibling = { id: 'ws_2', accountId: 'acct_1' }
    const foreign = { id: 'ws_1', accountId: 'acct_2' }
    expect([own, sibling, foreign].map((workspace) => reaches(principal, workspace))).toEqual([
      true,
      false,
      false,
    ])
    expect([own, sibling, foreign].map((workspace) => reaches(unbound, workspace))).toEqual([
      true,
      true,
      false,
    ])
  })
})
