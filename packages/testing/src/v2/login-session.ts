import type { Scope, User } from '@taskboard/core'
import type { ClientResponse } from '../transport/http-client.js'
import { assertAnswer, type V2Session } from './v2-session.js'
import { PASSWORD } from './login-options.js'

/** The wire's answer to a login. */
export interface WireTokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly token_type: string
}

export function makeUser(
  { taskboard, accountId }: V2Session,
  email = 'ada@example.com',
  scopes?: readonly Scope[],
): Promise<User> {
  return taskboard.accounts.createUser(accountId, {
    email,
    password: PASSWORD,
    scopes: scopes === undefined ? undefined : [...scopes],
  })
}

/** Sends a login without any credential. */
export function tryLogin(
  { send }: V2Session,
  login: { email?: string; password?: string; mfa_code?: string } = {},
): Promise<ClientResponse> {
  const body = { email: 'ada@example.com', password: PASSWORD, ...login }
  return send('POST', '/v2/auth/login', { as: null, body })
}

export async function logIn(session: V2Session, login?: Parameters<typeof tryLogin>[1]): Promise<WireTokens> {
  return assertAnswer(await tryLogin(session, login)) as unknown as WireTokens
}

export function tryRefresh({ send }: V2Session, refreshToken: string): Promise<ClientResponse> {
  return send('POST', '/v2/auth/refresh', { as: null, body: { refresh_token: refreshToken } })
}
