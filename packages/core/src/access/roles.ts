import { scopes, type Principal, type Scope } from './principal.js'

const reads = ['tasks:read', 'agents:read', 'analytics:read', 'webhooks:read', 'account:read'] as const

/** What people may do, by a name. Scopes are stored, and the role is derived from them. */
export const roles = {
  /** All scopes, including scopes of later versions. */
  owner: scopes,
  /** All but changes of the account, its members and keys, and the audit. */
  manager: scopes.filter((scope) => scope !== 'account:write' && scope !== 'audit:read'),
  /** Works with tasks and agents' questions, and reads the rest. */
  member: [...reads, 'tasks:write', 'approvals:write', 'chat:write'],
  /** Reads. */
  viewer: reads,
} as const satisfies Readonly<Record<string, readonly Scope[]>>

export type Role = keyof typeof roles

export const roleNames = Object.keys(roles) as [Role, ...Role[]]

/** The role whose scopes these are; null for none. */
export function roleOf(held: readonly Scope[]): Role | null {
  const set = new Set(held)
  return (
    roleNames.find(
      (role) => roles[role].length === set.size && roles[role].every((scope) => set.has(scope)),
    ) ?? null
  )
}

/** What is stored for a role: null for all scopes. */
export function scopesOfRole(role: Role): readonly Scope[] | null {
  return role === 'owner' ? null : roles[role]
}

/** The scopes of a role that a caller lacks, and so can't give. */
export function beyond({ scopes: own }: Principal, wanted: readonly Scope[]): readonly Scope[] {
  return wanted.filter((scope) => !own.includes(scope))
}
