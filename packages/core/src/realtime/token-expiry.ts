import type { Instant } from '../environment/index.js'

const JWT = /^bearer [\w-]+\.([\w-]+)\.[\w-]+$/i

/**
 * When a credential that is known to hold ends by its own word, so that it can be looked at again then and not just at the next
 * interval: the `exp` of a JWT (RFC 7519, 4.1.4). Null for anything else.
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
