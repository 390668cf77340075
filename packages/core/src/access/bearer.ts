const SCHEME = /^bearer $/i
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/
const SCHEME_LENGTH = 7
const LONGEST_TOKEN = 4_096

/**
 * The token of an `Authorization: Bearer <token>` header (RFC 6750, 2.1): the scheme in any case, one space, one token of at
 * most 4,096 characters. Null for anything else.
 */
export function parseBearer(authorization: string): string | null {
  if (authorization.length > SCHEME_LENGTH + LONGEST_TOKEN) return null
  if (!SCHEME.test(authorization.slice(0, SCHEME_LENGTH))) return null
  const token = authorization.slice(SCHEME_LENGTH)
  return TOKEN.test(token) ? token : null
}
