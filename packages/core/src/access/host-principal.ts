import { nameFault, TaskboardError } from '../errors/index.js'
import { principalKinds, scopes, tiers, type Principal } from './principal.js'

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isListOf = (value: unknown, isEntry: (entry: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isEntry)

/** Each member with what is wrong with a value of it; null when nothing is. */
const faults: { readonly [Name in keyof Principal]-?: (value: unknown) => string | null } = {
  id: (value) => (isText(value) ? null : 'must be text'),
  kind: (value) =>
    principalKinds.includes(value as 'user') ? null : `must be ${principalKinds.join(' or ')}`,
  name: (value) => (value == null ? null : nameFault(value)),
  accountId: (value) => (isText(value) ? null : 'must be text'),
  tier: (value) => (tiers.includes(value as 'custom') ? null : `must be one of ${tiers.join(', ')}`),
  scopes: (value) =>
    isListOf(value, (each) => scopes.includes(each as 'tasks:read'))
      ? null
      : `must be a list of scopes: ${scopes.join(', ')}`,
  workspaceIds: (value) =>
    value === 'all' || isListOf(value, isText) ? null : "must be 'all' or a list of ids",
  defaultWorkspaceId: (value) => (isText(value) ? null : 'must be text'),
}
const members = Object.entries(faults) as [keyof Principal, (value: unknown) => string | null][]

/**
 * The principal that a host's `authenticate` returned, which may be plain JavaScript. Null for a stranger, and for undefined.
 * @throws TaskboardError `INVALID_CONFIG` with the first member that is wrong as `field`.
 */
export function checkedPrincipal(caller: Principal | null | undefined): Principal | null {
  if (caller == null) return null
  for (const [name, faultOf] of members) {
    const fault = faultOf((caller as unknown as Record<string, unknown>)[name])
    if (fault === null) continue
    throw new TaskboardError('INVALID_CONFIG', `the ${name} of the principal of authenticate ${fault}`, {
      field: name,
    })
  }
  return caller
}
