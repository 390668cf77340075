import {
  mostRotatedTokens,
  sessionOver,
  type At,
  type RefreshOutcome,
  type RefreshRequest,
} from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { statement } from '../../statement.js'

interface ShownRow {
  readonly id: string
  readonly userId: string
  readonly outcome: RefreshOutcome['outcome']
}

/** The tokens that session `s` replaced within the grace period, newest first. */
const recent = (column: string, most = mostRotatedTokens): string => `select ${column}
      from unnest(s.rotated_hashes, s.rotated_at) with ordinality as r (hash, at, place)
      where r.at + $6::bigint > p.now order by r.place limit ${most}`
/** Without the one that this statement replaces. */
const OTHERS = mostRotatedTokens - 1
/** Whether the shown token is the current one of the session before the update. */
const IS_GOOD = 's.refresh_hash = $3::text'
const IS_RECENT = `$3::text = any (array(${recent('r.hash')}))`

/**
 * Core's `showRefreshToken` on the session's locked row. A caller that waited for the row is judged by its state at that
 * moment. The caller generates the next token, so finding it in the row afterwards means that this call stored it.
 */
const showToken = statement<ShownRow>(
  'consume_refresh_token',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.session s set
    refresh_hash = case when ${IS_GOOD} then $4::text else s.refresh_hash end,
    rotated_hashes = case when ${IS_GOOD} then s.refresh_hash || array(${recent('r.hash', OTHERS)}) else s.rotated_hashes end,
    rotated_at = case when ${IS_GOOD} then p.now || array(${recent('r.at', OTHERS)}) else s.rotated_at end,
    expires_at = case
      when ${IS_GOOD} then p.now + $5::bigint when ${IS_RECENT} then s.expires_at else ${sessionOver} end
  from p
  where s.family_hash = $2::text and s.expires_at > p.now
  returning s.id, s.user_id as "userId", case
    when s.refresh_hash = $4::text then 'rotated' when s.expires_at > p.now then 'reused' else 'ended' end as outcome`,
)

/** `SessionStore.consumeRefreshToken`. */
export async function consumeRefreshToken(
  database: Database,
  { familyHash, tokenHash, nextTokenHash, ttlMs, reuseGraceMs }: RefreshRequest,
  at: At<PgConnection>,
): Promise<RefreshOutcome | null> {
  const values = [at.now, familyHash, tokenHash, nextTokenHash, ttlMs, reuseGraceMs]
  const [row] = await database.read(at, showToken, values)
  if (row === undefined) return null
  const { id, userId, outcome } = row
  return { outcome, session: { id, userId } }
}
