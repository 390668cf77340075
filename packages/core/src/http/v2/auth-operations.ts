import { z } from 'zod'
import {
  roleNames,
  roleOf,
  type Invitations,
  type Login,
  type Mfa,
  type OwnSession,
  type Principal,
  type Sessions,
  type SessionTokens,
} from '../../access/index.js'
import { boundedText, TaskboardError, type InputOf } from '../../errors/index.js'
import { idText, timestamp, toTimestamp } from '../wire/wire-schemas.js'
import { loginOriginOf } from './admission.js'
import { operation, type Operation, publicOperation } from './operation.js'

const mfaCode = z
  .string({ error: 'must be text' })
  .max(64, 'must be a code')
  .meta({ description: 'A one-time password. A recovery code also works to end the enrolment.' })

/** A user's second factor. */
export function mfaOperations(mfa: Mfa): readonly Operation[] {
  return [beginOperation(mfa), confirmOperation(mfa), removeOperation(mfa)]
}

const ofUsers = { tag: 'account', scope: 'any', userOnly: true, needsProof: true } as const

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
    summary: 'Enrolls the user, and returns the recovery codes only once',
    method: 'POST',
    path: '/v2/account/mfa/confirm',
    client: 'account.mfa.confirm',
    repeatable: false,
    body: z.object({ mfa_code: mfaCode }),
    example: { mfa_code: '123456' },
    answer: { status: 200, schema: z.object({ recovery_codes: z.array(z.string()) }) },
    async run({ principal, by, body }) {
      const { recoveryCodes } = await mfa.confirm(ownSession(principal), body.mfa_code, by)
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
    run: ({ principal, by, body }) => mfa.remove(ownSession(principal), body.mfa_code, by),
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

/** Login, refresh, logout, and the sessions of a user. Absent with the host's login. */
export function authOperations({ sessions, invitations }: Login): readonly Operation[] {
  return [
    loginOperation(sessions),
    refreshOperation(sessions),
    logoutOperation(sessions),
    showInvitationOperation(invitations),
    acceptInvitationOperation(invitations),
    stepUpOperation(sessions),
    listSessionsOperation(sessions),
    endSessionOperation(sessions),
    endOtherSessionsOperation(sessions),
  ]
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
          loginOriginOf(request),
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
      'Each is valid once. A retry within ten seconds fails without further effect; a later repeat revokes the session.',
    method: 'POST',
    path: '/v2/auth/refresh',
    client: 'auth.refresh',
    repeatable: false,
    body: z.object({ refresh_token: refreshToken }),
    example: { refresh_token: 'rt_…' },
    answer: { status: 200, schema: tokens },
    run: async ({ request, body }) =>
      toWireTokens(await sessions.refresh(body.refresh_token, loginOriginOf(request))),
  })
}

function logoutOperation(sessions: Sessions): Operation {
  return publicOperation({
    id: 'logout',
    tag: 'auth',
    summary: 'Revokes a session',
    description:
      'Revokes the session of the refresh token, or without one, the session of the access token in the Authorization header. A retry has no effect.',
    method: 'POST',
    path: '/v2/auth/logout',
    client: 'auth.logout',
    repeatable: true,
    body: z.object({ refresh_token: refreshToken.nullish() }),
    example: { refresh_token: 'rt_…' },
    answer: { status: 204 },
    run: ({ request, body }) =>
      sessions.logout(
        { refreshToken: body.refresh_token, authorization: request.header('authorization') },
        loginOriginOf(request),
      ),
  })
}

const invitationToken = boundedText(LONGEST_TOKEN).meta({
  description: 'The part of the link after invitation=.',
})

function showInvitationOperation(invitations: Invitations): Operation {
  return publicOperation({
    id: 'showInvitation',
    tag: 'auth',
    summary: 'Shows an invitation',
    description: 'A token that was used or withdrawn, or has expired, gets a 401.',
    method: 'POST',
    path: '/v2/auth/invitations',
    client: 'auth.showInvitation',
    repeatable: true,
    body: z.object({ token: invitationToken }),
    example: { token: 'q1w2…' },
    answer: {
      status: 200,
      schema: z.object({
        account_name: z.string(),
        email: z.string(),
        role: z.enum(roleNames).nullable(),
        expires_at: timestamp,
      }),
    },
    async run({ request, body }) {
      const { accountName, email, scopes, expiresAt } = await invitations.show(
        body.token,
        loginOriginOf(request),
      )
      return { account_name: accountName, email, role: roleOf(scopes), expires_at: toTimestamp(expiresAt) }
    },
  })
}

function acceptInvitationOperation(invitations: Invitations): Operation {
  return publicOperation({
    id: 'acceptInvitation',
    tag: 'auth',
    summary: 'Becomes a user of the account that invited, and begins a session',
    description: 'An address that has an account by now gets a 409.',
    method: 'POST',
    path: '/v2/auth/invitations/accept',
    client: 'auth.acceptInvitation',
    repeatable: false,
    body: z.object({
      token: invitationToken,
      password: text.meta({ description: '12 to 256 characters.', format: 'password' }),
    }),
    example: { token: 'q1w2…', password: 'correct horse battery' },
    answer: { status: 200, schema: tokens },
    run: async ({ request, body }) => toWireTokens(await invitations.accept(body, loginOriginOf(request))),
  })
}

function stepUpOperation(sessions: Sessions): Operation {
  return operation({
    ...ofAnyUser,
    tag: 'auth',
    id: 'stepUp',
    summary: 'Shows again who the user is',
    description:
      'Some operations require a login, or this, within the last ten minutes, and are rejected with STEP_UP_REQUIRED after that. Takes the password and, for users with a second factor, a code; or a fresh login code. Wrong attempts count like failed logins.',
    method: 'POST',
    path: '/v2/auth/step-up',
    client: 'auth.stepUp',
    repeatable: true,
    body: z.object({ password: text.nullish(), mfa_code: text.nullish(), code: text.nullish() }),
    example: { password: 'correct horse battery' },
    answer: { status: 204 },
    run: ({ principal, request, body }) =>
      sessions.prove(
        ownSession(principal),
        { password: body.password, mfaCode: body.mfa_code, code: body.code },
        loginOriginOf(request),
      ),
  })
}

const session = z
  .object({
    id: z.string(),
    is_current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
    created_at: timestamp,
    last_used_at: timestamp.meta({ description: 'When it was refreshed last.' }),
    expires_at: timestamp.meta({ description: 'When it ends, unless it is refreshed.' }),
    client_address: z.string(),
    user_agent: z.string().nullable(),
  })
  .meta({ id: 'Session' })

const ofAnyUser = { tag: 'account', scope: 'any', userOnly: true } as const

function listSessionsOperation(sessions: Sessions): Operation {
  return operation({
    ...ofAnyUser,
    id: 'listSessions',
    summary: 'The sessions of the user, newest first',
    method: 'GET',
    path: '/v2/account/sessions',
    client: 'account.sessions.list',
    answer: { status: 200, schema: z.object({ sessions: z.array(session) }) },
    async run({ principal }) {
      const found = await sessions.list(principal.id)
      return {
        sessions: found.map(({ id, createdAt, lastUsedAt, expiresAt, clientAddress, userAgent }) => ({
          id,
          is_current: id === principal.sessionId,
          created_at: toTimestamp(createdAt),
          last_used_at: toTimestamp(lastUsedAt),
          expires_at: toTimestamp(expiresAt),
          client_address: clientAddress,
          user_agent: userAgent,
        })),
      }
    },
  })
}

function endSessionOperation(sessions: Sessions): Operation {
  return operation({
    ...ofAnyUser,
    id: 'endSession',
    summary: 'Revokes a session of the user',
    method: 'DELETE',
    path: '/v2/account/sessions/{session_id}',
    client: 'account.sessions.end',
    params: z.object({ session_id: idText }),
    answer: { status: 204 },
    run: ({ principal, by, params }) => sessions.end(principal.id, { id: params.session_id }, by),
  })
}

function endOtherSessionsOperation(sessions: Sessions): Operation {
  return operation({
    ...ofAnyUser,
    id: 'endOtherSessions',
    summary: 'Revokes all other sessions of the user',
    method: 'DELETE',
    path: '/v2/account/sessions',
    client: 'account.sessions.endOthers',
    answer: { status: 204 },
    run: ({ principal, by }) => sessions.end(principal.id, { exceptId: ownSession(principal).sessionId }, by),
  })
}

/** @throws TaskboardError `FORBIDDEN` for a caller without a session of Taskboard's login. */
function ownSession({ id: userId, sessionId }: Principal): OwnSession {
  if (sessionId !== undefined) return { userId, sessionId }
  throw new TaskboardError('FORBIDDEN', 'only a user with a session can do this')
}

function toWireTokens({
  accessToken,
  refreshToken: next,
  expiresInS,
  tokenType,
}: SessionTokens): InputOf<typeof tokens> {
  return { access_token: accessToken, refresh_token: next, expires_in: expiresInS, token_type: tokenType }
}
