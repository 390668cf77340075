import { effect, signal } from '@preact/signals'
import { account, connect, readAccount, workspace } from './api.js'
import { readConfig, type Config } from './config.js'
import { explain, type Failure } from './failure.js'
import { replace } from './router.js'
import {
  isLoggedIn,
  join,
  logInByCode,
  resume,
  SessionError,
  showCode,
  showInvitation,
  type Addressee,
} from './session.js'
import { text } from '../texts/index.js'
import { inform } from './notices.js'
import { askForProof } from './proof.js'

/** Where the application is between its first request and the board. */
export type Phase = 'starting' | 'login' | 'ready'
export const phase = signal<Phase>('starting')
/** Why it couldn't start, or why the login link was rejected. */
export const startFailure = signal<Failure | null>(null)
/** Where the host's login is. */
export const loginUrl = signal<string | null>(null)
/** Whose login people use. */
export const loginKind = signal<Config['login']>('taskboard')

/** What a link brought: a login code, or an invitation. Neither is used before the person says so. */
type Brought = { readonly kind: 'code' | 'invitation'; readonly secret: string }
let brought: Brought | null = null
/** Whom the link is for, while the person is asked. */
export const offered = signal<(Addressee & Pick<Brought, 'kind'>) | null>(null)

/** What the link has leaves the address and the history immediately. */
function takeLink(): void {
  const [, kind, secret] = /^#(login|invitation)=(.+)$/.exec(location.hash) ?? []
  if (secret === undefined) return
  brought = { kind: kind === 'login' ? 'code' : 'invitation', secret }
  replace('#/board')
}

/** Finds the session of this browser, or else whom a link is for. */
async function findSession(): Promise<boolean> {
  // Whoever is logged in does not need the link, which may be an old one.
  if (await resume()) return true
  if (brought === null) return false
  const { kind, secret } = brought
  try {
    offered.value = { kind, ...(await (kind === 'code' ? showCode(secret) : showInvitation(secret))) }
  } catch (error) {
    forgetUsed(error)
    throw error
  }
  return false
}

/** The link can still be used when the server hasn't answered. */
function forgetUsed(error: unknown): void {
  if (!(error instanceof SessionError) || error.status !== 401) return
  refuseLink()
  // The page shows it, as the question is gone with the link.
  startFailure.value = explain(error)
}

/** The person doesn't want what the link offers. */
export function refuseLink(): void {
  brought = null
  offered.value = null
}

/** Does what the link is for. @throws SessionError. */
export async function acceptLink(password: string | null): Promise<void> {
  if (brought === null) return
  const { kind, secret } = brought
  try {
    await (kind === 'code' ? logInByCode(secret) : join(secret, password ?? ''))
  } catch (error) {
    forgetUsed(error)
    throw error
  }
  refuseLink()
}

/** How often rights and workspaces are read again at most, because requests are rejected. */
const RECHECK_MS = 5_000
let recheck: 'none' | 'running' | 'waiting' = 'none'
let isAskedAgain = false

/** Permissions or resources may be gone: reads the account again, so that the pages offer what there is. */
export function recheckAccount(): void {
  if (phase.peek() !== 'ready' || recheck === 'running') return
  if (recheck === 'waiting') {
    isAskedAgain = true
    return
  }
  recheck = 'running'
  void rereadAccount().finally(() => {
    recheck = 'waiting'
    setTimeout(() => {
      recheck = 'none'
      if (isAskedAgain) recheckAccount()
      isAskedAgain = false
    }, RECHECK_MS)
  })
}

async function rereadAccount(): Promise<void> {
  const before = workspace.peek()
  // The page shows what was known; its own requests say why they are refused.
  await readAccount().catch(() => undefined)
  const after = workspace.peek()
  if (before === null || after === null || before.id === after.id) return
  const isGone = account.peek()?.workspaces.every(({ id }) => id !== before.id) ?? false
  if (isGone) inform(text.nav.workspaceGone(before.name, after.name))
}

function onRefusal(status: number): void {
  // The session of the host has ended. Ours is renewed or ends by its own requests.
  if (status === 401 && loginKind.peek() === 'host' && phase.peek() === 'ready') leave()
  if (status === 403 || status === 404) recheckAccount()
}

function leave(): void {
  account.value = null
  phase.value = 'login'
}

async function enter(): Promise<void> {
  await readAccount()
  startFailure.value = null
  phase.value = 'ready'
}

/** Finds out who is there, and shows the board or the login. */
export async function start(): Promise<void> {
  startFailure.value = null
  phase.value = 'starting'
  takeLink()
  try {
    const config = await readConfig()
    connect(config, { onRefusal, askForProof })
    loginUrl.value = config.loginUrl
    loginKind.value = config.login
    if (config.login === 'host') return await enterHost()
    if (config.login === 'taskboard' && (await findSession())) await enter()
    else phase.value = 'login'
  } catch (error) {
    startFailure.value = explain(error)
    if (error instanceof SessionError && error.status === 401) phase.value = 'login'
  }
}

// A link that is pasted into the address of the page loads nothing.
addEventListener('hashchange', () => {
  takeLink()
  if (brought === null) return
  if (phase.peek() === 'login') void start()
  else if (phase.peek() === 'ready') brought = null
})

async function enterHost(): Promise<void> {
  try {
    await enter()
  } catch (error) {
    if ((error as { status?: number }).status !== 401) throw error
    phase.value = 'login'
  }
}

/** Shows the board after a login. */
export async function entered(): Promise<void> {
  try {
    await enter()
  } catch (error) {
    startFailure.value = explain(error)
  }
}

effect(() => {
  // The session ended: on the server, or in another tab.
  if (isLoggedIn.value === false && phase.peek() === 'ready') leave()
})
