import { TaskboardApiError } from './api-error.js'
import type { ClientCredential, LoginCredential, TokenFunction } from './client-options.js'
import type { Tokens } from './wire.js'

/** Where calls and the realtime channel get their bearer token from. */
export interface CredentialSource {
  /** The token for a call, null without one. `rejected` is the one that the server has rejected. */
  token(rejected: string | null): Promise<string | null>
  /** Whether another token can follow a rejected one. */
  readonly renews: boolean
  readonly usesCookies: boolean
  /** The refresh token of a session, which is forgotten; null without a session; undefined for credentials that have none. */
  end(): string | null | undefined
}

/** Logs in and refreshes: sends `body` to a public route of the session. */
export type SessionCalls = Record<
  'login' | 'refresh',
  (body: Readonly<Record<string, string>>) => Promise<Tokens>
>

export function credentialSource(
  { key, login, token }: ClientCredential,
  calls: SessionCalls,
  now: () => number,
): CredentialSource {
  if (login !== undefined) return sessionSource(login, calls, now)
  const fixed = { renews: false, usesCookies: false, end: () => undefined }
  if (token !== undefined) return { ...fixed, renews: true, token: asked(token) }
  // The end of the line of the file that it was read from.
  if (key !== undefined) return { ...fixed, token: () => Promise.resolve(key.trim()) }
  return cookies
}

/** Sends no token: the host knows its users by their cookies. */
export const cookies: CredentialSource = {
  renews: false,
  usesCookies: true,
  token: () => Promise.resolve(null),
  end: () => undefined,
}

function asked(token: TokenFunction) {
  return async (rejected: string | null): Promise<string> => token({ rejected })
}

interface Session {
  readonly access: string
  readonly refresh: string
  /** From when on the access token is replaced: some time before the server rejects it. */
  readonly staleAt: number
}

/** At most so long before its end an access token is replaced, and at most a tenth of its life. */
const LONGEST_MARGIN_MS = 30_000

/** One login for all calls. Calls that need a token while it is fetched wait for the same one. */
function sessionSource(login: LoginCredential, calls: SessionCalls, now: () => number): CredentialSource {
  let session: Session | null = null
  let renewing: Promise<Session> | null = null
  let isCodeUsed = false

  async function renewed(): Promise<Session> {
    const { refresh } = session ?? {}
    const tokens = refresh === undefined ? await loggedIn() : await refreshed(refresh)
    const lifeMs = tokens.expires_in * 1000
    const staleAt = now() + lifeMs - Math.min(LONGEST_MARGIN_MS, lifeMs / 10)
    return { access: tokens.access_token, refresh: tokens.refresh_token, staleAt }
  }

  /** The refresh token is valid once: when it is rejected, the password begins another session. */
  async function refreshed(refresh: string): Promise<Tokens> {
    try {
      return await calls.refresh({ refresh_token: refresh })
    } catch (error) {
      if (!(error instanceof TaskboardApiError) || error.status !== 401) throw error
      if (session?.refresh === refresh) session = null
      return loggedIn()
    }
  }

  async function loggedIn(): Promise<Tokens> {
    const { email, password, mfaCode } = login
    if (isCodeUsed) {
      throw new TaskboardApiError(
        'the session was revoked or expired, and the second-factor code was already used: log in again',
        {
          status: 401,
          code: 'LOGIN_REQUIRED',
          field: 'mfa_code',
        },
      )
    }
    const tokens = await calls.login({ email, password, ...(mfaCode !== undefined && { mfa_code: mfaCode }) })
    isCodeUsed = mfaCode !== undefined
    return tokens
  }

  return {
    renews: true,
    usesCookies: false,
    async token(rejected) {
      if (renewing === null && session !== null && session.access !== rejected && now() < session.staleAt) {
        return session.access
      }
      renewing ??= renew()
      return (await renewing).access
    },
    end() {
      const refresh = session?.refresh ?? null
      session = null
      renewing = null
      return refresh
    },
  }

  /** A session that is revoked while calls wait for it serves these calls, and no later one. */
  function renew(): Promise<Session> {
    const begun: Promise<Session> = renewed().then(
      (next) => {
        if (renewing !== begun) return next
        renewing = null
        return (session = next)
      },
      (error: unknown) => {
        if (renewing === begun) renewing = null
        throw error
      },
    )
    return begun
  }
}
