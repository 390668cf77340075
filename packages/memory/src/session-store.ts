import { TaskboardError, type Instant } from '@taskboard/core'
import { sessionOver, showRefreshToken, takeLoginAttempt, type SessionStore } from '@taskboard/core/storage'
import type { Database } from './database.js'
import { createMfaVerbs } from './mfa-verbs.js'
import type { Pruned } from './prune.js'
import type { StoredSession } from './stored-session.js'
import type { Table } from './table.js'
import type { MemoryTransaction } from './transactions.js'

type Store = SessionStore<MemoryTransaction> & Pruned<'pruneSessions' | 'pruneLoginAttempts'>

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
    findSignIn: (named, at) =>
      read(at, (now) => {
        const found = 'email' in named ? users.byEmail(named.email) : tables.users.get(named.userId)
        if (found === undefined) return null
        const { user, passwordHash, mfaSecret, mfaPendingSecret } = found
        return { userId: user.id, email: user.email, passwordHash, mfaSecret, mfaPendingSecret, asOf: now }
      }),
    takeLoginAttempt: ({ key, kind }, at) =>
      write(at, (now) => {
        const { after, decision } = takeLoginAttempt(tables.loginAttempts.get(key), kind, now)
        tables.loginAttempts.set(key, after)
        return decision
      }),
    clearLoginAttempts: ({ key }, at) => write(at, () => tables.loginAttempts.delete(key)),
    insertSession: ({ userId, passwordHash, familyHash, tokenHash, ttlMs }, at) =>
      write(at, (now) => {
        const known = tables.users.get(userId)?.passwordHash
        if (known === undefined || (passwordHash ?? known) !== known) throw noSuchUser()
        const session = { id: settings.current.newId('ses'), userId }
        const family = { tokenHash, rotated: [], expiresAt: now + ttlMs }
        tables.sessions.set(session.id, { session, familyHash, family })
        return session
      }),
    consumeRefreshToken: (request, at) =>
      write(at, (now) => {
        const stored = find(request)
        const shown = stored === undefined ? null : showRefreshToken(stored.family, request, now)
        if (stored === undefined || shown === null) return null
        tables.sessions.set(stored.session.id, { ...stored, family: shown.after })
        return { outcome: shown.outcome, session: stored.session }
      }),
    endSession: (named, at) =>
      write(at, (now) => {
        const stored = find(named)
        if (stored === undefined || stored.family.expiresAt <= now) return null
        tables.sessions.set(stored.session.id, {
          ...stored,
          family: { ...stored.family, expiresAt: sessionOver },
        })
        return stored.session
      }),
    pruneSessions: ({ limit }, at) =>
      write(at, (now) => prune(tables.sessions, limit, ({ family }) => family.expiresAt, now)),
    pruneLoginAttempts: ({ limit }, at) =>
      write(at, (now) => prune(tables.loginAttempts, limit, ({ holdsUntil }) => holdsUntil, now)),
  }
}

function noSuchUser(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such user')
}

/** Deletes expired rows. */
function prune<V>(table: Table<V>, limit: number, endOf: (value: V) => Instant, now: Instant): number {
  let count = 0
  for (const [id, value] of table.entries()) {
    if (count >= limit) break
    if (endOf(value) > now) continue
    table.delete(id)
    count += 1
  }
  return count
}
