import { type Instant, TaskboardError } from '@taskboard/core'
import {
  sessionOver,
  type SessionStore,
  showRefreshToken,
  takeLoginAttempt,
  withoutOne,
} from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import type { StoredSession } from '../tables/tables.js'
import type { Pruned } from '../tables/prune.js'
import { byAge } from '../tables/subscriptions.js'
import type { Table } from '../tables/table.js'
import type { MemoryTransaction } from '../tables/transactions.js'
import type { StoredUser } from '../tables/users.js'

type PortStore = SessionStore<MemoryTransaction>

type MfaVerb = 'changeMfa' | 'redeemMfa'

/** The part of the session store that is about second factors. */
function createMfaVerbs({ transactions, tables }: Database): Pick<PortStore, MfaVerb> {
  const { write } = transactions

  /** Changes a user when that is allowed; returns whether it was. */
  function change(
    userId: string,
    isAllowed: (user: StoredUser) => boolean,
    changed: (user: StoredUser) => Partial<StoredUser>,
  ): boolean {
    const user = tables.users.get(userId)
    if (user === undefined || !isAllowed(user)) return false
    tables.users.set(userId, { ...user, ...changed(user) })
    return true
  }

  return {
    changeMfa: ({ userId, change: wanted }, call) =>
      write(call, () => {
        switch (wanted.kind) {
          case 'offer':
            return change(
              userId,
              ({ mfaSecret }) => mfaSecret === null,
              () => ({ mfaPendingSecret: wanted.sealedSecret }),
            )
          case 'enrol': {
            const { sealedSecret, step, recoveryHashes } = wanted
            return change(
              userId,
              ({ mfaSecret, mfaPendingSecret }) => mfaSecret === null && mfaPendingSecret === sealedSecret,
              () => ({ mfaSecret: sealedSecret, mfaPendingSecret: null, mfaStep: step, recoveryHashes }),
            )
          }
          case 'remove':
            return change(
              userId,
              () => true,
              () => ({ mfaSecret: null, mfaPendingSecret: null, mfaStep: null, recoveryHashes: [] }),
            )
        }
      }),
    redeemMfa: ({ userId, ...code }, call) =>
      write(call, () =>
        'step' in code
          ? change(
              userId,
              ({ mfaSecret, mfaStep }) => mfaSecret !== null && (mfaStep === null || mfaStep < code.step),
              () => ({ mfaStep: code.step }),
            )
          : change(
              userId,
              ({ mfaSecret, recoveryHashes }) =>
                mfaSecret !== null && recoveryHashes.includes(code.recoveryHash),
              ({ recoveryHashes }) => ({
                recoveryHashes: recoveryHashes.filter((each) => each !== code.recoveryHash),
              }),
            ),
      ),
  }
}

type Store = SessionStore<MemoryTransaction> & Pruned<'pruneSessions' | 'pruneLoginAttempts'>

/** Whether a login was checked against the password and the second factor that the user has. */
function isAsChecked(
  user: StoredUser | undefined,
  { passwordHash, mfaSecret }: Pick<Parameters<Store['insertSession']>[0], 'passwordHash' | 'mfaSecret'>,
): boolean {
  if (user === undefined) return false
  const isFactor = mfaSecret === undefined || mfaSecret === user.mfaSecret
  return isFactor && (passwordHash ?? user.passwordHash) === user.passwordHash
}

export function createSessionStore(database: Database): Store {
  const { settings, transactions, tables, users } = database
  const { read, write } = transactions
  const byFamily = new Map<string, string>()
  tables.sessions.onChange((before, after) => {
    if (before !== undefined) byFamily.delete(before.familyHash)
    if (after !== undefined) byFamily.set(after.familyHash, after.session.id)
  })

  const find = (named: { id: string } | { familyHash: string }): StoredSession | undefined =>
    tables.sessions.get('id' in named ? named.id : (byFamily.get(named.familyHash) ?? ''))

  return {
    ...createMfaVerbs(database),
    ...createVerbsOfUser(database),
    ...createAttemptVerbs(database),
    findSignIn: (named, call) =>
      read(call, (now) => {
        const found = 'email' in named ? users.byEmail(named.email) : tables.users.get(named.userId)
        if (found === undefined) return null
        const { user, isEmailVerified, passwordHash, mfaSecret, mfaPendingSecret } = found
        const account = tables.accounts.get(user.accountId)
        if (account === undefined) return null
        const who = { userId: user.id, email: user.email, isEmailVerified }
        const of = { accountId: account.id, accountName: account.name }
        return { ...who, ...of, passwordHash, mfaSecret, mfaPendingSecret, asOf: now }
      }),
    insertSession: ({ familyHash, tokenHash, ttlMs, longestMs, origin, ...checked }, call) =>
      write(call, (now) => {
        const { userId } = checked
        if (!isAsChecked(tables.users.get(userId), checked)) throw noSuchUser()
        const session = { id: settings.current.newId('ses'), userId }
        const expiresInMs = Math.min(ttlMs, longestMs)
        const family = { tokenHash, rotated: [], expiresAt: now + expiresInMs, endsAt: now + longestMs }
        const times = { createdAt: now, lastUsedAt: now, provenAt: now }
        tables.sessions.set(session.id, { session, familyHash, family, ...times, ...origin })
        return { ...session, expiresInMs }
      }),
    consumeRefreshToken: (request, call) =>
      write(call, (now) => {
        const stored = find(request)
        const shown = stored === undefined ? null : showRefreshToken(stored.family, request, now)
        if (stored === undefined || shown === null) return null
        const { outcome, after } = shown
        const use = outcome === 'rotated' ? { lastUsedAt: now, ...request.origin } : {}
        tables.sessions.set(stored.session.id, { ...stored, ...use, family: after })
        return { outcome, session: { ...stored.session, expiresInMs: after.expiresAt - now } }
      }),
    endSession: (named, call) =>
      write(call, (now) => {
        const stored = find(named)
        if (stored === undefined || stored.family.expiresAt <= now) return null
        tables.sessions.set(stored.session.id, ended(stored))
        const { id, userId } = stored.session
        return { id, userId }
      }),
    pruneSessions: ({ limit }, call) =>
      write(call, (now) => pruneTable(tables.sessions, limit, ({ family }) => family.expiresAt, now)),
  }
}

/** The part that counts guesses. */
function createAttemptVerbs({
  tables,
  transactions: { write },
}: Database): Pick<Store, 'takeLoginAttempt' | 'clearLoginAttempts' | 'pruneLoginAttempts'> {
  return {
    takeLoginAttempt: ({ key, kind }, call) =>
      write(call, (now) => {
        const { after, decision } = takeLoginAttempt(tables.loginAttempts.get(key), kind, now)
        tables.loginAttempts.set(key, after)
        return decision
      }),
    clearLoginAttempts: ({ key, one }, call) =>
      write(call, () => {
        const attempts = tables.loginAttempts.get(key)
        if (one === undefined) tables.loginAttempts.delete(key)
        else if (attempts !== undefined) tables.loginAttempts.set(key, withoutOne(attempts, one))
      }),
    pruneLoginAttempts: ({ limit }, call) =>
      write(call, (now) => pruneTable(tables.loginAttempts, limit, ({ holdsUntil }) => holdsUntil, now)),
  }
}

const ended = (stored: StoredSession): StoredSession => ({
  ...stored,
  family: { ...stored.family, expiresAt: sessionOver },
})

/** The part that is about a user, with all its sessions. */
function createVerbsOfUser({
  tables,
  transactions: { read, write },
}: Database): Pick<PortStore, 'listSessions' | 'endSessions' | 'proveSession' | 'renewPasswordHash'> {
  const liveOf = (userId: string, now: Instant): StoredSession[] =>
    [...tables.sessions.values()].filter(
      ({ session, family }) => session.userId === userId && family.expiresAt > now,
    )

  return {
    listSessions: ({ userId }, call) =>
      read(call, (now) =>
        liveOf(userId, now)
          .map(({ session: { id }, createdAt, lastUsedAt, family, clientAddress, userAgent }) => ({
            id,
            userId,
            createdAt,
            lastUsedAt,
            expiresAt: family.expiresAt,
            clientAddress,
            userAgent,
          }))
          .sort((a, b) => byAge(b, a)),
      ),
    endSessions: ({ userId, ...which }, call) =>
      write(call, (now) => {
        const meant = liveOf(userId, now).filter(({ session: { id } }) =>
          'id' in which ? id === which.id : id !== which.exceptId,
        )
        for (const stored of meant) tables.sessions.set(stored.session.id, ended(stored))
        return meant.map(({ session }) => session.id)
      }),
    proveSession: ({ id, userId }, call) =>
      write(call, (now) => {
        const stored = liveOf(userId, now).find(({ session }) => session.id === id)
        if (stored !== undefined) tables.sessions.set(id, { ...stored, provenAt: now })
        return stored !== undefined
      }),
    renewPasswordHash: ({ userId, passwordHash, next }, call) =>
      write(call, () => {
        const user = tables.users.get(userId)
        if (user === undefined || user.passwordHash !== passwordHash) return false
        tables.users.set(userId, { ...user, passwordHash: next })
        return true
      }),
  }
}

function noSuchUser(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such user')
}

/** Deletes expired rows. */
export function pruneTable<V>(
  table: Table<V>,
  limit: number,
  endOf: (value: V) => Instant,
  now: Instant,
): number {
  let count = 0
  for (const [id, value] of table.entries()) {
    if (count >= limit) break
    if (endOf(value) > now) continue
    table.delete(id)
    count += 1
  }
  return count
}
