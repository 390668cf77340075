import { computed, signal } from '@preact/signals'
import { createClient, type Account, type TaskboardClient } from '@taskboard/client'
import type { Config } from './config.js'
import { kept } from './kept.js'
import { accessToken } from './session.js'
import type { Scope } from './wire.js'

/** The connection to the server; set before anything is shown. */
export let client: TaskboardClient
export let config: Config

/** The account of the caller, with its workspaces, limits and usage. */
export const account = signal<Account | null>(null)

/** The workspace that is shown. */
const chosen = signal(kept.get('taskboard.workspace'))
export const workspace = computed(() => {
  const all = account.value?.workspaces ?? []
  return all.find(({ id }) => id === chosen.value) ?? all.find((one) => one.is_default) ?? all[0] ?? null
})

export function chooseWorkspace(id: string): void {
  kept.set('taskboard.workspace', id)
  chosen.value = id
}

/** Its id: unlike the workspace, it stays the same when the account is read again. */
export const shownWorkspaceId = computed(() => workspace.value?.id)

/** The id of the workspace that is shown; pages are only shown when there is one. */
export function workspaceId(): string {
  return shownWorkspaceId.value ?? ''
}

/** Whether the person has to show again who they are before the same request passes. */
async function needsProof(response: Response): Promise<boolean> {
  if (response.status !== 403 || config.login !== 'taskboard') return false
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return (body as { readonly error?: { readonly code?: string } } | null)?.error?.code === 'STEP_UP_REQUIRED'
}

/** A decision continues its way when the page is left. */
const isDecision = (url: string): boolean => url.endsWith('/decision')

/** What a connection needs of the page. */
interface Listeners {
  /** Hears the status of each request that was rejected. */
  readonly onRefusal: (status: number) => void
  /** Asks the person to show who they are, and resolves to whether they did. */
  readonly askForProof: () => Promise<boolean>
}

/** Connects to the server that `config` describes. */
export function connect(to: Config, { onRefusal, askForProof }: Listeners): void {
  config = to
  const baseUrl = new URL(to.mount === '' ? '/' : `${to.mount}/`, location.origin).href.replace(/\/$/, '')
  const common = {
    baseUrl,
    paths: to.paths,
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const response = await fetch(url, isDecision(url) ? { ...init, keepalive: true } : init)
      if (await needsProof(response)) return (await askForProof()) ? fetch(url, init) : response
      if (!response.ok) onRefusal(response.status)
      return response
    },
  }
  client = createClient(to.login === 'host' ? common : { ...common, token: accessToken })
}

/** Reads the account again. */
export async function readAccount(): Promise<void> {
  account.value = await client.account.get()
}

/** Whether the caller may do something. Actions that it may not do aren't offered. */
export function can(scope: Scope): boolean {
  return account.value?.caller.scopes.includes(scope) ?? false
}

/** Whether the caller is a person, and not an API key. */
export function isUser(): boolean {
  return account.value?.caller.kind === 'user'
}
