import type { Instant } from './clock.js'

/** The circumstances that go with every storage verb. */
export interface At<Tx = unknown> {
  /** The present for this call; null for the storage's own clock. */
  readonly now: Instant | null
  /** The host's open transaction to take part in. Absent, the verb is its own. */
  readonly tx?: Tx | undefined
}
