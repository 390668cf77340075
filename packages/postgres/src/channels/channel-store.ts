import { TaskboardError, type Created, type IdempotencyClaim } from '@taskboard/core'
import type {
  CallContext,
  ChannelQuery,
  ChannelStore,
  NewStoredChannel,
  StoredChannel,
  StoredChannelChange,
} from '@taskboard/core/storage'
import { reachValues, withinReach } from '../database/reach.js'
import type { Database } from '../database/database.js'
import { once } from '../database/idempotency.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

/** The columns of a `StoredChannel`. `alias` names the table or expression. */
function channelColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${a}.type, ${a}.name, ${a}.config, ${a}.secrets, ${a}.events,
    ${a}.failures, ${a}.failing_since::float8 as "failingSince", ${a}.last_error as "lastError",
    ${a}.last_delivered_at::float8 as "lastDeliveredAt", ${a}.created_at::float8 as "createdAt",
    ${a}.updated_at::float8 as "updatedAt"`
}

const insert = statement<StoredChannel>(
  'insert_channel',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  added as (
    insert into taskboard.notification_channel as c
      (id, workspace_id, type, name, config, secrets, events, created_at, updated_at)
    select $2::text, w.id, $4::text, $5::text, $6::jsonb, $7::jsonb, $8::text[], p.now, p.now
    from p, taskboard.workspace w where w.id = $3::text
    returning c.*
  ),
  target as (
    insert into taskboard.notification_target
      (workspace_id, channel, settings, read_through_seq, due_at, channel_id, type)
    select l.workspace_id, a.id, '{}', l.last_seq, a.created_at, a.id, a.type
    from added a join taskboard.workspace_log l on l.workspace_id = a.workspace_id
  )
  select ${channelColumns('a')} from added a`,
)

/** `ChannelStore.insertChannel`. */
async function insertChannel(
  database: Database,
  { workspaceId, type, name, config, secrets, events }: NewStoredChannel,
  idempotency: IdempotencyClaim | null,
  call: CallContext<PgConnection>,
): Promise<Created<StoredChannel>> {
  const { now } = call
  const id = database.settings.current.newId('nch')
  const values = [now, id, workspaceId, type, name, JSON.stringify(config), JSON.stringify(secrets), events]
  if (idempotency === null) {
    return { value: insertedChannel(await database.write(call, insert, values)), replayed: false }
  }
  return database.atomically(call, (session) =>
    once(session, idempotency, now, async (same) => insertedChannel(await same.run(insert, values))),
  )
}

function insertedChannel([channel]: readonly StoredChannel[]): StoredChannel {
  if (channel === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return channel
}

const pageOfWorkspace = statement<StoredChannel>(
  'list_channels',
  /* sql */ `
  select ${channelColumns('c')} from taskboard.notification_channel c
  where c.workspace_id = $1::text and c.id > coalesce($2::text, '') order by c.id limit $3::integer`,
)

const channelById = statement<StoredChannel>(
  'get_channel',
  /* sql */ `
  select ${channelColumns('c')} from taskboard.notification_channel c
  where c.id = $2::text and c.workspace_id = $1::text`,
)

const channelWithinReach = statement<StoredChannel>(
  'find_channel',
  /* sql */ `
  select ${channelColumns('c')}
  from taskboard.notification_channel c join taskboard.workspace s on s.id = c.workspace_id
  where c.id = $1::text and ${withinReach('s', 2)}`,
)

/** `ChannelStore.listChannels`. */
function listChannels(
  database: Database,
  query: ChannelQuery,
  call: CallContext<PgConnection>,
): Promise<readonly StoredChannel[]> {
  if (!('channelId' in query)) {
    return database.read(call, pageOfWorkspace, [query.within, query.afterId, query.limit])
  }
  const { within, channelId } = query
  return typeof within === 'string'
    ? database.read(call, channelById, [within, channelId])
    : database.read(call, channelWithinReach, [channelId, ...reachValues(within)])
}

/** Locks the target first, as a claim's end does. */
const update = statement<StoredChannel>(
  'update_channel',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  target as materialized (
    select t.workspace_id, t.channel from taskboard.notification_target t
    where t.workspace_id = $2::text and t.channel = $3::text and t.type is not null for update
  ),
  due as (
    update taskboard.notification_target t set
      failing = false,
      due_at = case when t.claim_token is not null and t.due_at > p.now then t.due_at else p.now end
    from p, target l where t.workspace_id = l.workspace_id and t.channel = l.channel
  )
  update taskboard.notification_channel c set
    name = coalesce($4::text, c.name),
    config = coalesce($5::jsonb, c.config),
    secrets = jsonb_strip_nulls(c.secrets || coalesce($6::jsonb, '{}')),
    events = coalesce($7::text[], c.events),
    failures = 0, failing_since = null, last_error = null,
    updated_at = p.now
  from p, target l where c.id = l.channel and c.workspace_id = l.workspace_id
  returning ${channelColumns('c')}`,
)

/** `ChannelStore.updateChannel`. */
async function updateChannel(
  database: Database,
  workspaceId: string,
  channelId: string,
  { name, config, secrets, events }: StoredChannelChange,
  call: CallContext<PgConnection>,
): Promise<StoredChannel> {
  const [channel] = await database.write(call, update, [
    call.now,
    workspaceId,
    channelId,
    name ?? null,
    config === undefined ? null : JSON.stringify(config),
    secrets === undefined ? null : JSON.stringify(secrets),
    events ?? null,
  ])
  if (channel === undefined) throw new TaskboardError('NOT_FOUND', 'no such notification channel')
  return channel
}

const remove = statement<object>(
  'delete_channel',
  /* sql */ `
  with gone as (
    delete from taskboard.notification_target
    where workspace_id = $1::text and channel = $2::text and type is not null
    returning channel
  )
  delete from taskboard.notification_channel c
  where c.workspace_id = $1::text and c.id = $2::text and (select count(*) from gone) >= 0
  returning true as "isDeleted"`,
)

/** `ChannelStore.deleteChannel`. */
async function deleteChannel(
  database: Database,
  workspaceId: string,
  channelId: string,
  call: CallContext<PgConnection>,
): Promise<boolean> {
  const deleted = await database.write(call, remove, [workspaceId, channelId])
  return deleted.length > 0
}

/** The channels that users set up, each with a target. */
export function createChannelStore(database: Database): ChannelStore<PgConnection> {
  return {
    insertChannel: ({ channel, idempotency }, call) => insertChannel(database, channel, idempotency, call),
    listChannels: (query, call) => listChannels(database, query, call),
    updateChannel: ({ workspaceId, channelId, change }, call) =>
      updateChannel(database, workspaceId, channelId, change, call),
    deleteChannel: ({ workspaceId, channelId }, call) =>
      deleteChannel(database, workspaceId, channelId, call),
  }
}
