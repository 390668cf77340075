import { z } from 'zod'
import type { Mfa, Sessions, SessionTokens } from '../../access/index.js'
import { boundedText, type InputOf } from '../../errors/index.js'
import { operation, type Operation, publicOperation } from './operation.js'

const mfaCode = z
  .string({ error: 'must be text' })
  .max(64, 'must be a code')
  .meta({ description: 'A one-time password. A recovery code also works to end the enrolment.' })

/** A user's second factor. */
export function mfaOperations(mfa: Mfa): readonly Operation[] {
  return [beginOperation(mfa), confirmOperation(mfa), removeOperation(mfa)]
}

const ofUsers = { tag: 'account', scope: 'account:write', userOnly: true } as const

function beginOperation(mfa: Mfa): Operation {
  return operation({
    ...ofUsers,
    id: 'beginMfa',
    summary: 'Creates a secret for an authenticator app',
    description: 'It takes effect when you confirm it with a code.',
    method: 'POST',
    path: '/v2/account/mfa',
    client: 'account.mfa.begin',
    repeatable: false,
    body: z.object({}),
    answer: {
      status: 200,
      schema: z.object({
        otpauth_uri: z.string().meta({ description: 'For display as a QR code.' }),
        secret: z.string().meta({ description: 'The same secret, for manual entry.' }),
      }),
    },
    async run({ principal }) {
      const { otpauthUri, secret } = await mfa.begin(principal.id)
      return { otpauth_uri: otpauthUri, secret }
    },
  })
}

function confirmOperation(mfa: Mfa): Operation {
  return operation({
    ...ofUsers,
    id: 'confirmMfa',
    summary: 'Enrols the user, and returns the recovery codes only once',
    method: 'POST',
    path: '/v2/account/mfa/confirm',
    client: 'account.mfa.confirm',
    repeatable: false,
    body: z.object({ mfa_code: mfaCode }),
    example: { mfa_code: '123456' },
    answer: { status: 200, schema: z.object({ recovery_codes: z.array(z.string()) }) },
    async run({ principal, body }) {
      const { recoveryCodes } = await mfa.confirm(principal.id, body.mfa_code)
      return { recovery_codes: recoveryCodes }
    },
  })
}

function removeOperation(mfa: Mfa): Operation {
  return operation({
    ...ofUsers,
    id: 'removeMfa',
    summary: 'Ends the enrolment',
    method: 'DELETE',
    path: '/v2/account/mfa',
    client: 'account.mfa.remove',
    repeatable: false,
    body: z.object({ mfa_code: mfaCode }),
    example: { mfa_code: '123456' },
    answer: { status: 204 },
    run: ({ principal, body }) => mfa.remove(principal.id, body.mfa_code),
  })
}

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
    summary: 'Begins a session, and returns its tokens',
    description:
      'Users with a second factor add a one-time password or a recovery code. Without it, a correct password gets a 401 about mfa_code. Too many wrong guesses lock the address for this client for 15 minutes.',
    method: 'POST',
    path: '/v2/auth/login',
    client: 'auth.login',
    repeatable: false,
    body: z.object({ email: text, password: text, mfa_code: text.nullish() }),
    example: { email: 'ada@acme.example', password: 'correct horse battery' },
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
    client: 'auth.refresh',
    repeatable: false,
    body: z.object({ refresh_token: refreshToken }),
    example: { refresh_token: 'rt_…' },
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
    client: 'auth.logout',
    repeatable: true,
    body: z.object({ refresh_token: refreshToken.nullish() }),
    example: { refresh_token: 'rt_…' },
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
