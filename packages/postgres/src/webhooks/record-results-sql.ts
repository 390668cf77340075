/**
 * The part of a statement that writes back results: reads `p` (now), $2 (for how long nothing but failures disables a webhook)
 * and $3 (results as JSON), and leaves `draft` behind, the alerts to log.
 *
 * Deliveries are locked in the order of their ids, then webhooks: only those that change, and in a way that lets their
 * deliveries be added meanwhile, since whoever adds them has locked the log that comes next here.
 */
export const RECORD_RESULTS = /* sql */ `
  result as materialized (
    select distinct on (delivery_id, claim_token) *
    from jsonb_to_recordset($3::jsonb) as r (
      ord integer, delivery_id text, claim_token text, kind text, retry_at bigint, attempt_at bigint, attempt jsonb
    )
    order by delivery_id, claim_token, ord
  ),
  held as materialized (
    select r.*, d.webhook_id
    from result r join taskboard.delivery d on d.id = r.delivery_id and d.claim_token = r.claim_token, p
    where d.status = 'pending' and d.next_attempt_at > p.now
    order by d.id for update of d
  ),
  recorded as (
    update taskboard.delivery d set
      status = case h.kind when 'retry' then 'pending' when 'succeeded' then 'succeeded' else 'failed' end,
      attempt_count = d.attempt_count + 1,
      attempts = case when jsonb_array_length(d.attempts) >= 100 then d.attempts - 0 else d.attempts end
        || jsonb_build_array(h.attempt),
      next_attempt_at = h.retry_at, claim_token = null, planned_at = null
    from held h where d.id = h.delivery_id
  ),
  judged as materialized (
    select w.id
    from held h join taskboard.webhook w on w.id = h.webhook_id, p
    group by w.id, p.now
    having case when w.failing_since is null then bool_or(h.kind <> 'succeeded')
      else bool_or(h.kind = 'succeeded')
        or (w.enabled and (bool_or(h.kind = 'gone') or p.now - w.failing_since >= $2::bigint)) end
  ),
  locked as materialized (
    select w.id, w.enabled, w.failing_since from taskboard.webhook w
    where w.id = any (array(select id from judged)) order by w.id for no key update
  ),
  -- Each success begins a new run of failures; those before the first one go on with the run that was.
  run as materialized (
    select l.id, h.ord, h.kind, h.attempt_at, l.failing_since,
      count(*) filter (where h.kind = 'succeeded') over (partition by l.id order by h.ord) as place
    from held h join locked l on l.id = h.webhook_id
  ),
  failure as materialized (
    select id, ord, kind, place, coalesce(
      case when place = 0 then failing_since end,
      first_value(attempt_at) over (partition by id, place order by ord)) as since
    from run where kind <> 'succeeded'
  ),
  fault as materialized (
    select distinct on (f.id) f.id, f.ord, case f.kind when 'gone' then 'gone' else 'failing' end as reason
    from failure f, p where f.kind = 'gone' or p.now - f.since >= $2::bigint
    order by f.id, f.ord
  ),
  verdict as materialized (
    select l.id, f.ord, case when l.enabled then f.reason end as reason, (
      select min(e.since) from failure e
      where e.id = l.id and e.place = (select max(r.place) from run r where r.id = l.id)
    ) as failing_since
    from locked l left join fault f on f.id = l.id
  ),
  changed as (
    update taskboard.webhook w set
      failing_since = v.failing_since, updated_at = p.now,
      enabled = w.enabled and v.reason is null, disabled_reason = coalesce(v.reason, w.disabled_reason)
    from verdict v, p where w.id = v.id
    returning w.id, w.workspace_id, w.url, w.updated_at, v.ord, v.reason
  ),
  -- What comes after the path of an address may be a secret of the receiver's.
  draft as (
    select workspace_id, ord, 'agent.alert' as type, updated_at as at, jsonb_build_object(
      'message', case reason
        when 'gone' then 'A webhook was disabled: its endpoint says that it is gone for good.'
        else 'A webhook was disabled: every delivery to it has failed for too long.' end,
      'webhookId', id, 'url', regexp_replace(url, '[?#].*$', ''), 'reason', reason) as facts
    from changed where reason is not null
  )`
