import { expect, it } from 'vitest'
import { scopes } from './principal.js'
import { roleNames, roleOf, roles, scopesOfRole } from './roles.js'

it('roles are sets of scopes, each within the one before', () => {
  expect(roleNames).toEqual(['owner', 'manager', 'member', 'viewer'])
  expect(roles.owner).toEqual(scopes)
  for (const [index, role] of roleNames.entries()) {
    const wider = roleNames[index - 1]
    if (wider !== undefined) expect(roles[wider]).toEqual(expect.arrayContaining([...roles[role]]))
  }
  expect(roles.manager).not.toContain('account:write')
  expect(roles.viewer.every((scope) => scope.endsWith(':read'))).toBe(true)
})

it('a role is found by its scopes in any order, and by no others', () => {
  for (const role of roleNames) {
    expect(roleOf([...roles[role]].toReversed())).toBe(role)
    expect(roleOf(scopesOfRole(role) ?? scopes)).toBe(role)
  }
  expect(roleOf(['tasks:read'])).toBeNull()
  expect(roleOf([])).toBeNull()
})
