import type { Delivery, LoggedEvent } from '@taskboard/core/storage'

/** The columns of a `DeliveryRow`. `alias` names the table or expression. */
export function deliveryColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.webhook_id as "webhookId", ${a}.workspace_id as "workspaceId", ${a}.event, ${a}.status,
    ${a}.attempt_count as "attemptCount", ${a}.attempts,
    coalesce(${a}.planned_at, ${a}.next_attempt_at)::float8 as "nextAttemptAt",
    ${a}.created_at::float8 as "createdAt"`
}

/** A delivery as it is stored: its event's data is called `facts`. */
export interface DeliveryRow extends Omit<Delivery, 'event'> {
  readonly event: StoredEvent
}

/** A `LoggedEvent` as it is stored with a delivery. */
export interface StoredEvent extends Pick<
  LoggedEvent,
  'id' | 'type' | 'workspaceId' | 'seq' | 'at' | 'payloadVersion'
> {
  readonly facts: LoggedEvent['data']
}

/** The delivery of a row. */
export function toDelivery(row: DeliveryRow): Delivery {
  const { event } = row
  return {
    id: row.id,
    webhookId: row.webhookId,
    workspaceId: row.workspaceId,
    event: {
      type: event.type,
      data: event.facts,
      id: event.id,
      workspaceId: event.workspaceId,
      seq: event.seq,
      at: event.at,
      payloadVersion: event.payloadVersion,
    } as LoggedEvent,
    status: row.status,
    attemptCount: row.attemptCount,
    attempts: row.attempts,
    nextAttemptAt: row.nextAttemptAt,
    createdAt: row.createdAt,
  }
}
