import { currentPayloadVersion } from '@taskboard/core/storage'
import { expectFew } from '../connection/statement.js'
import { targetJson } from './target-json.js'

/** The columns of a `LoggedEvent`. `alias` names the table or expression. */
export function eventColumns(alias: string): string {
  const a = alias
  return `${a}.type, ${a}.data, ${a}.id, ${a}.workspace_id as "workspaceId", ${a}.seq::float8, ${a}.at::float8,
    ${a}.payload_version as "payloadVersion"`
}

/**
 * The delivery of event `e` to webhook `w` is stored as skipped when the webhook is disabled or `unsent` is true. `bounds` is what may be
 * claimed of the others: JSON of `NewDeliveryBounds`, or null. In order, with an example row of each:
 *
 * | name | columns | example | why |
 * | --- | --- | --- | --- |
 * | `log_place` | `workspace_id, n, at, types, data, base, feed_xid` | `ws_1, 2, …, {task.completed, task.started}, …, 40, 77` | the events of each workspace, and the number before their first |
 * | `logged` | the columns of `event_batch` | `ws_1, 41, 42, …` | writes them, one row for each workspace |
 * | `delivery` | `id, webhook_id, …, seq, is_due` | `evt_1, wh_1, …, 41, true` | one for each event and webhook that subscribes to it |
 * | `bounds` | `v, claim_ms` | `{"limit": 100, …}, 120000` | no row when nothing may be claimed |
 * | `own_delivery` | `id, claim_ms` | `evt_1, 120000` | those that this process sends |
 * | `sent` | the columns of `due_delivery` | `evt_1, …` | writes those to send, with claims on its own |
 * | `skipped` | none | | writes the others as ended |
 */
function logAndSend(unsent: string, bounds: string): string {
  return /* sql */ `logged as (
    insert into taskboard.event_batch (workspace_id, first_seq, last_seq, feed_xid, at, payload_version, stem, types, data)
    select p.workspace_id, p.base + 1, p.base + p.n, p.feed_xid, p.at, ${currentPayloadVersion}, gen_random_uuid(), p.types, p.data
    from log_place p
    returning *
  ),
  delivery as materialized (
    select taskboard.new_id('evt', e.at) as id, w.id as webhook_id, e.workspace_id,
      (select o.account_id from taskboard.workspace o where o.id = e.workspace_id) as account_id, e.at, e.seq,
      w.enabled and not (${unsent}) as is_due
    from logged b cross join lateral (
        ${expectFew('select * from taskboard.webhook where workspace_id = b.workspace_id')}
      ) w cross join lateral (
        select b.workspace_id, b.at, n.*
        from taskboard.events_in(b.first_seq, b.stem, b.types, b.data) n where n.type = any (w.events)
      ) e
  ),
  bounds as (select b.v, (b.v ->> 'claimMs')::bigint as claim_ms from (select ${bounds}::jsonb as v) b where b.v is not null),
  -- Those that this process sends itself.
  own_delivery as materialized (
    select d.id, b.claim_ms
    from bounds b cross join (
      select *, row_number() over (partition by webhook_id order by seq) as nth from delivery where is_due
    ) d
    where d.nth <= (b.v ->> 'perWebhook')::integer
      and not b.v -> 'excludeWebhookIds' ? d.webhook_id and not b.v -> 'excludeAccountIds' ? d.account_id
    order by d.seq limit (select (v ->> 'limit')::integer from bounds)
  ),
  sent as (
    insert into taskboard.due_delivery (
      id, webhook_id, workspace_id, account_id, created_at, seq, next_attempt_at, planned_at, claim_token
    )
    select d.id, d.webhook_id, d.workspace_id, d.account_id, d.at, d.seq, d.at + coalesce(o.claim_ms, 0),
      case when o.id is not null then d.at end, case when o.id is not null then gen_random_uuid()::text end
    from delivery d left join own_delivery o on o.id = d.id where d.is_due
    returning *
  ),
  skipped as (
    insert into taskboard.ended_delivery (id, webhook_id, workspace_id, status, created_at, seq, attempt_count, attempts)
    select d.id, d.webhook_id, d.workspace_id, 'skipped', d.at, d.seq, 0, '[]' from delivery d where not d.is_due
  )`
}

/** The events in `logged`. */
export const LOGGED_EVENTS = /* sql */ `
      select b.workspace_id, b.at, b.payload_version, e.* from logged b
        cross join lateral taskboard.events_in(b.first_seq, b.stem, b.types, b.data) e`

/** The `AddedDeliveries` that a statement with bounds has claimed; null for none. */
export const NEW_DELIVERIES = /* sql */ `(
    select jsonb_build_object(
      'deliveries', jsonb_agg(jsonb_build_array(s.id, s.webhook_id, s.workspace_id, s.seq, s.claim_token)),
      'targets', (
        select jsonb_agg(${targetJson('w', 'p.now')}) from p, taskboard.webhook w
        where w.id = any (array(select webhook_id from sent where claim_token is not null))
      ),
      'events', (
        select jsonb_agg(${eventJson('e')}) from (${LOGGED_EVENTS}) e
        where (e.workspace_id, e.seq) in (select workspace_id, seq from sent where claim_token is not null)
      ))
    from sent s where s.claim_token is not null having count(*) > 0
  )`

const EVENTS_IN_ORDER = /* sql */ `count(*) as n, max(at) as at, array_agg(type order by ord) as types, array_agg(data order by ord) as data`

/**
 * The part of a writing statement that logs events. Its common table expressions read `draft` (workspace_id, ord, type, data, at): the
 * events in order. `ord` counts within the statement; `at` is the same for all. They leave `logged`, the written rows of
 * `taskboard.event_batch`. Each webhook that subscribes to an event gets a delivery of it: due immediately, or skipped while the webhook is
 * disabled.
 *
 * The rows of `workspace_log` are locked until the commit, in the order of their ids. Lock them last: after tasks.
 */
export const LOG_EVENTS = logEventsBut('false')

/** The same, with claims within `bounds`: see `NEW_DELIVERIES`. */
export const logAndClaim = (bounds: string): string => logEventsBut('false', bounds)

/**
 * The same in a statement that also disables webhooks. It would still see them enabled, so `unsent` selects the deliveries to
 * skip: a condition on event `e` and webhook `w`.
 */
export function logEventsBut(unsent: string, bounds = 'null'): string {
  return /* sql */ `
  log_place as materialized (
    select s.*, p.base, p.feed_xid
    from (select workspace_id, ${EVENTS_IN_ORDER} from draft group by workspace_id order by workspace_id) s
      cross join lateral taskboard.take_numbers(s.workspace_id, s.n) p
  ),
  ${logAndSend(unsent, bounds)}`
}

/** `logAndClaim` when all events in `draft` are of one workspace, whose id is `workspace`. */
export const logAndClaimOf = (workspace: string, bounds: string): string => /* sql */ `
  log_place as materialized (
    select ${workspace} as workspace_id, s.*, p.base, p.feed_xid
    from (select ${EVENTS_IN_ORDER} from draft) s cross join lateral taskboard.take_numbers(${workspace}, s.n) p
    where s.n > 0
  ),
  ${logAndSend('false', bounds)}`

/** An event's row as the JSON of a `LoggedEvent`. */
export function eventJson(alias: string): string {
  return `jsonb_build_object('type', ${alias}.type, 'data', ${alias}.data, 'id', ${alias}.id,
      'workspaceId', ${alias}.workspace_id, 'seq', ${alias}.seq, 'at', ${alias}.at, 'payloadVersion', ${alias}.payload_version)`
}
