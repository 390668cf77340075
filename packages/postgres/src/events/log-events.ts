import { currentPayloadVersion } from '@taskboard/core/storage'
import { expectFew } from '../connection/statement.js'

/** The columns of a `LoggedEvent`. `alias` names the table or expression. */
export function eventColumns(alias: string): string {
  const a = alias
  return `${a}.type, ${a}.data, ${a}.id, ${a}.workspace_id as "workspaceId", ${a}.seq::float8, ${a}.at::float8,
    ${a}.payload_version as "payloadVersion"`
}

/**
 * Reads `log_place`, the events of each workspace and where they begin. The delivery of event `e` to webhook `w` is stored as skipped
 * when the webhook is disabled or `unsent` is true.
 */
function logAndSend(unsent: string): string {
  return /* sql */ `logged as (
    insert into taskboard.event_batch (workspace_id, first_seq, last_seq, feed_xid, at, payload_version, stem, types, data)
    select p.workspace_id, p.base + 1, p.base + p.n, p.feed_xid, p.at, ${currentPayloadVersion}, gen_random_uuid(), p.types, p.data
    from log_place p
    returning *
  ),
  sent as (
    insert into taskboard.delivery (id, webhook_id, workspace_id, account_id, event, status, next_attempt_at, created_at)
    select taskboard.new_id('evt', e.at), w.id, e.workspace_id,
      (select o.account_id from taskboard.workspace o where o.id = e.workspace_id), ${eventJson('e')},
      case when s.is_due then 'pending' else 'skipped' end, case when s.is_due then e.at end, e.at
    from logged b cross join lateral (
        ${expectFew('select * from taskboard.webhook where workspace_id = b.workspace_id')}
      ) w cross join lateral (
        select b.workspace_id, b.at, b.payload_version, n.*
        from taskboard.events_in(b.first_seq, b.stem, b.types, b.data) n where n.type = any (w.events)
      ) e cross join lateral (select w.enabled and not (${unsent}) as is_due) s
  )`
}

/** The events in `logged`. */
export const LOGGED_EVENTS = /* sql */ `
      select b.workspace_id, b.at, b.payload_version, e.* from logged b
        cross join lateral taskboard.events_in(b.first_seq, b.stem, b.types, b.data) e`

const EVENTS_IN_ORDER = /* sql */ `count(*) as n, max(at) as at, array_agg(type order by ord) as types, array_agg(data order by ord) as data`

/**
 * The part of a writing statement that logs events: common table expressions that read `draft` (workspace_id, ord, type, data,
 * at: the events in order, `ord` counts within the statement; `at` is the same for all) and leave `logged`, the written rows of
 * `taskboard.event_batch`. Each webhook that subscribes to an event gets a delivery of it: due at once, or skipped while the webhook is
 * disabled.
 *
 * The rows of `workspace_log` are locked until the commit, in the order of their ids. Lock them last: after tasks.
 */
export const LOG_EVENTS = logEventsBut('false')

/**
 * The same in a statement that also disables webhooks. It would still see them enabled, so `unsent` selects the deliveries to
 * skip: a condition on event `e` and webhook `w`.
 */
export function logEventsBut(unsent: string): string {
  return /* sql */ `
  log_place as materialized (
    select s.*, p.base, p.feed_xid
    from (select workspace_id, ${EVENTS_IN_ORDER} from draft group by workspace_id order by workspace_id) s
      cross join lateral taskboard.take_numbers(s.workspace_id, s.n) p
  ),
  ${logAndSend(unsent)}`
}

/** The same when all events in `draft` are of one workspace, whose id is `workspace`. */
export const logEventsOf = (workspace: string): string => /* sql */ `
  log_place as materialized (
    select ${workspace} as workspace_id, s.*, p.base, p.feed_xid
    from (select ${EVENTS_IN_ORDER} from draft) s cross join lateral taskboard.take_numbers(${workspace}, s.n) p
    where s.n > 0
  ),
  ${logAndSend('false')}`

/** An event's row as the JSON of a `LoggedEvent`. */
export function eventJson(alias: string): string {
  return `jsonb_build_object('type', ${alias}.type, 'data', ${alias}.data, 'id', ${alias}.id,
      'workspaceId', ${alias}.workspace_id, 'seq', ${alias}.seq, 'at', ${alias}.at, 'payloadVersion', ${alias}.payload_version)`
}
