import type { EventType } from '@taskboard/core'
import type { StoredWebhook } from '@taskboard/core/storage'
import type { Table } from './table.js'

/** The webhooks of each workspace. Follows the webhooks' table. */
export interface Subscriptions {
  /** All of a workspace, oldest first. */
  of(workspaceId: string): readonly StoredWebhook[]
  /** Those that want events of a type, even while they are disabled. */
  to(workspaceId: string, type: EventType): readonly StoredWebhook[]
}

const NONE: readonly StoredWebhook[] = []

export function createSubscriptions(webhooks: Table<StoredWebhook>): Subscriptions {
  const workspaces = new Map<string, readonly StoredWebhook[]>()

  webhooks.onChange((before, after) => {
    const { workspaceId, id } = (after ?? before) as StoredWebhook
    const others = (workspaces.get(workspaceId) ?? NONE).filter((webhook) => webhook.id !== id)
    const all = after === undefined ? others : [...others, after].sort(byAge)
    if (all.length === 0) workspaces.delete(workspaceId)
    else workspaces.set(workspaceId, all)
  })

  return {
    of: (workspaceId) => workspaces.get(workspaceId) ?? NONE,
    to(workspaceId, type) {
      const all = workspaces.get(workspaceId)
      if (all === undefined) return NONE
      return all.filter(({ events }) => (events as readonly string[]).includes(type))
    },
  }
}

/** Oldest first; the id decides within a millisecond. */
export function byAge(
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
}
