import { alignClock } from './clock.js'
import type { NotificationChannel, Webhook } from './wire.js'

/** What the server says about itself, before anyone has logged in. */
export interface Config {
  /** Whose login people use: Taskboard's, or the login of the program that serves the board. `none`: only API keys are known. */
  readonly login: 'taskboard' | 'host' | 'none'
  /** Where people log in to the host. */
  readonly loginUrl: string | null
  /** Where the host mounted Taskboard's routes: `/kanban`; empty at the root. */
  readonly mount: string
  /** The paths of the APIs below `mount`. */
  readonly paths: { readonly board: string; readonly v2: string; readonly realtime: string }
  /** The types of events that webhooks and notification channels can receive, as the server defines them. */
  readonly events: { readonly webhooks: Webhook['events']; readonly channels: NotificationChannel['events'] }
  readonly features: { readonly users: boolean }
}

/** The folder of the page, such as `/kanban/dashboard/`. All other addresses are made from it. */
export const base = new URL('.', document.baseURI)

/** The configuration of the server. */
export async function readConfig(): Promise<Config> {
  const response = await fetch(new URL('config', base))
  alignClock(response.headers.get('date'))
  if (!response.ok) throw new Error(`The server returned ${response.status} for its configuration.`)
  return (await response.json()) as Config
}
