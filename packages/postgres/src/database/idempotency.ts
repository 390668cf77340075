import { type Instant, TaskboardError, type Created, type IdempotencyClaim } from '@taskboard/core'
import { type CallContext, idempotencyRetentionMs } from '@taskboard/core/storage'
import type { Database, Session } from './database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

interface RecordRow {
  readonly fingerprint: string
  readonly resourceId: string
  readonly value: unknown
}

/**
 * Returns a row to the call that is to create the resource. A concurrent one waits for the transaction of the first, and takes
 * its place when that rolls back. Without a row the key's record is valid, and locked until the commit.
 */
const claimKey = statement<object>(
  'claim_key',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.idempotency as r (scope, key, fingerprint, resource_id, value, created_at)
  select $2::text, $3::text, $4::text, '', 'null'::jsonb, p.now from p
  on conflict (scope, key) do update
  set fingerprint = excluded.fingerprint, resource_id = '', value = 'null'::jsonb, answer = null,
    created_at = excluded.created_at
  where r.created_at + ${idempotencyRetentionMs} <= excluded.created_at
  returning true as "isClaimed"`,
)

/** A separate statement, so that it sees commits that the previous one waited for. */
const getRecord = statement<RecordRow>(
  'get_idempotency_record',
  /* sql */ `
  select fingerprint, resource_id as "resourceId", value from taskboard.idempotency
  where scope = $1::text and key = $2::text`,
)

const setRecord = statement<never>(
  'set_idempotency_record',
  /* sql */ `
  update taskboard.idempotency set resource_id = $3::text, value = $4::jsonb
  where scope = $1::text and key = $2::text`,
)

/**
 * Returns the resource that the key created before, or creates and stores it. Call it within `Database.atomically`, before the
 * transaction's other writes: when `make` throws, the key stays unused only because the session is rolled back.
 * @throws TaskboardError `CONFLICT` with the `resourceId` when the key was used for another request.
 */
export async function once<T extends { readonly id: string }>(
  session: Session,
  { scope, key, fingerprint }: IdempotencyClaim,
  now: Instant | null,
  make: (session: Session) => Promise<T>,
): Promise<Created<T>> {
  const claimed = await session.run(claimKey, [now, scope, key, fingerprint])
  if (claimed.length > 0) {
    const value = await make(session)
    await session.run(setRecord, [scope, key, value.id, JSON.stringify(value)])
    return { value, replayed: false }
  }
  const [record] = await session.run(getRecord, [scope, key])
  if (record === undefined) throw new Error('a locked idempotency record is gone')
  if (record.fingerprint === fingerprint) return { value: record.value as T, replayed: true }
  throw new TaskboardError('CONFLICT', 'the idempotency key was used for another request', {
    resourceId: record.resourceId,
  })
}

const saveAnswer = statement<{ readonly answer: unknown }>(
  'save_idempotent_response',
  /* sql */ `
  update taskboard.idempotency set answer = coalesce(answer, $3::json)
  where scope = $1::text and key = $2::text
  returning answer`,
)

/** `Storage.saveIdempotentResponse`. */
export async function saveIdempotentResponse<T extends object>(
  database: Database,
  { scope, key }: Pick<IdempotencyClaim, 'scope' | 'key'>,
  answer: T,
  call: CallContext<PgConnection>,
): Promise<T> {
  const [row] = await database.write(call, saveAnswer, [scope, key, JSON.stringify(answer)])
  return row === undefined ? answer : (row.answer as T)
}
