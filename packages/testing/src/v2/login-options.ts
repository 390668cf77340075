import { plainPasswordHasher } from '../plain-password-hasher.js'

/** The secret that signs the suite's access tokens. */
export const TOKEN_SECRET = 'a secret of the conformance suite, which nobody else uses'
/** Every user's. */
export const PASSWORD = 'correct horse battery'

/** The options of a task board with its own login. */
export const withLogin = { tokens: { secret: TOKEN_SECRET }, passwordHasher: plainPasswordHasher } as const
