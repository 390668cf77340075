import {
  type AttemptDecision,
  type CallContext,
  loginAttemptRules,
  type SessionStore,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

const { passwords, codes, lockMs } = loginAttemptRules

/** The instant at which the row is locked, possibly long after the statement began. */
const PRESENT = 'coalesce($1::bigint, taskboard.now_ms())'

/** `a` is the stored row, `excluded` the new attempt. */
const HOLDS = `a.holds_until > ${PRESENT}`

const IS_LOCKED = `(a.codes >= $6::integer or (excluded.passwords > 0 and a.passwords >= $5::integer))`

/**
 * Core's `takeLoginAttempt` on the key's locked row. During a lockout `where` leaves the row unchanged and nothing is returned.
 * A second statement then reads the wait, because this one may see the row as it was earlier.
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
    holds_until = ${PRESENT} + $4::bigint
  where not (${HOLDS} and ${IS_LOCKED})
  returning true as taken`,
)

/** A lockout that seems longer than the longest one was set before the clock stepped back: it moves back as well. */
const lockOfKey = statement<{ readonly waitMs: number }>(
  'wait_for_login',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  moved as (
    update taskboard.login_attempt a set holds_until = p.now + $3::bigint
    from p where a.key = $2::text and a.holds_until > ${PRESENT} + $3::bigint
  )
  select least(greatest(a.holds_until - p.now, 0), $3::bigint)::float8 as "waitMs"
  from p, taskboard.login_attempt a where a.key = $2::text`,
)

const forgetAttempts = statement<never>(
  'clear_login_attempts',
  /* sql */ `delete from taskboard.login_attempt where key = $1::text`,
)

/** Key, kind. */
const forgetOne = statement<never>(
  'clear_login_attempt',
  /* sql */ `
  update taskboard.login_attempt set
    passwords = greatest(passwords - ($2::text = 'password')::integer, 0), codes = greatest(codes - ($2::text = 'code')::integer, 0)
  where key = $1::text`,
)

/** `SessionStore.takeLoginAttempt`. */
export async function takeLoginAttempt(
  database: Database,
  { key, kind }: Parameters<SessionStore['takeLoginAttempt']>[0],
  call: CallContext<PgConnection>,
): Promise<AttemptDecision> {
  const [taken] = await database.read(call, takeAttempt, [call.now, key, kind, lockMs, passwords, codes])
  if (taken !== undefined) return { allowed: true, retryAfterMs: 0 }
  const [lock] = await database.read(call, lockOfKey, [call.now, key, lockMs])
  return { allowed: false, retryAfterMs: lock?.waitMs ?? 0 }
}

/** `SessionStore.clearLoginAttempts`. */
export async function clearLoginAttempts(
  database: Database,
  { key, one }: Parameters<SessionStore['clearLoginAttempts']>[0],
  call: CallContext<PgConnection>,
): Promise<void> {
  if (one === undefined) await database.read(call, forgetAttempts, [key])
  else await database.read(call, forgetOne, [key, one])
}
