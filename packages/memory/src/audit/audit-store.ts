import { storedActor, type AuditOwner, type AuditQuery, type AuditStore } from '@taskboard/core/storage'
import type { AuditRecord } from '@taskboard/core'
import type { Database } from '../tables/database.js'
import type { Pruned } from '../tables/prune.js'
import type { MemoryTransaction } from '../tables/transactions.js'

/** Who did what. */
export function createAuditStore({
  settings,
  tables,
  transactions: { read, write },
}: Database): AuditStore<MemoryTransaction> & Pruned<'pruneAudit'> {
  function accountOf(owner: AuditOwner): string | null {
    if ('accountId' in owner) return owner.accountId
    if ('userId' in owner) return tables.users.get(owner.userId)?.user.accountId ?? null
    if ('keyId' in owner) return tables.apiKeys.get(owner.keyId)?.accountId ?? null
    return tables.workspaces.get(owner.workspaceId)?.accountId ?? null
  }

  return {
    appendAudit: (records, call) =>
      write(call, (now) =>
        records.map(({ of, ...given }) => {
          const id = settings.current.newId('aud')
          const record = { id, accountId: accountOf(of), at: now, by: storedActor(call.by), ...given }
          tables.audit.set(id, record)
          return record
        }),
      ),
    listAudit: (query, call) =>
      read(call, () => [...tables.audit.values()].filter(isWithin(query)).sort(byAge).slice(0, query.limit)),
    pruneAudit: ({ ofAccounts, olderThanMs, limit }, call) =>
      write(call, (now) => {
        const old = [...tables.audit.values()]
          .filter(({ at, accountId }) => at < now - olderThanMs && (accountId !== null) === ofAccounts)
          .slice(0, limit)
        for (const { id } of old) tables.audit.delete(id)
        return old.length
      }),
  }
}

function isWithin({ accountId, actions, actorId, from, to, after }: AuditQuery) {
  return (record: AuditRecord): boolean =>
    record.accountId === accountId &&
    (actions === null || actions.includes(record.action)) &&
    (actorId === null || record.by.id === actorId) &&
    record.at >= (from ?? -Infinity) &&
    record.at < (to ?? Infinity) &&
    (after === null || byAge(after, record) < 0)
}

/** Newest first. */
function byAge(a: Pick<AuditRecord, 'at' | 'id'>, b: Pick<AuditRecord, 'at' | 'id'>): number {
  if (a.at !== b.at) return b.at - a.at
  return a.id < b.id ? 1 : Number(a.id === b.id) - 1
}
