import { TaskboardError } from '@taskboard/core'
import { linkKeptMs, type LinkStore, type StoredLink } from '@taskboard/core/storage'
import { pruneTable } from '../access/session-store.js'
import type { Database } from '../tables/database.js'
import type { Pruned } from '../tables/prune.js'
import type { MemoryTransaction } from '../tables/transactions.js'

export function createLinkStore({
  settings,
  tables,
  transactions: { read, write },
}: Database): LinkStore<MemoryTransaction> & Pruned<'pruneLinks'> {
  return {
    insertLink: ({ link: { tokenHash, ttlMs, ...given } }, call) =>
      write(call, (now) => {
        const workspace = tables.workspaces.get(given.workspaceId)
        const task = tables.tasks.get(given.taskId)
        if (workspace === undefined || task?.workspaceId !== workspace.id)
          throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
        const link: StoredLink = {
          ...given,
          id: settings.current.newId('lnk'),
          accountId: workspace.accountId,
          createdAt: now,
          expiresAt: now + ttlMs,
        }
        tables.links.set(tokenHash, link)
        return link
      }),
    findLink: ({ tokenHash }, call) =>
      read(call, (now) => {
        const link = tables.links.get(tokenHash)
        if (link === undefined || tables.workspaces.get(link.workspaceId) === undefined) return null
        return { link, expiresInMs: link.expiresAt - now }
      }),
    pruneLinks: ({ limit }, call) =>
      write(call, (now) => pruneTable(tables.links, limit, ({ expiresAt }) => expiresAt + linkKeptMs, now)),
  }
}
