import { TaskboardError, type NotificationTarget } from '@taskboard/core'
import type {
  CallContext,
  LoggedEvent,
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  StoredChannel,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { eventJson } from './log-events.js'

interface ClaimedRow {
  readonly nextDueInMs: number | null
  /** Null in the one row of a claim that found nothing. */
  readonly target: NotificationTarget | null
  readonly claimToken: string | null
  /** Null when the unread events have been pruned: the target then counts as read. */
  readonly events: readonly LoggedEvent[] | null
  /** Of a channel that a user set up. */
  readonly userChannel?: StoredChannel | null
}

/** The JSON of a `StoredChannel`. `alias` names the table. */
function channelJson(alias: string): string {
  const a = alias
  return `jsonb_build_object('id', ${a}.id, 'workspaceId', ${a}.workspace_id, 'type', ${a}.type, 'name', ${a}.name,
      'config', ${a}.config, 'secrets', ${a}.secrets, 'events', ${a}.events, 'failures', ${a}.failures,
      'failingSince', ${a}.failing_since, 'lastError', ${a}.last_error, 'lastDeliveredAt', ${a}.last_delivered_at,
      'createdAt', ${a}.created_at, 'updatedAt', ${a}.updated_at)`
}

/** The maximum of targets that one claim puts to rest. */
const MOST_RESTED = 1_000

/**
 * Present, channels, limit, events of each target, claim's length.
 *
 * A target that has read everything rests: claims skip it until the next event of its workspace. Both this statement and the
 * event's writer lock the log. Locked rows are left to the next claim, so nothing waits here. Each log is looked up on its own,
 * because few are expected.
 */
const claimSql = (isServed: string, userChannel: string): string => /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  due_target as materialized (
    select t.workspace_id, t.channel, t.read_through_seq, t.due_at, l.last_seq
    from taskboard.notification_target t cross join lateral (
      select l.last_seq from taskboard.workspace_log l where l.workspace_id = t.workspace_id limit 1
    ) as l
    where ${isServed} and not t.rests and t.due_at <= (select now from p) and t.due_at > -1
      and l.last_seq > t.read_through_seq
    order by t.due_at, t.workspace_id, t.channel limit $3::integer
    for update of t skip locked
  ),
  target_events as materialized (
    select d.*, (
      select jsonb_agg(${eventJson('e')} order by e.seq) from (
        select * from taskboard.event
        where workspace_id = d.workspace_id and last_seq > d.read_through_seq and seq > d.read_through_seq
        order by last_seq, nth limit $4::integer
      ) e
    ) as events
    from due_target d
  ),
  claimed as (
    update taskboard.notification_target t set
      read_through_seq = case when b.events is null then b.last_seq else t.read_through_seq end,
      due_at = case when b.events is null then t.due_at else p.now + $5::bigint end,
      claim_token = case when b.events is null then null else gen_random_uuid()::text end
    from target_events b, p where t.workspace_id = b.workspace_id and t.channel = b.channel
    returning t.*, b.events, b.due_at as was_due_at
  ),
  idle_target as materialized (
    select t.workspace_id, t.channel
    from taskboard.notification_target t join taskboard.workspace_log l on l.workspace_id = t.workspace_id
    where ${isServed} and not t.rests and t.claim_token is null and l.last_seq <= t.read_through_seq
    order by t.due_at limit ${MOST_RESTED}
    for update of l, t skip locked
  ),
  rested as (
    update taskboard.notification_target t set rests = true
    from idle_target i where t.workspace_id = i.workspace_id and t.channel = i.channel
  ),
  flagged as (
    update taskboard.workspace_log l set has_resting = true
    where l.workspace_id = any (array(select workspace_id from idle_target))
  ),
  next_due as (
    select least(
      (select min(due_at) from claimed where events is not null),
      (select t.due_at
        from taskboard.notification_target t cross join lateral (
          select l.last_seq from taskboard.workspace_log l where l.workspace_id = t.workspace_id limit 1
        ) as l
        where ${isServed} and not t.rests and l.last_seq > t.read_through_seq
          and (t.workspace_id, t.channel) not in (select workspace_id, channel from due_target)
        order by t.due_at limit 1)
    ) as at
  )
  select (n.at - least(n.at, (select now from p)))::float8 as "nextDueInMs", c.claim_token as "claimToken", c.events,
    case when c.channel is not null then jsonb_build_object(
      'workspaceId', c.workspace_id, 'channel', c.channel, 'settings', c.settings) end as target${userChannel}
  from next_due n left join claimed c on true
  order by c.was_due_at, c.workspace_id, c.channel`

const claimTargets = statement<ClaimedRow>(
  'claim_notifications',
  claimSql('t.channel = any ($2::text[]) and t.type is null', ''),
)

/** Types instead of channels, and whether they fail. */
const claimUserTargets = statement<ClaimedRow>(
  'claim_user_notifications',
  claimSql(
    't.type = any ($2::text[]) and t.failing = $6::boolean',
    `, (
    select ${channelJson('u')} from taskboard.notification_channel u where u.id = c.channel_id
  ) as "userChannel"`,
  ),
)

/** `NotificationStore.claimNotifications`. */
async function claimNotifications(
  database: Database,
  {
    channels,
    users,
    limit,
    eventsPerTarget,
    claimMs,
  }: Parameters<NotificationStore['claimNotifications']>[0],
  call: CallContext<PgConnection>,
): Promise<NotificationClaim> {
  const batches: NotificationBatch[] = []
  for (;;) {
    const requested = limit - batches.length
    const terms = [requested, eventsPerTarget, claimMs]
    // Does not signal a commit: nothing waits for a claim, and claimers would wake themselves.
    const rows =
      users === undefined
        ? await database.read(call, claimTargets, [call.now, channels, ...terms])
        : await database.read(call, claimUserTargets, [call.now, users.types, ...terms, users.failing])
    for (const row of rows) if (isBatch(row)) batches.push(toBatch(row))
    const isAnyPassedOver = rows.some((row) => row.target !== null && row.events === null)
    if (!isAnyPassedOver || batches.length >= limit) {
      return { batches, nextDueInMs: rows[0]?.nextDueInMs ?? null }
    }
  }
}

type BatchRow = ClaimedRow & {
  readonly [Member in 'target' | 'events' | 'claimToken']: NonNullable<ClaimedRow[Member]>
}

function isBatch(row: ClaimedRow): row is BatchRow {
  return row.target !== null && row.events !== null && row.claimToken !== null
}

function toBatch({ target, events, claimToken, userChannel }: BatchRow): NotificationBatch {
  return { ...target, events, claimToken, ...(userChannel && { userChannel }) }
}

const remove = statement<object>(
  'delete_notification_target',
  /* sql */ `
  delete from taskboard.notification_target where workspace_id = $1::text and channel = $2::text
  returning true as "isGone"`,
)

/** `NotificationStore.setTarget` without settings. */
async function deleteTarget(
  database: Database,
  workspaceId: string,
  channel: string,
  call: CallContext<PgConnection>,
): Promise<boolean> {
  const gone = await database.write(call, remove, [workspaceId, channel])
  return gone.length > 0
}

const targetsOfWorkspace = statement<NotificationTarget>(
  'list_notification_targets',
  /* sql */ `
  select workspace_id as "workspaceId", channel, settings from taskboard.notification_target
  where workspace_id = $1::text and type is null order by channel collate "C"`,
)

/** `NotificationStore.listTargets`. */
function listTargets(
  database: Database,
  workspaceId: string,
  call: CallContext<PgConnection>,
): Promise<readonly NotificationTarget[]> {
  return database.read(call, targetsOfWorkspace, [workspaceId])
}

const save = statement<object>(
  'save_notification_target',
  /* sql */ `
  insert into taskboard.notification_target (workspace_id, channel, settings, read_through_seq, due_at)
  select l.workspace_id, $3::text, $4::jsonb, l.last_seq, coalesce($1::bigint, taskboard.now_ms())
  from taskboard.workspace_log l where l.workspace_id = $2::text
  on conflict (workspace_id, channel) do update set settings = excluded.settings
  returning true as "isSaved"`,
)

/** `NotificationStore.setTarget` with settings. */
async function saveTarget(
  database: Database,
  { workspaceId, channel, settings }: NotificationTarget,
  call: CallContext<PgConnection>,
): Promise<true> {
  const saved = await database.write(call, save, [call.now, workspaceId, channel, JSON.stringify(settings)])
  if (saved.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return true
}

/** An expired claim is lost, even if no other one took it over. */
const settle = statement<object>(
  'settle_notifications',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.notification_target t
  set read_through_seq = $5::bigint, due_at = p.now + coalesce($6::bigint, 0), claim_token = null
  from p
  where t.workspace_id = $2::text and t.channel = $3::text and t.claim_token = $4::text and t.due_at > p.now
  returning true as "isSettled"`,
)

/** The same with the health of a user's channel: consecutive failures, the error, whether anything was sent. */
const settleWithHealth = statement<object>(
  'settle_user_notifications',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  settled as (
    update taskboard.notification_target t set
      read_through_seq = $5::bigint, due_at = p.now + coalesce($6::bigint, 0), claim_token = null,
      failing = $7::integer > 0
    from p
    where t.workspace_id = $2::text and t.channel = $3::text and t.claim_token = $4::text and t.due_at > p.now
    returning t.channel_id
  ),
  noted as (
    update taskboard.notification_channel c set
      failures = $7::integer,
      failing_since = case
        when $7::integer = 0 then null
        when $9::boolean then p.now
        else coalesce(c.failing_since, p.now) end,
      last_error = $8::text,
      last_delivered_at = case when $9::boolean then p.now else c.last_delivered_at end
    from p, settled s where c.id = s.channel_id and c.workspace_id = $2::text
  )
  select true as "isSettled" from settled`,
)

/** `NotificationStore.settleNotifications`. */
async function settleNotifications(
  database: Database,
  result: Parameters<NotificationStore['settleNotifications']>[0],
  call: CallContext<PgConnection>,
): Promise<boolean> {
  const { workspaceId, channel, claimToken, readThroughSeq, retryInMs, health } = result
  const values = [call.now, workspaceId, channel, claimToken, readThroughSeq, retryInMs]
  const settled =
    health === undefined
      ? await database.write(call, settle, values)
      : await database.write(call, settleWithHealth, [
          ...values,
          health.failures,
          health.error,
          health.isSent,
        ])
  return settled.length > 0
}

/** Channels and the position up to which they have read the log. */
export function createNotificationStore(database: Database): NotificationStore<PgConnection> {
  return {
    setTarget: ({ workspaceId, channel, settings }, call) =>
      settings === null
        ? deleteTarget(database, workspaceId, channel, call)
        : saveTarget(database, { workspaceId, channel, settings }, call),
    listTargets: ({ workspaceId }, call) => listTargets(database, workspaceId, call),
    claimNotifications: (request, call) => claimNotifications(database, request, call),
    settleNotifications: (result, call) => settleNotifications(database, result, call),
  }
}
