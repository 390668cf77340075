import { computed, signal } from '@preact/signals'
import { createClient, type Account, type TaskboardClient } from '@taskboard/client'
import type { Config } from './config.js'
import { accessToken } from './session.js'

type Scope = Account['caller']['scopes'][number]

/** The connection to the server; set before anything is shown. */
export let client: TaskboardClient
export let config: Config

/** The account of the caller, with its workspaces, limits and usage. */
export const account = signal<Account | null>(null)

/** The workspace that is shown. */
const chosen = signal(localStorage.getItem('taskboard.workspace'))
export const workspace = computed(() => {
  const all = account.value?.workspaces ?? []
  return all.find(({ id }) => id === chosen.value) ?? all.find((one) => one.is_default) ?? all[0] ?? null
})

export function chooseWorkspace(id: string): void {
  localStorage.setItem('taskboard.workspace', id)
  chosen.value = id
}

/** The id of the workspace that is shown; pages are only shown when there is one. */
export function workspaceId(): string {
  return workspace.value?.id ?? ''
}

/** Connects to the server that `config` describes. */
export function connect(to: Config): void {
  config = to
  const baseUrl = new URL(to.mount === '' ? '/' : `${to.mount}/`, location.origin).href.replace(/\/$/, '')
  const common = { baseUrl, paths: to.paths }
  client = createClient(to.login === 'host' ? common : { ...common, token: accessToken })
}

/** Reads the account again. */
export async function readAccount(): Promise<void> {
  account.value = await client.account.get()
}

/** Whether the caller may do something. What it may not do is not offered. */
export function can(scope: Scope): boolean {
  return account.value?.caller.scopes.includes(scope) ?? false
}

/** Whether the caller is a person, and not an API key. */
export function isUser(): boolean {
  return account.value?.caller.kind === 'user'
}
