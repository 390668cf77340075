import type { Environment } from '../environment/index.js'
import type { AccessTokens } from './access-token.js'
import type { Authenticator } from './authenticator.js'
import { createMfaCodes } from './mfa-codes.js'
import { createMfa, type Mfa } from './mfa.js'
import type { PasswordHasher } from './password-hasher.js'
import type { SecretBox } from './secret-box.js'
import type { SessionStore } from './session-store.js'
import { createSessions, type Sessions } from './sessions.js'

/** Login with the board's own users. */
export interface Login {
  readonly sessions: Sessions
  readonly mfa: Mfa
}

export interface LoginParts {
  readonly environment: Environment
  readonly store: SessionStore
  readonly hasher: PasswordHasher
  readonly secrets: SecretBox
  readonly tokens: AccessTokens
  readonly refreshTokenTtlMs: number
  /** What authenticator apps show beside the user's address. */
  readonly issuer: string
  readonly authenticator: Pick<Authenticator, 'findSession' | 'forgetSession'>
  /** See `SessionsParts`. Default 60. */
  readonly perMinute?: number | undefined
}

const DEFAULT_PER_MINUTE = 60

/** Wires sessions and second factors, which take the same codes. */
export function createLogin(parts: LoginParts): Login {
  const { perMinute = DEFAULT_PER_MINUTE } = parts
  const codes = createMfaCodes(parts)
  return {
    sessions: createSessions({ ...parts, perMinute, mfaCodes: codes }),
    mfa: createMfa({ ...parts, codes }),
  }
}
