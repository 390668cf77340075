import type { At, Instant } from '../environment/index.js'

/** What an account has, and may have only so much of. */
export type HeldResource = 'agents' | 'apiKeys' | 'webhooks'

export interface TakenTask {
  readonly taken: boolean
  /** The start of the month in which it counts. */
  readonly month: Instant
}

/** What an account uses now. */
export interface AccountUsage {
  /** The start of the present month. */
  readonly month: Instant
  /** Taken in this month and not given back. */
  readonly tasks: number
  readonly agents: number
  /** Neither revoked nor expired. */
  readonly apiKeys: number
  readonly webhooks: number
}

/** What quotas are held against. */
export interface QuotaStore<Tx = unknown> {
  /**
   * Takes one of `limit` tasks of the account in the present month, UTC; a refusal takes nothing. Exact over all processes that
   * share the storage, and part of no transaction. When the clock steps back into an earlier month, what counted in the later one
   * counts there. A storage may forget the last second before a crash of its own.
   */
  takeTask(
    request: { readonly accountId: string; readonly limit: number },
    now: Instant | null,
  ): Promise<TakenTask>
  /** Gives back one that was taken in `month`. Of another month than the newest nothing is known any more. */
  giveBackTask(accountId: string, month: Instant): Promise<void>
  /**
   * How many the account has. Until the transaction `at.tx`, which is required, ends, nobody else gets an answer for the
   * account: so whoever counts, creates and commits is never one too many among others who do.
   */
  countHeld(resource: HeldResource, accountId: string, at: At<Tx>): Promise<number>
  usage(accountId: string, at: At<Tx>): Promise<AccountUsage>
}
