import type { Instant } from './clock.js'

/** The circumstances that go with every storage verb. */
export interface At<Tx = unknown> {
  /** The present for this call; null for the storage's own clock. */
  readonly now: Instant | null
  /** The host's open transaction to take part in. Absent, the verb is its own. */
  readonly tx?: Tx | undefined
}

/** An option of the host's calls. */
export interface InTransaction<Tx> {
  /** The host's open transaction: the call sees what was written in it, and what the call writes is part of it. */
  readonly tx?: Tx | undefined
}
