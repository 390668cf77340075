import { scopes, type User } from '@taskboard/core'

/** The columns of an `Account`. `alias` names the table or expression. */
export function accountColumns(alias: string): string {
  return `${alias}.id, ${alias}.name, ${alias}.tier, ${alias}.created_at::float8 as "createdAt"`
}

/** The columns of a `Workspace`. */
export function workspaceColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.account_id as "accountId", ${a}.name, ${a}.created_at::float8 as "createdAt"`
}

/** The columns of an `ApiKeyRecord`: all except the hash. */
export function apiKeyColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.account_id as "accountId", ${a}.workspace_id as "workspaceId",
    ${a}.default_workspace_id as "defaultWorkspaceId", ${a}.name, ${a}.scopes, ${a}.prefix,
    ${a}.created_at::float8 as "createdAt", ${a}.expires_at::float8 as "expiresAt",
    ${a}.revoked_at::float8 as "revokedAt"`
}

/** A stored `User`. */
export interface UserRow extends Omit<User, 'scopes'> {
  /** Null for all scopes. */
  readonly scopes: User['scopes'] | null
}

/** The columns of a `UserRow`. */
export function userColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.account_id as "accountId", ${a}.email, ${a}.scopes, ${a}.created_at::float8 as "createdAt"`
}

export function toUser({ scopes: listed, ...row }: UserRow): User {
  return { ...row, scopes: listed ?? scopes }
}
