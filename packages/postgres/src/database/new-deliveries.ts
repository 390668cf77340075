import type {
  ClaimedDelivery,
  DeliveryTarget,
  LoggedEvent,
  NewDeliveryClaimer,
} from '@taskboard/core/storage'

/** The claimed deliveries of the ones that a statement added; null for none. See `NEW_DELIVERIES`. */
export interface AddedDeliveries {
  readonly targets: readonly DeliveryTarget[]
  readonly events: readonly LoggedEvent[]
  readonly deliveries: readonly (readonly [
    id: string,
    webhookId: string,
    workspaceId: string,
    seq: number,
    claimToken: string,
  ])[]
}

/** The claimer of a process, whom statements ask what they may claim. */
export interface NewDeliveries {
  /** `WebhookStore.claimNewDeliveries`. */
  claimWith(claimer: NewDeliveryClaimer): () => void
  /** Runs a statement whose last parameter is its room for claims, as JSON or null, and whose first row has the result. */
  during<Row>(
    run: (bounds: string | null) => Promise<readonly Row[]>,
    addedOf: (row: Row) => AddedDeliveries | null,
  ): Promise<readonly Row[]>
}

export function createNewDeliveries(): NewDeliveries {
  let current: NewDeliveryClaimer | null = null

  return {
    claimWith(claimer) {
      current = claimer
      return () => {
        if (current === claimer) current = null
      }
    },
    async during(run, addedOf) {
      const claim = current?.begin() ?? null
      if (claim === null) return run(null)
      let claimed: readonly ClaimedDelivery[] = []
      try {
        const rows = await run(JSON.stringify(claim.bounds))
        const added = rows[0] === undefined ? null : addedOf(rows[0])
        if (added !== null) claimed = toClaimed(added)
        return rows
      } finally {
        claim.end(claimed)
      }
    },
  }
}

function toClaimed({ targets, events, deliveries }: AddedDeliveries): readonly ClaimedDelivery[] {
  const targetOf = new Map(targets.map((target) => [target.id, target]))
  const eventOf = new Map(events.map((event) => [`${event.workspaceId} ${event.seq}`, event]))
  return deliveries.flatMap(([id, webhookId, workspaceId, seq, claimToken]) => {
    const webhook = targetOf.get(webhookId)
    const event = eventOf.get(`${workspaceId} ${seq}`)
    // One without them is sent when its claim has ended.
    if (webhook === undefined || event === undefined) return []
    const { at } = event
    const delivery = {
      id,
      webhookId,
      workspaceId,
      event,
      status: 'pending',
      attemptCount: 0,
      attempts: [],
      nextAttemptAt: at,
      createdAt: at,
    } as const
    return [{ delivery, webhook, claimToken }]
  })
}
