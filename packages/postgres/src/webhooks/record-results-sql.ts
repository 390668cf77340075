/**
 * The part of a statement that writes back results: reads `p` (now), $2 (for how long nothing but failures disables a webhook)
 * and $3 (results as JSON, with how long ago they were), and leaves `draft` behind, the alerts to log.
 *
 * Deliveries are locked in the order of their ids, then webhooks: only those that change, and in a way that lets their
 * deliveries be added meanwhile, since whoever adds them has locked the log that comes next here.
 */
export const RECORD_RESULTS = /* sql */ `
  result as materialized (
    select distinct on (r.delivery_id, r.claim_token) r.ord, r.delivery_id, r.claim_token, r.url, r.kind, r.attempt,
      p.now - r.ended_ms_ago - r.duration_ms as attempt_at, p.now - r.ended_ms_ago + r.delay_ms as retry_at
    from p, jsonb_to_recordset($3::jsonb) as r (
      ord integer, delivery_id text, claim_token text, url text, kind text, delay_ms bigint, ended_ms_ago bigint,
      duration_ms bigint, attempt jsonb
    )
    order by r.delivery_id, r.claim_token, r.ord
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
        || jsonb_build_array(h.attempt || jsonb_build_object('at', h.attempt_at)),
      next_attempt_at = h.retry_at, claim_token = null, planned_at = null
    from held h where d.id = h.delivery_id
  ),
  judged as materialized (
    select w.id
    from held h join taskboard.webhook w on w.id = h.webhook_id and w.url = h.url, p
    group by w.id, p.now
    having case when w.failing_since is null then bool_or(h.kind <> 'succeeded')
      else bool_or(h.kind = 'succeeded')
        or (w.enabled and (bool_or(h.kind = 'gone') or p.now - w.failing_since >= $2::bigint)) end
  ),
  -- Each result beside its webhook: joined only by index, as nothing is known here of how many rows there are.
  locked as materialized (
    select w.id, w.enabled, w.failing_since, h.ord, h.kind, h.attempt_at
    from held h join taskboard.webhook w on w.id = h.webhook_id and w.url = h.url
    where w.id = any (array(select id from judged)) order by w.id for no key update of w
  ),
  -- Each success begins a new run of failures; those before the first one go on with the run that was.
  run as (
    select *, count(*) filter (where kind = 'succeeded') over (partition by id order by ord) as place,
      count(*) filter (where kind = 'succeeded') over (partition by id) as last_place
    from locked
  ),
  streak as (
    select r.*, r.kind <> 'succeeded' as is_failure, coalesce(case when r.place = 0 then r.failing_since end,
      first_value(r.attempt_at) over (partition by r.id, r.place order by r.kind = 'succeeded', r.ord)) as since
    from run r
  ),
  verdict as materialized (
    select s.id, min(s.since) filter (where s.is_failure and s.place = s.last_place) as failing_since,
      min(s.ord) filter (where s.is_fatal) as ord,
      (array_agg(case s.kind when 'gone' then 'gone' else 'failing' end order by s.ord)
        filter (where s.is_fatal))[1] as reason
    from (
      select k.*, k.enabled and k.is_failure and (k.kind = 'gone' or p.now - k.since >= $2::bigint) as is_fatal
      from streak k, p
    ) s
    group by s.id
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
