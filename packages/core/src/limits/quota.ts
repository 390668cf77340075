import type { Environment } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { Created } from '../idempotency/index.js'
import { nextMonthStart } from './month.js'
import type { HeldResource, QuotaStore } from './quota-store.js'
import type { Subscriber } from './tier-limits.js'
import type { QuotaTerms, Tiers } from './tiers.js'

export interface Used {
  /** Of tasks it is null where no quota is set: they are not counted then. */
  readonly used: number | null
  /** Null: unlimited. */
  readonly limit: number | null
}

export interface QuotaUsage extends Readonly<Record<HeldResource, Used>> {
  /** `resetAt` is the end of the month. */
  readonly tasksPerMonth: Used & { readonly resetAt: number }
}

/**
 * Holds creates against what the tier of an account covers, over all processes. Where no quota is set they go straight through.
 * A create is refused with `QUOTA_EXCEEDED`, `field` naming the quota. The repeat of an earlier create takes nothing, and is
 * answered also when the quota is used up.
 */
export interface Quota<Tx = unknown> {
  /**
   * Creates a task, counted in the month in which it is asked for, deleted later or not. What fails is given back, unless it may
   * have been done (`SERVICE_UNAVAILABLE`). With `isRepeatable`, `create` may be given a transaction that is undone. `check` throws
   * what is wrong with the input; where there is a quota it is asked before anything is counted or refused.
   */
  createTask<T>(
    subscriber: Subscriber,
    create: (tx?: Tx) => Promise<Created<T>>,
    options?: { readonly isRepeatable?: boolean; readonly check?: () => unknown },
  ): Promise<T>
  /**
   * Creates something of which the account may have only so much, within the transaction that `create` is given. One that
   * takes the place of another (`isReplacement`) is refused only when there would be more than twice as many: both hold for a time.
   */
  createHeld<T>(
    subscriber: Subscriber,
    resource: HeldResource,
    create: (tx?: Tx) => Promise<T>,
    options?: { readonly isReplacement?: boolean },
  ): Promise<T>
  usage(subscriber: Subscriber): Promise<QuotaUsage>
}

export interface QuotaParts<Tx> {
  readonly environment: Pick<Environment, 'storageNow' | 'logger'>
  readonly store: QuotaStore<Tx>
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  readonly tiers: Tiers
}

export function createQuota<Tx>({ environment, store, transaction, tiers }: QuotaParts<Tx>): Quota<Tx> {
  async function giveBack(accountId: string, month: number): Promise<void> {
    try {
      await store.giveBackTask(accountId, month)
    } catch (error) {
      environment.logger.warn({ err: error, accountId }, 'a task that was not created stays counted')
    }
  }

  return {
    async createTask(subscriber, create, { isRepeatable = false, check } = {}) {
      const { accountId, tier } = subscriber
      const limit = tiers[tier].quota.tasksPerMonth
      if (limit === null) return (await create()).value
      check?.()
      const { taken, month } = await store.takeTask({ accountId, limit }, environment.storageNow())
      if (!taken) {
        if (isRepeatable) return transaction((tx) => onlyRepeated(create(tx), limit))
        throw exceeded('tasksPerMonth', limit)
      }
      let created
      try {
        created = await create()
      } catch (error) {
        if (isUndone(error)) await giveBack(accountId, month)
        throw error
      }
      if (created.replayed) await giveBack(accountId, month)
      return created.value
    },
    async createHeld({ accountId, tier }, resource, create, { isReplacement = false } = {}) {
      const limit = tiers[tier].quota[resource]
      if (limit === null) return create()
      const most = isReplacement ? 2 * limit : limit
      return transaction(async (tx) => {
        const at = { now: environment.storageNow(), tx }
        const before = await store.countHeld(resource, accountId, at)
        const value = await create(tx)
        const isFull = before >= most
        if (isFull && (await store.countHeld(resource, accountId, at)) > before)
          throw exceeded(resource, limit)
        return value
      })
    },
    async usage({ accountId, tier }) {
      const { quota } = tiers[tier]
      const used = await store.usage(accountId, { now: environment.storageNow() })
      return {
        tasksPerMonth: {
          used: quota.tasksPerMonth === null ? null : used.tasks,
          limit: quota.tasksPerMonth,
          resetAt: nextMonthStart(used.month),
        },
        agents: { used: used.agents, limit: quota.agents },
        apiKeys: { used: used.apiKeys, limit: quota.apiKeys },
        webhooks: { used: used.webhooks, limit: quota.webhooks },
      }
    },
  }
}

/** What an earlier create made; one that would make more is undone with its transaction. */
async function onlyRepeated<T>(creating: Promise<Created<T>>, limit: number): Promise<T> {
  const { value, replayed } = await creating
  if (replayed) return value
  throw exceeded('tasksPerMonth', limit)
}

/** Whether a create that failed so has certainly done nothing. */
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
