import type { Instant } from './clock.js'

/** The context of every storage verb. */
export interface CallContext<Tx = unknown> {
  /** The present for this call; null for the storage's own clock. */
  readonly now: Instant | null
  /** The host's open transaction, in which the verb runs. Absent: the verb has its own. */
  readonly tx?: Tx | undefined
}

/** An option of the host's calls. */
export interface InTransaction<Tx> {
  /** The host's open transaction. The call sees its writes, and the call's own writes are part of it. */
  readonly tx?: Tx | undefined
}
