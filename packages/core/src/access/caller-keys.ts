import { z } from 'zod'
import type { AuditActor, Environment, Instant } from '../environment/index.js'
import { parseInput, TaskboardError, wholeNumber } from '../errors/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import type { AccessStore, ApiKeyRecord } from './access-store.js'
import { ownKeyInput } from './access-input.js'
import { mintApiKey } from './api-key.js'
import type { Authenticator } from './authenticator.js'
import type { Principal, Reach, Scope } from './principal.js'
import { beyond } from './roles.js'

/** A new key. `key` is shown only here. */
export interface CreatedKey {
  readonly key: string
  readonly record: ApiKeyRecord
}

/** A key that a caller makes. Without `workspaceId` it has its maker's reach. */
export type OwnKeyInput = z.input<typeof ownKeyInput>

/**
 * The API keys of an account, for a caller that may make, list and revoke only keys within its own scopes and reach. A key beyond its
 * reach is `NOT_FOUND`.
 */
export interface CallerKeys {
  /**
   * Without `expiresAt`, the key lasts as long as the host's `keys.longestLifetimeMs` says, or until it is revoked.
   * @throws TaskboardError `FORBIDDEN` for scopes that the maker lacks, `MISSING_FIELD` (`workspaceId`) for a maker that doesn't reach all
   * of its account. `NOT_FOUND` (`workspaceId`), `INVALID_FIELD`; `CONFLICT` with the key's id when the idempotency key was used.
   */
  create(maker: Principal, input: OwnKeyInput, options?: CreateOptions): Promise<CreatedKey>
  /** Newest first, including revoked and expired ones. `limit` 1 to 1,000, default 100; `cursor` is the last page's `nextCursor`. */
  list(
    reach: Reach,
    query?: { readonly limit?: number | undefined; readonly cursor?: string | null | undefined },
  ): Promise<{ readonly keys: readonly ApiKeyRecord[]; readonly nextCursor: string | null }>
  /** Revokes a key; idempotent. @throws TaskboardError `FORBIDDEN` for a key whose scopes the caller lacks. */
  revoke(caller: Principal, keyId: string, options?: { readonly by?: AuditActor | undefined }): Promise<void>
  /**
   * Makes a copy of one of the caller's keys. The old key expires `overlapMs` later (default a day, at most seven), or at its own expiry if
   * that is earlier. No one else's, because both keys are of one owner: a copy of another owner could decide what the first key asked.
   * @throws TaskboardError `FORBIDDEN` for a key that someone else made, or whose scopes the caller lacks, `CONFLICT` when it is revoked or
   * expired, and as `create`.
   */
  rotate(
    maker: Principal,
    keyId: string,
    input?: { readonly overlapMs?: number | null | undefined },
    options?: CreateOptions,
  ): Promise<CreatedKey & { readonly replaced: ApiKeyRecord }>
}

interface CreateOptions {
  readonly idempotency?: IdempotencyClaim | undefined
  /** An open transaction of the storage to take part in. */
  readonly tx?: unknown
  /** Who does it, for the audit. */
  readonly by?: AuditActor | undefined
}

const DAY_MS = 86_400_000
const LONGEST_OVERLAP_MS = 7 * DAY_MS
const DEFAULT_PAGE = 100
const NOT_OWN = 'a key is rotated by the user who made it; make another one, and revoke this one'
const KEY_ID = /^ak_[0-9a-z]{1,60}$/
const rotationInput = z.strictObject({
  overlapMs: wholeNumber(0, LONGEST_OVERLAP_MS).nullish(),
})
const pageInput = z.strictObject({
  limit: wholeNumber(1, 1_000).default(DEFAULT_PAGE),
  cursor: z.string().regex(KEY_ID, 'must be the next_cursor of an earlier page').nullish(),
})

export interface CallerKeysDeps {
  readonly environment: Environment
  readonly store: AccessStore
  readonly authenticator: Pick<Authenticator, 'expect' | 'forget'>
  /** How long a key that a user makes lasts at most; absent for no limit. */
  readonly longestLifetimeMs?: number | undefined
}

/** The service behind `/v2/account/api-keys`. */
export function createCallerKeys(deps: CallerKeysDeps): CallerKeys {
  const { environment, store, authenticator, longestLifetimeMs } = deps

  /** @throws TaskboardError `INVALID_FIELD` for one that is later than a key may last. */
  function limitedExpiry(expiresAt: Instant | null): Instant | null {
    if (longestLifetimeMs === undefined) return expiresAt
    const latest = environment.clock.now() + longestLifetimeMs
    if (expiresAt === null) return latest
    if (expiresAt <= latest) return expiresAt
    const rule = `must be within ${longestLifetimeMs / DAY_MS} days, which is how long keys last at most`
    throw new TaskboardError('INVALID_FIELD', `expiresAt ${rule}`, { field: 'expiresAt' })
  }

  return {
    async create(maker, input, { idempotency, tx, by } = {}) {
      const { name, scopes, expiresAt, workspaceId } = parseInput(ownKeyInput, input)
      requireScopes(maker, scopes)
      const bound = requireReach(maker, workspaceId ?? null)
      const { key, prefix, hash } = mintApiKey(environment.random)
      authenticator.expect(hash)
      const wanted = {
        accountId: maker.accountId,
        workspaceId: bound,
        defaultWorkspaceId: bound ?? maker.defaultWorkspaceId,
        name,
        scopes,
        prefix,
        hash,
        createdBy: maker.id,
        expiresAt: limitedExpiry(expiresAt ?? null),
      }
      const insertion = { key: wanted, isOfUser: isOfUser(maker), idempotency: idempotency ?? null }
      return { key, record: await store.insertApiKey(insertion, environment.call({ tx, by })) }
    },
    async list(reach, query = {}) {
      const { limit, cursor } = parseInput(pageInput, query)
      const found = await store.listApiKeys(
        { reach, limit: limit + 1, afterId: cursor ?? null },
        environment.call(),
      )
      const keys = found.slice(0, limit)
      return { keys, nextCursor: found.length > limit ? (keys.at(-1)?.id ?? null) : null }
    },
    async revoke(caller, keyId, options) {
      const [key] = await store.listApiKeys({ reach: caller, keyId }, environment.call())
      if (key === undefined) throw new TaskboardError('NOT_FOUND', 'no such API key')
      requireScopes(caller, key.scopes, 'the caller lacks the scope of the key,')
      try {
        await store.revokeApiKey({ reach: caller, keyId }, environment.call(options))
      } finally {
        // Also after an error: the storage may have revoked the key before the connection was lost.
        authenticator.forget(keyId)
      }
    },
    async rotate(maker, keyId, input = {}, { idempotency, tx, by } = {}) {
      const { overlapMs } = parseInput(rotationInput, input)
      const [old] = await store.listApiKeys({ reach: maker, keyId }, environment.call({ tx }))
      if (old === undefined) throw new TaskboardError('NOT_FOUND', 'no such API key')
      requireScopes(maker, old.scopes)
      if (old.createdBy !== maker.id) throw new TaskboardError('FORBIDDEN', NOT_OWN)
      const { key, prefix, hash } = mintApiKey(environment.random)
      authenticator.expect(hash)
      const own = { prefix, hash, isOfUser: isOfUser(maker) }
      const rotation = { reach: maker, keyId, ...own, overlapMs: overlapMs ?? DAY_MS }
      try {
        const { added, replaced } = await store.rotateApiKey(
          { ...rotation, idempotency: idempotency ?? null },
          environment.call({ tx, by }),
        )
        return { key, record: added, replaced }
      } finally {
        authenticator.forget(keyId)
      }
    },
  }
}

/** Whether the storage has the user, who isn't one of the host's login. */
function isOfUser({ sessionId }: Principal): boolean {
  return sessionId !== undefined
}

function requireScopes(
  caller: Principal,
  wanted: readonly Scope[],
  rule = 'a key has no scope that its maker lacks:',
): void {
  const [lacking] = beyond(caller, wanted)
  if (lacking !== undefined) throw new TaskboardError('FORBIDDEN', `${rule} ${lacking}`)
}

/** The workspace of the key. The storage checks that the account has it. */
function requireReach({ workspaceIds }: Principal, workspaceId: string | null): string | null {
  if (workspaceIds === 'all') return workspaceId
  if (workspaceId === null) {
    throw new TaskboardError('MISSING_FIELD', 'workspaceId is required', { field: 'workspaceId' })
  }
  if (workspaceIds.includes(workspaceId)) return workspaceId
  throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
}
