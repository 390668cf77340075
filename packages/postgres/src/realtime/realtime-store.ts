import type { CallContext, LogEnd, LogEndQuery, RealtimeStore, SlotRequest } from '@taskboard/core/storage'
import { reachValues, withinReach } from '../database/reach.js'
import type { Database } from '../database/database.js'
import { statement } from '../connection/statement.js'

type Outcome = 'taken' | 'full' | 'lost'

const takeSlot = statement<{ readonly outcome: Outcome }>(
  'acquire_realtime_slot',
  /* sql */ `
  select taskboard.take_realtime_slot($1::text, $2::text, $3::text, $4::integer, $5::bigint) as outcome`,
)

/** Shortens leases that were granted before the clock stepped back. There is one for each process. */
const cutLeases = statement<never>(
  'cut_realtime_leases',
  /* sql */ `
  with p as materialized (select coalesce($2::bigint, taskboard.now_ms()) + $1::bigint as end_at)
  update taskboard.realtime_holder h set expires_at = p.end_at
  from p where h.expires_at > (select end_at from p)`,
)

/** `RealtimeStore.acquireSlot`. */
async function acquireSlot(
  database: Database,
  { slotId, accountId, holderId, limit, leaseMs }: SlotRequest,
  call: CallContext,
): Promise<Outcome> {
  const [row] = await database.read(null, takeSlot, [slotId, accountId, holderId, limit, call.now])
  if (row === undefined) throw new Error('the statement returned no outcome')
  if (row.outcome === 'full') await database.read(null, cutLeases, [leaseMs, call.now])
  return row.outcome
}

const endHolder = statement(
  'close_realtime_holder',
  /* sql */ `delete from taskboard.realtime_holder where id = $1::text`,
)

/** `RealtimeStore.releaseSlots` of a process. Its slots go with it. */
async function closeHolder(database: Database, holderId: string): Promise<void> {
  await database.read(null, endHolder, [holderId])
}

const newHolder = statement(
  'open_realtime_holder',
  /* sql */ `
  insert into taskboard.realtime_holder (id, expires_at)
  values ($1::text, coalesce($3::bigint, taskboard.now_ms()) + $2::bigint)`,
)

/** `RealtimeStore.leaseHolder` of a new lease. */
async function openHolder(
  database: Database,
  holderId: string,
  leaseMs: number,
  call: CallContext,
): Promise<true> {
  await database.read(null, newHolder, [holderId, leaseMs, call.now])
  return true
}

const logEnds = statement<LogEnd>('read_log_ends', endsOf(''))

/** A separate statement, whose plan begins with the one workspace for all values. */
const logEnd = statement<LogEnd>('read_log_end', endsOf('and w.id = $3::text'))

function endsOf(condition: string): string {
  return /* sql */ `
  select w.id as "workspaceId", l.last_seq::float8 as seq
  from taskboard.workspace w join taskboard.workspace_log l on l.workspace_id = w.id
  where ${withinReach('w', 1)} ${condition}
  order by w.id collate "C"`
}

/** `RealtimeStore.readLogEnds`. */
function readLogEnds(database: Database, { reach, workspaceId }: LogEndQuery): Promise<readonly LogEnd[]> {
  const values = reachValues(reach)
  if (workspaceId === null) return database.read(null, logEnds, values)
  return database.read(null, logEnd, [...values, workspaceId])
}

const freeSlots = statement(
  'release_realtime_slots',
  /* sql */ `delete from taskboard.realtime_slot where id = any ($1::text[])`,
)

/** `RealtimeStore.releaseSlots` by their ids. */
async function releaseSlots(database: Database, slotIds: readonly string[]): Promise<void> {
  await database.read(null, freeSlots, [slotIds])
}

const longerLease = statement<{ readonly id: string }>(
  'renew_realtime_holder',
  /* sql */ `
  with p as materialized (select coalesce($3::bigint, taskboard.now_ms()) as now)
  update taskboard.realtime_holder h set expires_at = p.now + $2::bigint
  from p where h.id = $1::text and h.expires_at > p.now
  returning h.id`,
)

/** `RealtimeStore.leaseHolder` of a lease to renew. */
async function renewHolder(
  database: Database,
  holderId: string,
  leaseMs: number,
  call: CallContext,
): Promise<boolean> {
  return (await database.read(null, longerLease, [holderId, leaseMs, call.now])).length > 0
}

/** Connections of the realtime channel across all processes. No one waits for its writes, so they signal no commit. */
export function createRealtimeStore(database: Database): RealtimeStore {
  return {
    leaseHolder: ({ holderId, leaseMs, step }, call) =>
      step === 'begin'
        ? openHolder(database, holderId, leaseMs, call)
        : renewHolder(database, holderId, leaseMs, call),
    acquireSlot: (request, call) => acquireSlot(database, request, call),
    releaseSlots: (release) =>
      'holderId' in release
        ? closeHolder(database, release.holderId)
        : releaseSlots(database, release.slotIds),
    readLogEnds: (query) => readLogEnds(database, query),
  }
}
