import { signal } from '@preact/signals'
import { base } from './config.js'
import { forgetDrafts } from './drafts.js'
import { kept, keptInTab } from './kept.js'

/** Whether someone is logged in; null until it is known. */
export const isLoggedIn = signal<boolean | null>(null)

interface Token {
  readonly text: string
  readonly expiresAtMs: number
}

interface TokenAnswer {
  readonly access_token: string
  readonly expires_in: number
}

/** What a login needs. `mfaCode` is for users with a second factor. */
export interface Credentials {
  readonly email: string
  readonly password: string
  readonly mfaCode?: string
}

/** Why the session routes rejected. */
export class SessionError extends Error {
  readonly status: number
  readonly field: string | null
  readonly retryAfterS: number | null
  readonly requestId: string | null
  constructor(status: number, body: ErrorBody, response: Response) {
    super(body.error?.message ?? `The server returned ${status}.`)
    this.status = status
    this.field = body.error?.details?.field ?? null
    this.requestId = body.error?.request_id ?? null
    const wait = Number(response.headers.get('retry-after'))
    this.retryAfterS = Number.isFinite(wait) && wait > 0 ? wait : null
  }
}

interface ErrorBody {
  readonly error?: {
    readonly message?: string
    readonly request_id?: string
    readonly details?: { readonly field?: string }
  }
}

/** A token is replaced this long before it expires. */
const EARLY_MS = 30_000
const MS_PER_S = 1_000

/** Stands in the browser's storage while it may have a session: whose that is. */
const KNOWN = 'taskboard.session'
/** Of whom this tab has kept something. */
const USER = 'taskboard.user'

// In memory only: a script of another page, or a copy of the profile, finds no token.
let token: Token | null = null
let refreshing: Promise<Token | null> | null = null
/** The user whose data the page read. */
let user: string | null = null

async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(new URL(path, base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    // Its cookie comes even when the page is reloaded meanwhile.
    keepalive: true,
  })
  if (response.ok) return response
  const refusal = (await response.json().catch(() => ({}))) as ErrorBody
  throw new SessionError(response.status, refusal, response)
}

/** The id of the user of an access token. */
function userOf(text: string): string {
  try {
    const [, claims = ''] = text.split('.')
    const { sub } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { sub?: unknown }
    return String(sub)
  } catch {
    return ''
  }
}

async function takeToken(response: Response): Promise<Token> {
  const { access_token: text, expires_in: seconds } = (await response.json()) as TokenAnswer
  const whose = userOf(text)
  if (keptInTab.get(USER) !== whose) keptInTab.clear()
  keptInTab.set(USER, whose)
  kept.set(KNOWN, whose)
  if (user !== null && user !== whose) return startAnew()
  user = whose
  token = { text, expiresAtMs: Date.now() + seconds * MS_PER_S }
  isLoggedIn.value = true
  return token
}

/** Someone else has logged in: no data or typed text of this page is theirs. */
function startAnew(): Promise<never> {
  location.reload()
  return new Promise(() => undefined)
}

addEventListener('storage', ({ key, newValue }) => {
  if (key !== KNOWN || user === null) return
  if (newValue === null) end()
  else if (newValue !== user) void startAnew()
})

async function refreshOnce(): Promise<Token | null> {
  try {
    return await takeToken(await post('session/refresh', {}))
  } catch (error) {
    if (!(error instanceof SessionError) || error.status !== 401) throw error
    return null
  }
}

/** When the cookie of a refresh that was on its way should have come. */
const LATE_MS = 400

/** A page that was reloaded, or another tab, may have used the token up a moment ago: then the browser gets the next one. */
async function refreshTwice(): Promise<Token | null> {
  const taken = await refreshOnce()
  if (taken !== null) return taken
  await new Promise((resolve) => setTimeout(resolve, LATE_MS))
  const late = await refreshOnce()
  if (late === null) forget()
  return late
}

/** The tabs of a browser share the cookie, so one of them refreshes at a time. Plain HTTP has no locks: the loser tries again. */
async function refreshInTurn(): Promise<Token | null> {
  return 'locks' in navigator ? navigator.locks.request('taskboard-session', refreshTwice) : refreshTwice()
}

function refresh(): Promise<Token | null> {
  refreshing ??= refreshInTurn().finally(() => {
    refreshing = null
  })
  return refreshing
}

/** Finds the session of the browser's cookie, if it has one. */
export async function resume(): Promise<boolean> {
  // Scripts cannot see the cookie. A browser that never logged in here need not ask the server.
  return kept.get(KNOWN) !== null && (await refresh()) !== null
}

/** An access token for a request. `rejected` is one that the server has rejected. */
export async function accessToken({ rejected }: { readonly rejected: string | null }): Promise<string> {
  const isFresh = token !== null && token.text !== rejected && token.expiresAtMs - EARLY_MS > Date.now()
  const current = isFresh ? token : await refresh()
  if (current === null) throw new Error('You are logged out.')
  return current.text
}

/** Renews the access token unless the next request has one, and those within a time. */
export async function keepFresh(forMs: number): Promise<void> {
  if (token === null || token.expiresAtMs - EARLY_MS - forMs <= Date.now()) await refresh()
}

/** @throws SessionError with `field` `mfa_code` when a code is needed. */
export async function logIn({ email, password, mfaCode }: Credentials): Promise<void> {
  await takeToken(
    await post('session', { email, password, ...(mfaCode === undefined ? {} : { mfa_code: mfaCode }) }),
  )
}

/** Begins a session by a one-time login link. @throws SessionError when it was used or has expired. */
export async function logInByCode(code: string): Promise<void> {
  await takeToken(await post('session/code', { code }))
}

/** Whom a login link or an invitation is for. */
export interface Addressee {
  readonly email: string
  readonly accountName: string
}

async function readAddressee(response: Response): Promise<Addressee> {
  const { email, account_name: accountName } = (await response.json()) as {
    readonly email: string
    readonly account_name: string
  }
  return { email, accountName }
}

/** Whom a login link logs in. @throws SessionError when it has expired. */
export async function showCode(code: string): Promise<Addressee> {
  return readAddressee(await post('session/code/show', { code }))
}

/** Whom an invitation is for. @throws SessionError when it was used or has expired. */
export async function showInvitation(invitation: string): Promise<Addressee> {
  return readAddressee(await post('session/invitation/show', { token: invitation }))
}

/** Becomes a member by an invitation, and begins a session. @throws SessionError. */
export async function join(invitation: string, password: string): Promise<void> {
  await takeToken(await post('session/invitation', { token: invitation, password }))
}

/** Revokes the session, here and on the server. */
export async function logOut(): Promise<void> {
  await post('session/logout', {})
  keptInTab.clear()
  forget()
  forgetDrafts()
}

/** The other tabs hear of it by the storage. */
function forget(): void {
  kept.remove(KNOWN)
  end()
}

function end(): void {
  token = null
  isLoggedIn.value = false
}
