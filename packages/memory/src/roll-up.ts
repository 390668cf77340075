import type { EventCount } from '@taskboard/core/storage'

/** The totals of a workspace's log, up to the event of that `seq`, by day and type. */
export interface RollUp {
  readonly seq: number
  readonly counts: Counts
}

export type Counts = ReadonlyMap<string, EventCount>
