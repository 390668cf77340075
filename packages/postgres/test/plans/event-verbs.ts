import type { Storage } from '@taskboard/core'
import type { NotificationBatch, NotificationClaim, NotificationStore } from '@taskboard/core/storage'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW } from './large-board.js'

const at = { now: NOW }
/** The feed looks up its database here. The server's choice of plan depends on the number of databases. */
const scans = ['pg_database']

const claim = { limit: 20, eventsPerTarget: 20, claimMs: 60_000 }

const claimOfUsers = (notifications: NotificationStore<PgConnection>): Promise<NotificationClaim> =>
  notifications.claimNotifications({ channels: [], users: { types: ['chat'], failing: false }, ...claim }, at)

/** The calls of listeners of the log and of channels. */
export function eventVerbs({ events, notifications }: Storage<PgConnection>): readonly HotVerb[] {
  let position = ''
  let batches: readonly NotificationBatch[] = []
  const claimNotifications = async (): Promise<void> => {
    ;({ batches } = await notifications.claimNotifications({ channels: ['chat'], ...claim }, at))
  }
  return [
    {
      name: 'feed end',
      scans: ['workspace_log'],
      most: { rows: 20_000, pages: 1_000 },
      run: async () => {
        position = await events.feedEnd({ after: null }, { now: null })
      },
    },
    {
      name: 'feed, nothing new',
      indexes: ['event_batch_feed'],
      scans,
      run: () => events.readFeed({ position, limit: 500 }, { now: null }),
    },
    { name: 'notifications, nothing new', indexes: ['notification_due'], run: claimNotifications },
    {
      name: 'channels of users, nothing new',
      indexes: ['notification_type_due'],
      run: () => claimOfUsers(notifications),
    },
    {
      name: 'append an event',
      run: () =>
        events.appendEvent(
          { workspaceId: HUGE, event: { type: 'order.new', data: { source: 'shop', data: {} } } },
          at,
        ),
    },
    {
      name: 'feed, one skipped',
      indexes: ['event_batch_feed'],
      scans,
      run: () => events.feedEnd({ after: position }, { now: null }),
    },
    {
      name: 'feed, one new',
      indexes: ['event_batch_feed'],
      scans,
      run: () => events.readFeed({ position, limit: 500 }, { now: null }),
    },
    {
      name: 'feed, from the middle',
      indexes: ['event_batch_feed'],
      scans,
      most: { rows: 600, pages: 200 },
      run: () => events.readFeed({ position: '200/ws_1/1', limit: 500 }, { now: null }),
    },
    {
      name: 'events of a workspace',
      indexes: ['event_batch_pkey'],
      run: () => events.readEvents({ workspaceId: HUGE, afterSeq: 100_000, limit: 100 }, { now: null }),
    },
    {
      name: 'channels of users, one new',
      indexes: ['notification_type_due', 'event_batch_pkey'],
      run: () => claimOfUsers(notifications),
    },
    {
      name: 'notifications, one new',
      indexes: ['notification_due', 'event_batch_pkey'],
      run: claimNotifications,
    },
    {
      name: 'settle notifications',
      run: async () => {
        for (const { workspaceId, channel, claimToken } of batches) {
          const result = { workspaceId, channel, claimToken, readThroughSeq: 1e9, retryInMs: null }
          await notifications.settleNotifications(result, at)
        }
      },
    },
  ]
}
