import type { Reach } from '../access/index.js'
import type { CallContext } from '../environment/index.js'
import type { StoredChannel } from '../events/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'

export type NewStoredChannel = Pick<
  StoredChannel,
  'workspaceId' | 'type' | 'name' | 'config' | 'secrets' | 'events'
>

/** The channels of a workspace: one page of them, or the one with the id. Or one within a caller's reach. */
export type ChannelQuery =
  | {
      readonly within: string
      readonly limit: number
      /** The last id of the page before; null for the first page. */
      readonly afterId: string | null
    }
  | { readonly within: string | Reach; readonly channelId: string }

/** What an update replaces. Members that are absent stay. */
export interface StoredChannelChange {
  readonly name?: string | undefined
  readonly config?: StoredChannel['config'] | undefined
  /** By member of the configuration: sealed; null removes one, and members that are absent stay. */
  readonly secrets?: Readonly<Record<string, string | null>> | undefined
  readonly events?: StoredChannel['events'] | undefined
}

/**
 * The notification channels that users set up. Each is a target of `NotificationStore`, which claims and settles what it receives.
 * Each verb is atomic.
 */
export interface ChannelStore<Tx = unknown> {
  /**
   * Adds a channel, which starts at the present end of its workspace's log.
   * @throws TaskboardError `NOT_FOUND` for an unknown workspace; `CONFLICT` for an idempotency key that was used with another
   *   fingerprint.
   */
  insertChannel(
    insertion: { readonly channel: NewStoredChannel; readonly idempotency: IdempotencyClaim | null },
    call: CallContext<Tx>,
  ): Promise<Created<StoredChannel>>
  /**
   * The channels that a query selects, by id, which is the order of their creation. Empty for an id or a workspace that doesn't exist,
   * and for one beyond reach at the same cost.
   */
  listChannels(query: ChannelQuery, call: CallContext<Tx>): Promise<readonly StoredChannel[]>
  /**
   * Changes one channel. Clears its failures, so that it is due immediately unless it is claimed. Its position stays.
   * @throws TaskboardError `NOT_FOUND` when the workspace has none with that id.
   */
  updateChannel(
    update: {
      readonly workspaceId: string
      readonly channelId: string
      readonly change: StoredChannelChange
    },
    call: CallContext<Tx>,
  ): Promise<StoredChannel>
  /** Deletes a channel with its position; a claim on it is lost. Returns false when the workspace has none with that id. */
  deleteChannel(
    named: { readonly workspaceId: string; readonly channelId: string },
    call: CallContext<Tx>,
  ): Promise<boolean>
}
