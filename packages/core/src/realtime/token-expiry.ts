import type { Instant } from '../environment/index.js'

const JWT = /^bearer [\w-]+\.([\w-]+)\.[\w-]+$/i

/**
 * When a valid credential expires: the `exp` of a JWT (RFC 7519, 4.1.4), so that it can be rechecked then and not only at the
 * next interval. Null for anything else.
 */
export function tokenExpiry(authorization: string): Instant | null {
  const payload = JWT.exec(authorization)?.[1]
  if (payload === undefined) return null
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown }
    return typeof exp === 'number' && Number.isFinite(exp) ? Math.ceil(exp * 1000) : null
  } catch {
    return null
  }
}
