import { tiers, type Tier } from '../limits/index.js'
import type { Instant } from '../environment/index.js'
import { nameFault, TaskboardError } from '../errors/index.js'

export { tiers, type Tier } from '../limits/index.js'

/** What a credential allows. */
export const scopes = [
  'tasks:read',
  'tasks:write',
  'approvals:write',
  'agents:read',
  'agents:write',
  'analytics:read',
  'webhooks:read',
  'webhooks:write',
  'chat:write',
  'account:read',
  'account:write',
  'audit:read',
] as const
export type Scope = (typeof scopes)[number]

export const principalKinds = ['user', 'api_key'] as const

/**
 * Who is calling; all APIs see the same one. A host with its own login makes these itself. The board trusts that the account
 * has the tier, and that `id` belongs to this caller alone on the whole board. A workspace of another account is beyond reach even
 * when it is named here, including as the default one.
 */
export interface Principal {
  /** The key's or user's id. */
  readonly id: string
  readonly kind: (typeof principalKinds)[number]
  /**
   * The name of this caller for colleagues, for instance a user's name: 1 to 256 characters on one line. It is kept with the caller's texts
   * and decisions, and with the tasks that it takes. Null or absent: they show the id.
   */
  readonly name?: string | null | undefined
  readonly accountId: string
  readonly tier: Tier
  readonly scopes: readonly Scope[]
  /** The workspaces within reach; 'all' means every one of the account. */
  readonly workspaceIds: readonly string[] | 'all'
  /** The workspace of the Board API. */
  readonly defaultWorkspaceId: string
  /**
   * When this user last showed who they are, by a password or another factor, in epoch milliseconds of this process's clock. Some operations
   * require that it was within ten minutes. Null or absent: it isn't known.
   */
  readonly provenAt?: Instant | null | undefined
  /** The user who made this key; null for a key of the host, absent for users. */
  readonly createdBy?: string | null | undefined
  /** The session of Taskboard's login; absent for keys, and with the host's login. */
  readonly sessionId?: string | undefined
}

/** The workspaces that a caller can see: all of an account, or some. Other workspaces look as if they didn't exist. */
export type Reach = Pick<Principal, 'accountId' | 'workspaceIds'>

/** The principal of a credential, with times by the storage's clock. */
export interface FoundPrincipal {
  readonly principal: Omit<Principal, 'provenAt'>
  /** In how many milliseconds the credential expires; null: never. */
  readonly expiresInMs: number | null
  /** How many milliseconds ago the session was proven; null for keys. */
  readonly provenAgoMs: number | null
  /** Whether a use of the key is noted that is less than `keyUseMs` ago; true for sessions. */
  readonly isUseNoted: boolean
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isListOf = (value: unknown, isEntry: (entry: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isEntry)

/** Each member with the fault of its value; null when all are valid. */
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
  provenAt: (value) => (value == null || Number.isFinite(value) ? null : 'must be epoch milliseconds'),
  createdBy: (value) => (value == null || isText(value) ? null : 'must be text'),
  sessionId: (value) => (value === undefined ? null : 'is of Taskboard’s login alone'),
}
const members = Object.entries(faults) as [keyof Principal, (value: unknown) => string | null][]

/**
 * The principal that a host's `authenticate`, or another function, returned, which may be plain JavaScript. Null for a stranger, and for
 * undefined.
 * @throws TaskboardError `INVALID_CONFIG` with the first member that is wrong as `field`.
 */
export function checkedPrincipal(
  caller: Principal | null | undefined,
  source = 'authenticate',
): Principal | null {
  if (caller == null) return null
  for (const [name, faultOf] of members) {
    const fault = faultOf((caller as unknown as Record<string, unknown>)[name])
    if (fault === null) continue
    throw new TaskboardError('INVALID_CONFIG', `the ${name} of the principal of ${source} ${fault}`, {
      field: name,
    })
  }
  return caller
}
