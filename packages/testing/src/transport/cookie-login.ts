import type { Principal } from '@taskboard/core'
import type { CredentialRequest } from '@taskboard/core/transport'

const COOKIE = /^caller=([\w-]+)$/

/**
 * The options of a task board whose host has its own login, by the cookie of `cookieOf`. It has no state, so that cases can share
 * it.
 */
export const cookieLogin = {
  authenticate(request: CredentialRequest): Principal | null {
    const [, value] = COOKIE.exec(request.header('cookie') ?? '') ?? []
    return value === undefined ? null : (JSON.parse(Buffer.from(value, 'base64url').toString()) as Principal)
  },
}

/** The cookie by which a caller is known. */
export function cookieOf(principal: Principal): string {
  return `caller=${Buffer.from(JSON.stringify(principal)).toString('base64url')}`
}
