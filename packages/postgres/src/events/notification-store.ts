import type { NotificationStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { claimNotifications } from './claim-notifications.js'
import { deleteTarget } from './delete-target.js'
import { listTargets } from './list-targets.js'
import { saveTarget } from './save-target.js'
import { settleNotifications } from './settle-notifications.js'

/** Channels and the position up to which they have read the log. */
export function createNotificationStore(database: Database): NotificationStore<PgConnection> {
  return {
    setTarget: ({ workspaceId, channel, settings }, at) =>
      settings === null
        ? deleteTarget(database, workspaceId, channel, at)
        : saveTarget(database, { workspaceId, channel, settings }, at),
    listTargets: ({ workspaceId }, at) => listTargets(database, workspaceId, at),
    claimNotifications: (request, at) => claimNotifications(database, request, at),
    settleNotifications: (result, at) => settleNotifications(database, result, at),
  }
}
