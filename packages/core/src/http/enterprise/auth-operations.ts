import { z } from 'zod'
import type { Sessions, SessionTokens } from '../../access/index.js'
import { boundedText, type InputOf } from '../../errors/index.js'
import { publicOperation, type Operation } from './operation.js'

const LONGEST_TOKEN = 256
const text = z.string({ error: 'must be text' })
const refreshToken = boundedText(LONGEST_TOKEN).meta({
  description: 'The one from the latest login or refresh.',
})

const tokens = z
  .object({
    access_token: z.string().meta({ description: 'A JSON Web Token, for the Authorization header.' }),
    refresh_token: z.string().meta({ description: 'Valid for one refresh.' }),
    expires_in: z.int().meta({ description: 'How long the access token is valid, in seconds.' }),
    token_type: z.literal('Bearer'),
  })
  .meta({ id: 'Tokens' })

/** Login, refresh and logout. Absent with the host's login. */
export function authOperations(sessions: Sessions): readonly Operation[] {
  return [loginOperation(sessions), refreshOperation(sessions), logoutOperation(sessions)]
}

function loginOperation(sessions: Sessions): Operation {
  return publicOperation({
    id: 'login',
    tag: 'auth',
    summary: 'Begins a session',
    description:
      'Users with a second factor add a one-time password or a recovery code. Without it, a correct password gets a 401 about mfa_code. Too many wrong guesses lock the address for this client for 15 minutes.',
    method: 'POST',
    path: '/v2/auth/login',
    body: z.object({ email: text, password: text, mfa_code: text.nullish() }),
    answer: { status: 200, schema: tokens },
    run: async ({ request, body }) =>
      toWireTokens(
        await sessions.login(
          { email: body.email, password: body.password, mfaCode: body.mfa_code },
          { clientAddress: request.clientAddress },
        ),
      ),
  })
}

function refreshOperation(sessions: Sessions): Operation {
  return publicOperation({
    id: 'refreshTokens',
    tag: 'auth',
    summary: 'Exchanges a refresh token for the next pair',
    description:
      'Each is valid once. A repeat within ten seconds fails without further effect; a later repeat ends the session.',
    method: 'POST',
    path: '/v2/auth/refresh',
    body: z.object({ refresh_token: refreshToken }),
    answer: { status: 200, schema: tokens },
    run: async ({ request, body }) =>
      toWireTokens(await sessions.refresh(body.refresh_token, { clientAddress: request.clientAddress })),
  })
}

function logoutOperation(sessions: Sessions): Operation {
  return publicOperation({
    id: 'logout',
    tag: 'auth',
    summary: 'Ends a session',
    description:
      'Ends the session of the refresh token, or without one that of the access token in the Authorization header. A repeat has no effect.',
    method: 'POST',
    path: '/v2/auth/logout',
    body: z.object({ refresh_token: refreshToken.nullish() }),
    answer: { status: 204 },
    run: ({ request, body }) =>
      sessions.logout({
        refreshToken: body.refresh_token,
        authorization: request.header('authorization'),
      }),
  })
}

function toWireTokens({
  accessToken,
  refreshToken: next,
  expiresInS,
  tokenType,
}: SessionTokens): InputOf<typeof tokens> {
  return { access_token: accessToken, refresh_token: next, expires_in: expiresInS, token_type: tokenType }
}
