import type { AccessStore, SealedKind, SealedRow } from '@taskboard/core/storage'
import type { PgConnection } from '../connection/pool.js'
import { type Statement, statement } from '../connection/statement.js'
import type { Database } from '../database/database.js'

type Store = Pick<AccessStore<PgConnection>, 'listSealed' | 'replaceSealed'>

/** The id before, limit. */
const lists: Readonly<Record<SealedKind, Statement<SealedRow>>> = {
  webhook: statement<SealedRow>(
    'list_sealed_webhooks',
    /* sql */ `
  select h.id, h.workspace_id as "ownerId", (
    select jsonb_object_agg(s.ordinality::text, s.value ->> 'sealed')
    from jsonb_array_elements(h.secrets) with ordinality as s
  ) as texts
  from taskboard.webhook h
  where ($1::text is null or h.id > $1::text) and h.secrets <> '[]'::jsonb
  order by h.id limit $2::integer`,
  ),
  channel: statement<SealedRow>(
    'list_sealed_channels',
    /* sql */ `
  select c.id, c.workspace_id as "ownerId", c.secrets as texts
  from taskboard.notification_channel c
  where ($1::text is null or c.id > $1::text) and c.secrets <> '{}'::jsonb
  order by c.id limit $2::integer`,
  ),
  factor: statement<SealedRow>(
    'list_sealed_factors',
    /* sql */ `
  select u.id, u.id as "ownerId",
    jsonb_strip_nulls(jsonb_build_object('secret', u.mfa_secret, 'pending', u.mfa_pending_secret)) as texts
  from taskboard.account_user u
  where ($1::text is null or u.id > $1::text) and (u.mfa_secret is not null or u.mfa_pending_secret is not null)
  order by u.id limit $2::integer`,
  ),
}

const REPLACEMENTS = /* sql */ `
  with n as materialized (
    select r.id, r."from" as old_text, r."to" as new_text
    from jsonb_to_recordset($1::jsonb) as r (id text, "from" text, "to" text)
  )`

/** The replacements. */
const replacing: Readonly<Record<SealedKind, Statement<never>>> = {
  webhook: statement<never>(
    'replace_sealed_webhooks',
    /* sql */ `${REPLACEMENTS}
  update taskboard.webhook h set secrets = (
    select jsonb_agg(
      case when n.new_text is null then s.value else jsonb_set(s.value, '{sealed}', to_jsonb(n.new_text)) end
      order by s.ordinality)
    from jsonb_array_elements(h.secrets) with ordinality as s
      left join n on n.id = h.id and n.old_text = s.value ->> 'sealed'
  )
  where h.id in (select n.id from n) and h.secrets <> '[]'::jsonb`,
  ),
  channel: statement<never>(
    'replace_sealed_channels',
    /* sql */ `${REPLACEMENTS}
  update taskboard.notification_channel c set secrets = (
    select jsonb_object_agg(s.key, coalesce(n.new_text, s.value))
    from jsonb_each_text(c.secrets) as s left join n on n.id = c.id and n.old_text = s.value
  )
  where c.id in (select n.id from n) and c.secrets <> '{}'::jsonb`,
  ),
  factor: statement<never>(
    'replace_sealed_factors',
    /* sql */ `${REPLACEMENTS}
  update taskboard.account_user u
  set mfa_secret = coalesce((select n.new_text from n where n.id = u.id and n.old_text = u.mfa_secret), u.mfa_secret),
    mfa_pending_secret = coalesce(
      (select n.new_text from n where n.id = u.id and n.old_text = u.mfa_pending_secret), u.mfa_pending_secret)
  where u.id in (select n.id from n)`,
  ),
}

/** `AccessStore.listSealed` and `replaceSealed`. */
export function createSealed(database: Database): Store {
  return {
    listSealed: ({ kind, afterId, limit }, call) => database.read(call, lists[kind], [afterId, limit]),
    async replaceSealed({ kind, replacements }, call) {
      await database.write(call, replacing[kind], [JSON.stringify(replacements)])
    },
  }
}
