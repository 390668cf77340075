import type { ScheduleQuota } from '../board/index.js'
import type { Environment } from '../environment/index.js'
import type { Quota, Tiers } from '../limits/index.js'
import type { Storage } from '../storage/index.js'
import { findAccount } from './find-account.js'

interface ScheduleQuotaDeps<Tx> {
  readonly environment: Environment
  readonly storage: Pick<Storage<Tx>, 'access'>
  readonly quota: Pick<Quota<Tx>, 'createTask'>
  readonly tiers: Tiers
}

/** The quota of tasks of the account that has the workspace of a schedule. Without one in any tier, nothing is looked up. */
export function createScheduleQuota<Tx>(deps: ScheduleQuotaDeps<Tx>): ScheduleQuota {
  const { quota, tiers } = deps
  const isUnlimited = Object.values(tiers).every((terms) => terms.quota.tasksPerMonth === null)

  return async (workspaceId, make) => {
    const account = isUnlimited ? undefined : await findAccount(deps, workspaceId)
    // One that is gone by now: the storage says so.
    if (account === undefined) return void (await make())
    await quota.createTask({ accountId: account.id, tier: account.tier }, async () => {
      const task = await make()
      // It was skipped, or another process has made it.
      return { value: task, replayed: task === null }
    })
  }
}
