import { effect, signal } from '@preact/signals'
import { can, client, workspace } from '../state/api.js'
import { coalesce, onMessage } from '../state/live.js'
import { phase } from '../state/start.js'

/** What the tasks of the workspace have cost in the last 30 days, in dollars, by id. */
export const costs = signal<ReadonlyMap<string, number>>(new Map())

const DAYS = 30
const DAY_MS = 86_400_000
const MOST_TASKS = 1_000
const RELOAD_MS = 5_000

async function read(workspaceId: string): Promise<void> {
  const to = new Date(Date.now() + DAY_MS).toISOString()
  const from = new Date(Date.now() - DAYS * DAY_MS).toISOString()
  const query = { workspace_id: workspaceId, from, to, group_by: 'task', limit: MOST_TASKS } as const
  const { usage } = await client.analytics.usage(query)
  costs.value = new Map(usage.map(({ key, cost_usd: cost }) => [key, cost]))
}

effect(() => {
  const id = workspace.value?.id
  if (phase.value !== 'ready' || id === undefined || !can('analytics:read')) return undefined
  // The cards are complete without it.
  const again = coalesce(() => void read(id).catch(() => undefined), RELOAD_MS)
  void read(id).catch(() => undefined)
  const stop = onMessage(({ type }) => {
    if (type === 'task.completed' || type === 'task.failed') again()
  })
  return () => {
    stop()
    again.cancel()
  }
})
