import type { AuditRecord } from '@taskboard/core'
import { storedActor, type AuditStore, type CallContext, type NewAuditRecord } from '@taskboard/core/storage'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import type { Database } from '../database/database.js'

/** Present, records, and the members of the actor. */
const append = statement<Pick<AuditRecord, 'id' | 'accountId' | 'at'>>(
  'append_audit',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.audit (
    id, account_id, at, action, target_kind, target_id, details, count,
    actor_kind, actor_id, actor_name, session_id, client_address, request_id
  )
  select r.id, coalesce(
      r."accountId",
      (select u.account_id from taskboard.account_user u where u.id = r."userId"),
      (select w.account_id from taskboard.every_workspace w where w.id = r."workspaceId"),
      (select k.account_id from taskboard.api_key k where k.id = r."keyId")
    ),
    p.now, r.action, r.target ->> 'kind', r.target ->> 'id', r.details, r.count,
    $3::text, $4::text, $5::text, $6::text, $7::text, $8::text
  from p, jsonb_to_recordset($2::jsonb) as r(
    id text, "accountId" text, "userId" text, "workspaceId" text, "keyId" text, action text, target jsonb, details jsonb, count integer
  )
  returning id, account_id as "accountId", at::float8 as at`,
)

/** `AuditStore.appendAudit`. */
async function appendAudit(
  database: Database,
  records: readonly NewAuditRecord[],
  call: CallContext<PgConnection>,
): Promise<readonly AuditRecord[]> {
  const by = storedActor(call.by)
  const added = records.map(({ of, ...given }) => ({
    id: database.settings.current.newId('aud'),
    ...of,
    ...given,
  }))
  const actor = [by.kind, by.id, by.name, by.sessionId, by.clientAddress, by.requestId]
  const rows = await database.read(call, append, [call.now, JSON.stringify(added), ...actor])
  const stored = new Map(rows.map((row) => [row.id, row]))
  return added.flatMap(({ id, action, target, details, count }) => {
    const row = stored.get(id)
    return row === undefined ? [] : [{ ...row, by, action, target, details, count }]
  })
}

interface AuditRow extends Omit<AuditRecord, 'by' | 'target'> {
  readonly actorKind: AuditRecord['by']['kind']
  readonly actorId: string | null
  readonly actorName: string | null
  readonly sessionId: string | null
  readonly clientAddress: string | null
  readonly requestId: string | null
  readonly targetKind: NonNullable<AuditRecord['target']>['kind'] | null
  readonly targetId: string | null
}

const COLUMNS = `a.id, a.account_id as "accountId", a.at::float8 as at, a.action, a.details, a.count,
    a.actor_kind as "actorKind", a.actor_id as "actorId", a.actor_name as "actorName", a.session_id as "sessionId",
    a.client_address as "clientAddress", a.request_id as "requestId", a.target_kind as "targetKind", a.target_id as "targetId"`

/** Actions, actor, from, to, time and id of the last record of the page before, limit: null for all. Then the account, if there is one. */
const pageOf = (name: string, owner: string) =>
  statement<AuditRow>(
    name,
    /* sql */ `
  select ${COLUMNS} from taskboard.audit a
  where ${owner}
    and ($1::text[] is null or a.action = any ($1::text[])) and ($2::text is null or a.actor_id = $2::text)
    and a.at >= coalesce($3::bigint, a.at) and ($4::bigint is null or a.at < $4::bigint)
    and ($5::bigint is null or (a.at, a.id) < ($5::bigint, $6::text))
  order by a.at desc, a.id desc limit $7::integer`,
  )
const ofAccount = pageOf('list_audit', 'a.account_id = $8::text')
const ofNone = pageOf('list_audit_of_none', 'a.account_id is null')

/** Who did what. */
export function createAuditStore(database: Database): AuditStore<PgConnection> {
  return {
    appendAudit: (records, call) => appendAudit(database, records, call),
    async listAudit({ accountId, actions, actorId, from, to, after, limit }, call) {
      const values = [actions, actorId, from, to, after?.at ?? null, after?.id ?? null, limit]
      const rows =
        accountId === null
          ? await database.read(call, ofNone, values)
          : await database.read(call, ofAccount, [...values, accountId])
      return rows.map(toRecord)
    },
  }
}

function toRecord(row: AuditRow): AuditRecord {
  const { id, accountId, at, action, details, count, targetKind, targetId } = row
  const { actorKind: kind, actorId, actorName: name, sessionId, clientAddress, requestId } = row
  const by = { kind, id: actorId, name, sessionId, clientAddress, requestId }
  const target = targetKind === null || targetId === null ? null : { kind: targetKind, id: targetId }
  return { id, accountId, at, action, by, target, details, count }
}
