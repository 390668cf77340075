import type { Environment, Instant } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { Created } from '../idempotency/index.js'
import type { AccountUsage, QuotaStore } from './quota-store.js'
import type { Subscriber } from './tier-limits.js'
import { eachHeld, type HeldResource, type QuotaTerms, type Tiers } from './tiers.js'

/**
 * The start of an instant's calendar month, UTC.
 * @example
 * ```ts
 * import { monthStart } from '@taskboard/core/storage'
 *
 * console.log(monthStart(Date.UTC(2026, 1, 14)) === Date.UTC(2026, 1)) // true
 * ```
 */
export function monthStart(at: Instant): Instant {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The start of the calendar month after an instant's, UTC. */
function nextMonthStart(at: Instant): Instant {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

export interface Used {
  readonly used: number
  /** Null: unlimited. */
  readonly limit: number | null
}

export interface QuotaUsage extends Readonly<Record<HeldResource, Used>> {
  readonly tasksPerMonth: {
    /** Null without a quota, because tasks aren't counted then. */
    readonly used: number | null
    readonly limit: Used['limit']
    /** The end of the month. */
    readonly resetAt: number
  }
}

/**
 * Checks creates against the quotas of the account's tier, over all processes. Without a quota, a create runs unchecked. A rejected create
 * gets `QUOTA_EXCEEDED`, and `field` names the quota. A retry of an earlier create doesn't count, and gets its response even when the
 * quota is used up.
 */
export interface Quota<Tx = unknown> {
  /**
   * Creates a task, which counts in the month of the call even if it is deleted later. A failed create doesn't count, unless it may
   * have succeeded (`SERVICE_UNAVAILABLE`). With `isRepeatable`, `create` may get a transaction that is rolled back. `check` throws
   * for invalid input; with a quota it runs before anything is counted or rejected.
   */
  createTask<T>(
    subscriber: Subscriber,
    create: (tx?: Tx) => Promise<Created<T>>,
    options?: { readonly isRepeatable?: boolean; readonly check?: () => unknown },
  ): Promise<T>
  /** As `createTask`, for the `count` tasks of a list: all count, or none is created. */
  createTasks<T>(
    subscriber: Subscriber,
    count: number,
    create: (tx?: Tx) => Promise<Created<T>>,
    options?: { readonly isRepeatable?: boolean },
  ): Promise<T>
  /**
   * Creates a resource with a quota, within the transaction passed to `create`. A replacement of another one (`isReplacement`) is
   * rejected only beyond twice the quota, because both are valid for a time.
   */
  createHeld<T>(
    subscriber: Subscriber,
    resource: HeldResource,
    create: (tx?: Tx) => Promise<T>,
    options?: { readonly isReplacement?: boolean },
  ): Promise<T>
  usage(subscriber: Subscriber): Promise<QuotaUsage>
}

interface QuotaDeps<Tx> {
  readonly environment: Pick<Environment, 'call' | 'logger'>
  readonly store: QuotaStore<Tx>
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  readonly tiers: Tiers
}

export function createQuota<Tx>({ environment, store, transaction, tiers }: QuotaDeps<Tx>): Quota<Tx> {
  async function giveBack(accountId: string, month: number): Promise<void> {
    try {
      await store.giveBackTask({ accountId, month }, environment.call())
    } catch (error) {
      environment.logger.warn(
        { err: error, accountId },
        'could not release the quota of a task that was not created',
      )
    }
  }

  const giveAllBack = (accountId: string, months: readonly number[]): Promise<unknown> =>
    Promise.all(months.map((month) => giveBack(accountId, month)))

  /** The month of each of the tasks; null when the quota doesn't cover them all. */
  async function take(accountId: string, count: number, limit: number): Promise<readonly number[] | null> {
    const takeOne = () => store.takeTask({ accountId, limit }, environment.call())
    const answers = await Promise.all(Array.from({ length: count }, takeOne))
    const months = answers.flatMap(({ taken, month }) => (taken ? [month] : []))
    if (months.length === count) return months
    await giveAllBack(accountId, months)
    return null
  }

  async function createCounted<T>(
    { accountId, tier }: Subscriber,
    count: number,
    create: (tx?: Tx) => Promise<Created<T>>,
    { isRepeatable = false, check }: { readonly isRepeatable?: boolean; readonly check?: () => unknown },
  ): Promise<T> {
    const limit = tiers[tier].quota.tasksPerMonth
    if (limit === null) return (await create()).value
    check?.()
    const months = await take(accountId, count, limit)
    if (months === null) {
      if (isRepeatable) return transaction((tx) => onlyRepeated(create(tx), limit))
      throw exceeded('tasksPerMonth', limit)
    }
    let created
    try {
      created = await create()
    } catch (error) {
      if (isUndone(error)) await giveAllBack(accountId, months)
      throw error
    }
    if (created.replayed) await giveAllBack(accountId, months)
    return created.value
  }

  return {
    createTask: (subscriber, create, options = {}) => createCounted(subscriber, 1, create, options),
    createTasks: (subscriber, count, create, options = {}) =>
      createCounted(subscriber, count, create, options),
    async createHeld({ accountId, tier }, resource, create, { isReplacement = false } = {}) {
      const limit = tiers[tier].quota[resource]
      if (limit === null) return create()
      const most = isReplacement ? 2 * limit : limit
      return transaction(async (tx) => {
        const call = environment.call({ tx })
        const before = await store.countHeld({ accountId, resource }, call)
        const value = await create(tx)
        const isFull = before >= most
        if (isFull && (await store.countHeld({ accountId, resource }, call)) > before)
          throw exceeded(resource, limit)
        return value
      })
    },
    async usage({ accountId, tier }) {
      const used = await store.usage({ accountId }, environment.call())
      return toUsage(tiers[tier].quota, used)
    },
  }
}

function toUsage(quota: QuotaTerms, used: AccountUsage): QuotaUsage {
  return {
    tasksPerMonth: {
      used: quota.tasksPerMonth === null ? null : used.tasks,
      limit: quota.tasksPerMonth,
      resetAt: nextMonthStart(used.month),
    },
    ...eachHeld((resource) => ({ used: used[resource], limit: quota[resource] })),
  }
}

/** The result of an earlier create. A create that isn't a retry is rolled back with its transaction. */
async function onlyRepeated<T>(creating: Promise<Created<T>>, limit: number): Promise<T> {
  const { value, replayed } = await creating
  if (replayed) return value
  throw exceeded('tasksPerMonth', limit)
}

/** Whether a create with this error has certainly changed nothing. */
function isUndone(error: unknown): boolean {
  return isTaskboardError(error) && error.code !== 'SERVICE_UNAVAILABLE'
}

function exceeded(quota: keyof QuotaTerms, limit: number): TaskboardError {
  return new TaskboardError(
    'QUOTA_EXCEEDED',
    `${quota}: all ${limit} that the subscription covers are in use`,
    {
      field: quota,
    },
  )
}
