import type { AccessStore, SealedReplacement, SealedRow } from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import type { Table } from '../tables/table.js'
import type { MemoryTransaction } from '../tables/transactions.js'

type Store = Pick<AccessStore<MemoryTransaction>, 'listSealed' | 'replaceSealed'>

interface Place {
  list(): readonly SealedRow[]
  replace(id: string, by: (text: string) => string): void
}

/** `AccessStore.listSealed` and `replaceSealed`. */
export function createSealed({ tables, transactions }: Database): Store {
  const places: Readonly<Record<SealedKindOf, Place>> = {
    webhook: placeIn(
      tables.webhooks,
      ({ id, workspaceId, secrets }) => ({
        id,
        ownerId: workspaceId,
        texts: Object.fromEntries(secrets.map(({ sealed }, index) => [String(index), sealed])),
      }),
      (webhook, by) => ({
        ...webhook,
        secrets: webhook.secrets.map((secret) => ({ ...secret, sealed: by(secret.sealed) })),
      }),
    ),
    channel: placeIn(
      tables.channels,
      ({ id, workspaceId, secrets }) => ({ id, ownerId: workspaceId, texts: secrets }),
      (channel, by) => ({
        ...channel,
        secrets: Object.fromEntries(
          Object.entries(channel.secrets).map(([member, text]) => [member, by(text)]),
        ),
      }),
    ),
    factor: placeIn(
      tables.users,
      ({ user: { id }, mfaSecret, mfaPendingSecret }) => ({
        id,
        ownerId: id,
        texts: {
          ...(mfaSecret !== null && { secret: mfaSecret }),
          ...(mfaPendingSecret !== null && { pending: mfaPendingSecret }),
        },
      }),
      (user, by) => ({
        ...user,
        mfaSecret: user.mfaSecret === null ? null : by(user.mfaSecret),
        mfaPendingSecret: user.mfaPendingSecret === null ? null : by(user.mfaPendingSecret),
      }),
    ),
  }

  return {
    listSealed: ({ kind, afterId, limit }, call) =>
      transactions.read(call, () =>
        places[kind]
          .list()
          .filter(({ id, texts }) => Object.keys(texts).length > 0 && (afterId === null || id > afterId))
          .toSorted((one, other) => (one.id < other.id ? -1 : 1))
          .slice(0, limit),
      ),
    replaceSealed: ({ kind, replacements }, call) =>
      transactions.write(call, () => {
        for (const [id, ofRow] of byRow(replacements)) {
          places[kind].replace(id, (text) => ofRow.get(text) ?? text)
        }
      }),
  }
}

type SealedKindOf = Parameters<Store['listSealed']>[0]['kind']

function placeIn<Row>(
  table: Table<Row>,
  read: (row: Row) => SealedRow,
  changed: (row: Row, by: (text: string) => string) => Row,
): Place {
  return {
    list: () => [...table.values()].map(read),
    replace(id, by) {
      const row = table.get(id)
      if (row !== undefined) table.set(id, changed(row, by))
    },
  }
}

function byRow(replacements: readonly SealedReplacement[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const rows = new Map<string, Map<string, string>>()
  for (const { id, from, to } of replacements) {
    const ofRow = rows.get(id) ?? new Map<string, string>()
    rows.set(id, ofRow.set(from, to))
  }
  return rows
}
