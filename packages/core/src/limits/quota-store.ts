import type { CallContext, Instant } from '../environment/index.js'
import type { HeldResource } from './tiers.js'

export interface TakenTask {
  readonly taken: boolean
  /** The start of the month in which the task counts. */
  readonly month: Instant
}

/** The current usage of an account: how many of each resource it holds. */
export interface AccountUsage extends Readonly<Record<HeldResource, number>> {
  /** The start of the current month. */
  readonly month: Instant
  /** Taken in this month and not returned. */
  readonly tasks: number
}

/** Stores what quotas count. */
export interface QuotaStore<Tx = unknown> {
  /**
   * Takes one of `limit` tasks of the account in the current month, UTC; a rejection doesn't take one. Exact over all processes that
   * share the storage, and outside of any transaction: `call.tx` is ignored. When the clock steps back into an earlier month, the count of
   * the later one moves there. A storage may lose the last second before its own crash.
   */
  takeTask(
    request: { readonly accountId: string; readonly limit: number },
    call: CallContext<Tx>,
  ): Promise<TakenTask>
  /**
   * Returns one task taken in `month`, never below none. Only the newest month is known: any other is ignored, as is an unknown account.
   * Outside of any transaction, and at any time: `call` is ignored.
   */
  giveBackTask(
    taken: { readonly accountId: string; readonly month: Instant },
    call: CallContext<Tx>,
  ): Promise<void>
  /**
   * How many the account has. Requires the transaction `call.tx`. Until it ends, other calls for the account wait, so that
   * concurrent callers that count, create and commit never exceed the quota.
   */
  countHeld(
    held: { readonly accountId: string; readonly resource: HeldResource },
    call: CallContext<Tx>,
  ): Promise<number>
  /** What the account uses at the moment, without a lock. No effect for an unknown account. */
  usage(of: { readonly accountId: string }, call: CallContext<Tx>): Promise<AccountUsage>
}
