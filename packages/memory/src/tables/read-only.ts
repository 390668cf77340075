import { readOnlyRefusal } from '@taskboard/core/storage'
import type { Table } from './table.js'
import type { Tables } from './tables.js'

/** Accounts that take no writes. Follows the table of accounts. */
export interface ReadOnlyAccounts {
  /** Whether there is any. */
  isAny(): boolean
  /** Whether a workspace belongs to one: background work passes over it. */
  has(workspaceId: string): boolean
  /** @throws TaskboardError as `readOnlyRefusal`. */
  requireWritable(workspaceId: string): void
  /** Makes an account take no writes, or take them again. */
  set(accountId: string, isOn: boolean): void
}

/** Guards the tables that background work does not write; its own are guarded by the verbs. */
export function createReadOnlyAccounts(tables: Tables): ReadOnlyAccounts {
  const ids = new Set<string>()
  tables.accounts.onChange((before, after) => {
    if (before !== undefined) ids.delete(before.id)
    if (after?.readOnly === true) ids.add(after.id)
  })

  const has = (workspaceId: string): boolean =>
    ids.size > 0 && ids.has(tables.workspaces.get(workspaceId)?.accountId ?? '')

  function requireWritable(workspaceId: string): void {
    if (has(workspaceId)) throw readOnlyRefusal()
  }

  function guardAccounts<V>(table: Table<V>, accountOf: (value: V) => string): void {
    table.guard((value, id) => {
      if (ids.size > 0 && ids.has(accountOf(value)) && !isUseOfKey(table, value, id)) throw readOnlyRefusal()
    })
  }

  /** The last use of a key is not what it is. */
  function isUseOfKey(table: unknown, value: unknown, id: string): boolean {
    const before = table === tables.apiKeys ? tables.apiKeys.get(id) : undefined
    return before !== undefined && before.lastUsedAt !== (value as typeof before).lastUsedAt
  }

  guardAccounts(tables.workspaces, ({ accountId }) => accountId)
  guardAccounts(tables.users, ({ user }) => user.accountId)
  guardAccounts(tables.apiKeys, ({ accountId }) => accountId)
  const { agents, budgets, schedules, tasks, usageDays } = tables
  for (const table of [agents, budgets, schedules, tasks, usageDays]) {
    table.guard(({ workspaceId }: { readonly workspaceId: string }) => requireWritable(workspaceId))
  }

  return {
    isAny: () => ids.size > 0,
    has,
    requireWritable,
    set(accountId, isOn) {
      const account = tables.accounts.get(accountId)
      if (account === undefined || account.readOnly === isOn) return
      if (!isOn) tables.accounts.set(accountId, { ...account, readOnly: false })
      for (const agent of tables.agents.values()) {
        if (tables.workspaces.get(agent.workspaceId)?.accountId !== accountId) continue
        const key = `${agent.workspaceId} ${agent.id}`
        const paused = isOn || (tables.pausedBefore.get(key) ?? agent.paused)
        if (isOn) tables.pausedBefore.set(key, agent.paused)
        else tables.pausedBefore.delete(key)
        tables.agents.set(agent.id, { ...agent, paused })
      }
      if (isOn) tables.accounts.set(accountId, { ...account, readOnly: true })
    },
  }
}
