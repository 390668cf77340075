import type { SessionStore } from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { consumeRefreshToken } from './consume-refresh-token.js'
import { endSession } from './end-session.js'
import { findSignIn } from './find-sign-in.js'
import { insertSession } from './insert-session.js'
import { changeMfa } from './enrol-mfa.js'
import { redeemMfa } from './redeem-mfa.js'
import { clearLoginAttempts, takeLoginAttempt } from './take-login-attempt.js'

/** Logins. Each verb is one statement. What must have exactly one winner is decided on a locked row. */
export function createSessionStore(database: Database): SessionStore<PgConnection> {
  return {
    findSignIn: (named, at) => findSignIn(database, named, at),
    takeLoginAttempt: (attempt, at) => takeLoginAttempt(database, attempt, at),
    clearLoginAttempts: (named, at) => clearLoginAttempts(database, named, at),
    insertSession: (session, at) => insertSession(database, session, at),
    consumeRefreshToken: (request, at) => consumeRefreshToken(database, request, at),
    endSession: (named, at) => endSession(database, named, at),
    changeMfa: (change, at) => changeMfa(database, change, at),
    redeemMfa: (code, at) => redeemMfa(database, code, at),
  }
}
