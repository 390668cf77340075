import type { Clock } from '../environment/index.js'
import type { AccessClaims, AccessTokens } from './access-token.js'
import { credentialDigest } from './credential-digest.js'

/** Caches the claims of valid access tokens, so that a signature is checked once and not with every request. */
export interface TokenCache {
  /** The cached claims of a token; undefined when they are not cached or the token has expired. */
  peek(token: string): AccessClaims | undefined
  /** As `AccessTokens.verify`. */
  verify(token: string): Promise<AccessClaims | null>
}

/** A cache of at most `size` tokens, by their hash. The oldest entry is evicted first. */
export function createTokenCache(parts: {
  readonly clock: Clock
  readonly tokens: Pick<AccessTokens, 'verify'>
  readonly size: number
}): TokenCache {
  const { clock, tokens, size } = parts
  const known = new Map<string, AccessClaims>()

  function peekHash(hash: string): AccessClaims | undefined {
    const claims = known.get(hash)
    if (claims === undefined || claims.expiresAt > clock.now()) return claims
    known.delete(hash)
    return undefined
  }

  return {
    peek: (token) => peekHash(credentialDigest(token)),
    async verify(token) {
      const hash = credentialDigest(token)
      const remembered = peekHash(hash)
      if (remembered !== undefined) return remembered
      const claims = await tokens.verify(token)
      if (claims === null || size === 0) return claims
      for (const oldest of known.keys()) {
        if (known.size < size) break
        known.delete(oldest)
      }
      known.set(hash, claims)
      return claims
    },
  }
}
