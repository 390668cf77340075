import type { At, ReturnedDelivery } from '@taskboard/core/storage'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

/** Makes claimed deliveries due at once, each only if its claim is still valid. */
export const releaseDeliveries = statement<never>(
  'release_deliveries',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  held as materialized (
    select d.id
    from jsonb_to_recordset($2::jsonb) as c (delivery_id text, claim_token text)
    join taskboard.delivery d on d.id = c.delivery_id and d.claim_token = c.claim_token, p
    where d.status = 'pending' and d.next_attempt_at > p.now
    order by d.id for update of d
  )
  update taskboard.delivery d set next_attempt_at = p.now, claim_token = null, planned_at = null
  from p where d.id = any (array(select id from held))`,
)

/** The values of `releaseDeliveries`: present, claims. */
export function releasedValues(
  returned: readonly ReturnedDelivery[],
  at: At<PgConnection>,
): readonly unknown[] {
  const released = returned.map(({ deliveryId, claimToken }) => ({
    delivery_id: deliveryId,
    claim_token: claimToken,
  }))
  return [at.now, JSON.stringify(released)]
}
