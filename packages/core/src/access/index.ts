export { credentialDigest } from './credential-digest.js'
export { addressBucket, failedCredentials, networkAround } from './credential-guard.js'
export { createLookUps } from './look-ups.js'
export { createKnownClients } from './known-clients.js'
export { isReadOnlyRefusal, readOnlyRefusal } from './read-only.js'
export { scopes, tiers } from './principal.js'
export { principalKinds } from './principal.js'
export type { FoundPrincipal, Principal, Reach, Scope, Tier } from './principal.js'
export { scopeList } from './access-input.js'
export { keyUseMs, sealedKinds } from './access-store.js'
export { mfaContext } from './mfa-codes.js'
export type {
  Account,
  AccessStore,
  AccountChange,
  AccountUpdate,
  ApiKeyPage,
  ApiKeyQuery,
  ApiKeyRecord,
  ApiKeyRotation,
  Credential,
  DeletionProgress,
  DeletionTarget,
  NewStoredApiKey,
  SealedKind,
  SealedReplacement,
  SealedRow,
  Workspace,
  WorkspaceUpdate,
} from './access-store.js'
export type {
  MfaChange,
  RefreshOutcome,
  RefreshRequest,
  Session,
  SessionOrigin,
  SessionRecord,
  SessionStore,
  SignIn,
} from './session-store.js'
export { loginAttemptRules, takeLoginAttempt, withoutOne } from './login-attempts.js'
export type { AttemptDecision, AttemptKind, LoginAttempts } from './login-attempts.js'
export { mostRotatedTokens, type RefreshFamily, sessionOver, showRefreshToken } from './refresh-token.js'
export { checkEncryptionKey, moveKeyCheck, type KeyCheck } from './key-check.js'
export { createSecretBox, ephemeralSecretBox } from './secret-box.js'
export type { EncryptionKey, SecretBox, SecretBoxOptions } from './secret-box.js'
export { hashApiKey, isApiKey, mintApiKey } from './api-key.js'
export type { MintedApiKey } from './api-key.js'
export { passwordHasher, type PasswordHasher } from './password-hasher.js'
export { resolveTokenOptions } from './access-token.js'
export type { TokenOptions } from './access-token.js'
export { type Access, createAccess, type Login } from './access.js'
export { showsApiKey } from './authenticator.js'
export { createOriginGuard, refuseOtherOrigins } from './cross-origin.js'
export type { AllowedOrigins, BrowserRequest, OriginGuard } from './cross-origin.js'
export {
  createCredentialGuard,
  type CredentialGuard,
  type CredentialGuardOptions,
} from './credential-guard.js'
export { checkedPrincipal } from './principal.js'
export { createAccounts } from './accounts.js'
export type {
  AccountChangeInput,
  Accounts,
  AccountsDeps,
  DeleteOptions,
  NewAccount,
  NewUser,
  NewWorkspace,
} from './accounts.js'
export { createDeletionSweep, wakeAtCommit } from './deletion-sweep.js'
export type { AccountKeys, NewApiKey } from './account-keys.js'
export type { CallerKeys, CreatedKey, OwnKeyInput } from './caller-keys.js'
export type { Mfa } from './mfa.js'
export type { LoginCode, LoginCodeInput } from './login-codes.js'
export type { LoginOrigin } from './login-check.js'
export type { LoginInput, OwnSession, Sessions, SessionTokens } from './sessions.js'
export { createProofCheck, type RequireProof } from './proof.js'
export { mayInvite } from './user.js'
export type { Invitation, NewStoredInvitation, NewStoredUser, User } from './user.js'
export { createInvitations, type InvitationMessage, type Invitations } from './invitations.js'
export { beyond, roleNames, roleOf, roles, scopesOfRole, type Role } from './roles.js'
export { mayRaiseBudget, reaches, requireScope } from './permission.js'
export { createPeople, type FoundPerson, type People, type PeopleOptions, type Person } from './people.js'
export { createWorkspaceReach } from './workspace-reach.js'
export type { WorkspaceReach } from './workspace-reach.js'
