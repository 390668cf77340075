export { scopes, tiers } from './principal.js'
export type { Principal, Scope, Tier } from './principal.js'
export type { Account, AccessStore, ApiKeyRecord, Workspace } from './access-store.js'
