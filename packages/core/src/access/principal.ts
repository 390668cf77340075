import type { Tier } from '../limits/index.js'

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
] as const
export type Scope = (typeof scopes)[number]

export const principalKinds = ['user', 'api_key'] as const

/**
 * Who is calling; all APIs see the same one. A host with its own login makes these itself. The board trusts that the account
 * has the tier, and that `id` belongs to this caller alone on the whole board. A workspace of another account is beyond reach even
 * when it is named here, also as the default one.
 */
export interface Principal {
  /** The key's or user's id. */
  readonly id: string
  readonly kind: (typeof principalKinds)[number]
  /**
   * What colleagues call this caller, for instance a user's name: 1 to 256 characters on one line. It is kept with what the caller writes
   * and decides, and with the tasks that it takes. Null or absent: they show the id.
   */
  readonly name?: string | null | undefined
  readonly accountId: string
  readonly tier: Tier
  readonly scopes: readonly Scope[]
  /** The workspaces within reach; 'all' means every one of the account. */
  readonly workspaceIds: readonly string[] | 'all'
  /** The workspace that the board endpoint works on. */
  readonly defaultWorkspaceId: string
}

/** The workspaces that a caller can see: all of an account, or some. Others are answered as if they did not exist. */
export type Reach = Pick<Principal, 'accountId' | 'workspaceIds'>

/** The principal of a credential, and in how many milliseconds that expires by the storage's clock (null: never). */
export interface FoundPrincipal {
  readonly principal: Principal
  readonly expiresInMs: number | null
}
