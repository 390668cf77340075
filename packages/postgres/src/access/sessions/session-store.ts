import type { SessionStore } from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { consumeRefreshToken } from './consume-refresh-token.js'
import { endSession } from './end-session.js'
import { createFindSession } from './find-session.js'
import { findMfa, findSignIn } from './find-sign-in.js'
import { insertSession } from './insert-session.js'
import { changeMfa } from './enrol-mfa.js'
import { redeemMfa } from './redeem-mfa.js'
import { clearLoginAttempts, takeLoginAttempt } from './take-login-attempt.js'

/** Logins. Each verb is one statement. What must have exactly one winner is decided on a locked row. */
export function createSessionStore(database: Database): SessionStore<PgConnection> {
  return {
    findSignIn: (email, at) => findSignIn(database, email, at),
    takeLoginAttempt: (key, kind, at) => takeLoginAttempt(database, key, kind, at),
    clearLoginAttempts: (key, at) => clearLoginAttempts(database, key, at),
    insertSession: (session, at) => insertSession(database, session, at),
    consumeRefreshToken: (request, at) => consumeRefreshToken(database, request, at),
    endSession: (named, at) => endSession(database, named, at),
    findPrincipalBySession: createFindSession(database),
    findMfa: (userId, at) => findMfa(database, userId, at),
    changeMfa: ({ userId, change }, at) => changeMfa(database, userId, change, at),
    redeemMfa: (code, at) => redeemMfa(database, code, at),
  }
}
