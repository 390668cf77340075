import { effect, signal } from '@preact/signals'
import { account, connect, readAccount } from './api.js'
import { readConfig, type Config } from './config.js'
import { explain, type Failure } from './failure.js'
import { replace } from './router.js'
import { isLoggedIn, logInByCode, resume } from './session.js'

/** Where the application is between its first request and the board. */
export type Phase = 'starting' | 'login' | 'ready'
export const phase = signal<Phase>('starting')
/** Why it could not start, or why the login link was refused. */
export const startFailure = signal<Failure | null>(null)
/** Where the host's login is. */
export const loginUrl = signal<string | null>(null)
/** Whose login people use. */
export const loginKind = signal<Config['login']>('taskboard')

/** The code of a one-time login link; it leaves the address and the history at once. */
function takeCode(): string | null {
  const code = /^#login=(.+)$/.exec(location.hash)?.[1] ?? null
  if (code !== null) replace('#/board')
  return code
}

async function findSession(code: string | null): Promise<boolean> {
  // Whoever is logged in does not need the link, which may be an old one.
  if (await resume()) return true
  if (code === null) return false
  await logInByCode(code)
  return true
}

async function enter(): Promise<void> {
  await readAccount()
  phase.value = 'ready'
}

/** Finds out who is there, and shows the board or the login. */
export async function start(): Promise<void> {
  startFailure.value = null
  phase.value = 'starting'
  const code = takeCode()
  try {
    const config = await readConfig()
    connect(config)
    loginUrl.value = config.loginUrl
    loginKind.value = config.login
    if (config.login === 'host') return await enterHost()
    if (config.login === 'taskboard' && (await findSession(code))) await enter()
    else phase.value = 'login'
  } catch (error) {
    startFailure.value = explain(error)
    if (loginKind.value === 'taskboard' && code !== null) phase.value = 'login'
  }
}

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
  if (isLoggedIn.value !== false || phase.peek() !== 'ready') return
  account.value = null
  phase.value = 'login'
})
