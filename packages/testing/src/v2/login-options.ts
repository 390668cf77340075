import type { PasswordHasher } from '@taskboard/core'

/** The secret that signs the suite's access tokens. */
export const TOKEN_SECRET = 'a secret of the conformance suite, which nobody else uses'
/** Every user's. */
export const PASSWORD = 'correct horse battery'

/** Stores passwords in clear, at no cost. */
const plainHasher: PasswordHasher = {
  hash: (password) => Promise.resolve(`plain:${password}`),
  verify: (password, stored) => Promise.resolve(stored === `plain:${password}`),
  decoy: 'plain',
}

/** The options of a task board with its own login. */
export const withLogin = { tokens: { secret: TOKEN_SECRET }, passwordHasher: plainHasher } as const
