import * as z from 'zod'
import type { Environment, InTransaction, OnRecord } from '../environment/index.js'
import { parseInput, TaskboardError } from '../errors/index.js'
import type { NotificationStore, NotificationTarget } from './notification-store.js'
import { channelsByName, type NotificationChannel } from './notification-channel.js'
import { plainJsonObject } from './plain-json.js'

export interface NotificationsDeps<Tx> {
  readonly environment: Environment
  readonly store: NotificationStore<Tx>
  readonly channels: readonly NotificationChannel[]
}

/** The notification channels of each workspace. */
export interface Notifications<Tx = unknown> {
  /**
   * Adds a registered channel to a workspace, or changes its settings. Settings are names and texts, and are listed unchanged: put
   * secrets into the channel itself.
   * @throws TaskboardError `INVALID_FIELD` for `channel` (no such one) or `settings`.
   */
  configure(
    workspaceId: string,
    channel: string,
    settings: NotificationTarget['settings'],
    options?: OnRecord<Tx>,
  ): Promise<void>
  /** Removes it. Resolves to false when the workspace didn't use the channel. */
  remove(workspaceId: string, channel: string, options?: OnRecord<Tx>): Promise<boolean>
  list(workspaceId: string, options?: InTransaction<Tx>): Promise<readonly NotificationTarget[]>
}

const settingsInput = z.object({
  settings: z
    .record(z.string().min(1).max(100), z.string({ error: 'must be text' }).max(2_000))
    .refine((settings) => Object.keys(settings).length <= 50, 'must have at most 50 entries'),
})

export function createNotifications<Tx>(deps: NotificationsDeps<Tx>): Notifications<Tx> {
  const { environment, store } = deps
  const channels = channelsByName(deps.channels)
  return {
    async configure(workspaceId, channel, settings, options = {}) {
      if (!channels.has(channel)) {
        throw new TaskboardError('INVALID_FIELD', 'channel must be one that the host registered', {
          field: 'channel',
        })
      }
      const target = parseInput(settingsInput, { settings: plainJsonObject(settings, 'settings') })
      const call = environment.call(options)
      await store.setTarget({ workspaceId, channel, settings: target.settings }, call)
    },
    remove(workspaceId, channel, options = {}) {
      const call = environment.call(options)
      return store.setTarget({ workspaceId, channel, settings: null }, call)
    },
    list: (workspaceId, options) => store.listTargets({ workspaceId }, environment.call(options)),
  }
}
