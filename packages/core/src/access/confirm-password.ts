import type { Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { credentialDigest } from './credential-digest.js'
import type { PasswordHasher } from './password-hasher.js'
import type { SessionStore } from './session-store.js'
import { requireAllowed } from './sessions.js'

export interface ConfirmPasswordDeps {
  readonly environment: Environment
  readonly store: SessionStore
  readonly hasher: PasswordHasher
}

/** In UTF-16 code units: above the longest password. */
const LONGEST_PASSWORD = 1_024

/** Checks the password of a user who is logged in; ten wrong ones lock that for 15 minutes. */
export function createPasswordCheck({ environment, store, hasher }: ConfirmPasswordDeps) {
  return async (userId: string, password: string): Promise<void> => {
    const key = credentialDigest(`the password of ${userId}`)
    requireAllowed(
      await store.takeLoginAttempt({ key, kind: 'password' }, environment.call()),
      'too many wrong passwords',
    )
    const signIn =
      password.length > LONGEST_PASSWORD ? null : await store.findSignIn({ userId }, environment.call())
    if (signIn === null || !(await hasher.verify(password, signIn.passwordHash))) {
      throw new TaskboardError('INVALID_FIELD', 'currentPassword is wrong', { field: 'currentPassword' })
    }
    await store.clearLoginAttempts({ key }, environment.call())
  }
}
