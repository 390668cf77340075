import type { Environment } from '../environment/index.js'
import type { AccessStore } from './access-store.js'
import { createAccessTokens, resolveTokenOptions, type TokenOptions } from './access-token.js'
import { createAuthenticator, type Authenticator } from './authenticator.js'
import { createCallerKeys, type CallerKeys } from './caller-keys.js'
import { createLogin, type Login } from './login.js'
import type { PasswordHasher } from './password-hasher.js'
import { createScryptHasher } from './scrypt-hasher.js'
import type { SecretBox } from './secret-box.js'
import type { SessionStore } from './session-store.js'

/** Everything that identifies a caller. */
export interface Access {
  readonly hasher: PasswordHasher
  readonly authenticator: Authenticator
  readonly keys: CallerKeys
  /** Null without `tokens`. */
  readonly login: Login | null
}

export interface AccessParts {
  readonly environment: Environment
  readonly store: AccessStore
  readonly sessions: SessionStore
  readonly secrets: SecretBox
  /** Absent: no login with passwords. */
  readonly tokens?: TokenOptions | undefined
  /** Default: scrypt. */
  readonly hasher?: PasswordHasher | undefined
  /** Logins in any rolling minute for each client address. */
  readonly loginsPerMinute?: number | undefined
}

/** Wires keys, tokens, passwords and second factors. @throws TaskboardError `INVALID_CONFIG`. */
export function createAccess(parts: AccessParts): Access {
  const { environment, store, sessions, secrets } = parts
  const hasher = parts.hasher ?? createScryptHasher({ random: environment.random })
  if (parts.tokens === undefined) {
    const authenticator = createAuthenticator({ environment, store })
    const keys = createCallerKeys({ environment, store, authenticator })
    return { hasher, authenticator, keys, login: null }
  }
  const settings = resolveTokenOptions(parts.tokens)
  const tokens = createAccessTokens(settings, environment.clock)
  const authenticator = createAuthenticator({ environment, store, tokens })
  const login = createLogin({
    environment,
    store: sessions,
    hasher,
    secrets,
    tokens,
    refreshTokenTtlMs: settings.refreshTokenTtlMs,
    issuer: settings.issuer,
    authenticator,
    perMinute: parts.loginsPerMinute,
  })
  return { hasher, authenticator, keys: createCallerKeys({ environment, store, authenticator }), login }
}
