import { TaskboardError } from '@taskboard/core'
import type { ChannelQuery, ChannelStore, StoredChannel, StoredChannelChange } from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import { newTarget, targetId, type TargetRow } from '../events/notification-store.js'
import { isWithin } from '../tables/reach.js'
import type { Table } from '../tables/table.js'
import type { MemoryTransaction } from '../tables/transactions.js'

/** The channels that users set up, each with a target. */
export function createChannelStore(
  database: Database,
  targets: Table<TargetRow>,
): ChannelStore<MemoryTransaction> {
  const { settings, transactions, tables, idempotency, log, readOnly } = database
  const { read, write } = transactions
  const { channels } = tables
  const byWorkspace = createChannelIndex(channels)

  function find({ within, channelId }: Extract<ChannelQuery, { readonly channelId: string }>) {
    const channel = channels.get(channelId)
    if (channel === undefined) return []
    const { workspaceId } = channel
    const isFound =
      typeof within === 'string' ? workspaceId === within : isWithin(database, within, workspaceId)
    return isFound ? [channel] : []
  }

  return {
    insertChannel: (
      { channel: { workspaceId, type, name, config, secrets, events }, idempotency: claim },
      call,
    ) =>
      write(call, (now) => {
        database.requireWorkspace(workspaceId)
        return idempotency.once(claim, now, () => {
          readOnly.requireWritable(workspaceId)
          const channel: StoredChannel = {
            id: settings.current.newId('nch'),
            workspaceId,
            type,
            name,
            config: copied(config),
            secrets: Object.freeze({ ...secrets }),
            events: Object.freeze([...events]),
            failures: 0,
            failingSince: null,
            lastError: null,
            lastDeliveredAt: null,
            createdAt: now,
            updatedAt: now,
          }
          const target = { ...newTarget(log.lastSeq(workspaceId), now), type, settings: {} }
          channels.set(channel.id, channel)
          targets.set(targetId(workspaceId, channel.id), { ...target, workspaceId, channel: channel.id })
          return channel
        })
      }),
    listChannels: (query, call) =>
      read(call, () => {
        if ('channelId' in query) return find(query)
        const { within, limit, afterId } = query
        const all = byWorkspace(within)
        return all.filter(({ id }) => afterId === null || id > afterId).slice(0, limit)
      }),
    updateChannel: ({ workspaceId, channelId, change }, call) =>
      write(call, (now) => {
        const channel = channels.get(channelId)
        const id = targetId(workspaceId, channelId)
        const target = targets.get(id)
        if (channel?.workspaceId !== workspaceId || target === undefined) {
          throw new TaskboardError('NOT_FOUND', 'no such notification channel')
        }
        readOnly.requireWritable(workspaceId)
        const changed = { ...changedChannel(channel, change), updatedAt: now }
        channels.set(channelId, changed)
        const isClaimed = target.claimToken !== null && target.dueAt > now
        targets.set(id, { ...target, failing: false, dueAt: isClaimed ? target.dueAt : now })
        return changed
      }),
    deleteChannel: ({ workspaceId, channelId }, call) =>
      write(call, () => {
        if (channels.get(channelId)?.workspaceId !== workspaceId) return false
        readOnly.requireWritable(workspaceId)
        channels.delete(channelId)
        targets.delete(targetId(workspaceId, channelId))
        return true
      }),
  }
}

/** The channels of each workspace, by id. */
function createChannelIndex(
  channels: Table<StoredChannel>,
): (workspaceId: string) => readonly StoredChannel[] {
  const workspaces = new Map<string, readonly StoredChannel[]>()
  channels.onChange((before, after) => {
    const { workspaceId, id } = (after ?? before) as StoredChannel
    const others = (workspaces.get(workspaceId) ?? []).filter((channel) => channel.id !== id)
    const all = after === undefined ? others : [...others, after].sort((a, b) => (a.id < b.id ? -1 : 1))
    if (all.length === 0) workspaces.delete(workspaceId)
    else workspaces.set(workspaceId, all)
  })
  return (workspaceId) => workspaces.get(workspaceId) ?? []
}

function changedChannel(channel: StoredChannel, change: StoredChannelChange): StoredChannel {
  const { name, config, secrets, events } = change
  const merged = Object.entries({ ...channel.secrets, ...secrets }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  return {
    ...channel,
    failures: 0,
    failingSince: null,
    lastError: null,
    ...(name !== undefined && { name }),
    ...(config !== undefined && { config: copied(config) }),
    ...(events !== undefined && { events: Object.freeze([...events]) }),
    secrets: Object.freeze(Object.fromEntries(merged)),
  }
}

/** A copy that its caller can't change. */
function copied(config: StoredChannel['config']): StoredChannel['config'] {
  return structuredClone(config)
}
