import { loginAttemptRules, type At, type AttemptDecision, type AttemptKind } from '@taskboard/core'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { statement } from '../../statement.js'

const { passwords, codes, lockMs } = loginAttemptRules

/** Of the row that is there, `a`, and the guess, `excluded`. */
const HOLDS = 'a.holds_until > excluded.holds_until - $4::bigint'
const IS_LOCKED = `(a.codes >= $6::integer or (excluded.passwords > 0 and a.passwords >= $5::integer))`

/**
 * Core's `takeLoginAttempt` on the key's locked row. `where` leaves the row as it is while it is locked, and then nothing is
 * returned: the wait is that of the row, which is read by a second statement, as this one may see it as it was before.
 */
const takeAttempt = statement<{ readonly taken: boolean }>(
  'take_login_attempt',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.login_attempt as a (key, passwords, codes, holds_until)
  select $2::text, ($3::text = 'password')::integer, ($3::text = 'code')::integer, p.now + $4::bigint from p
  on conflict (key) do update set
    passwords = case when ${HOLDS} then a.passwords else 0 end + excluded.passwords,
    codes = case when ${HOLDS} then a.codes else 0 end + excluded.codes,
    holds_until = greatest(a.holds_until, excluded.holds_until)
  where not (${HOLDS} and ${IS_LOCKED})
  returning true as taken`,
)

const lockOfKey = statement<{ readonly waitMs: number }>(
  'wait_for_login',
  /* sql */ `
  select greatest(a.holds_until - coalesce($1::bigint, taskboard.now_ms()), 0)::float8 as "waitMs"
  from taskboard.login_attempt a where a.key = $2::text`,
)

const forgetAttempts = statement<never>(
  'clear_login_attempts',
  /* sql */ `delete from taskboard.login_attempt where key = $1::text`,
)

/** `SessionStore.takeLoginAttempt`. */
export async function takeLoginAttempt(
  database: Database,
  key: string,
  kind: AttemptKind,
  at: At<PgConnection>,
): Promise<AttemptDecision> {
  const [taken] = await database.read(at, takeAttempt, [at.now, key, kind, lockMs, passwords, codes])
  if (taken !== undefined) return { allowed: true, retryAfterMs: 0 }
  const [lock] = await database.read(at, lockOfKey, [at.now, key])
  return { allowed: false, retryAfterMs: lock?.waitMs ?? 0 }
}

/** `SessionStore.clearLoginAttempts`. */
export async function clearLoginAttempts(
  database: Database,
  key: string,
  at: At<PgConnection>,
): Promise<void> {
  await database.read(at, forgetAttempts, [key])
}
