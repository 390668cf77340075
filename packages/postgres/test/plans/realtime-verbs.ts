import type { Storage } from '@taskboard/core'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW } from './large-board.js'

const at = { now: NOW }
const SLOT_LEASE_MS = 30_000

/** The calls of realtime connections. `run` makes the ids unique to a run. */
export function realtimeVerbs({ realtime }: Storage<PgConnection>, run: string): readonly HotVerb[] {
  const holderId = `proc_${run}`
  const slot = (accountId: string, n: number) => ({
    slotId: `conn_${run}_${accountId}_${n}`,
    accountId,
    holderId,
    limit: 1_000,
    leaseMs: 30_000,
  })
  const everything = { accountId: 'acc_0', workspaceIds: 'all' } as const
  return [
    {
      name: 'end of a workspace’s log',
      indexes: ['workspace_log_pkey'],
      run: () => realtime.readLogEnds({ reach: everything, workspaceId: HUGE }, at),
    },
    {
      name: 'ends of the logs of an account',
      indexes: ['workspace_age', 'workspace_log_pkey'],
      run: () =>
        realtime.readLogEnds({ reach: { ...everything, accountId: 'acc_7' }, workspaceId: null }, at),
    },
    {
      name: 'open a process’s lease',
      run: () => realtime.leaseHolder({ holderId, leaseMs: SLOT_LEASE_MS, step: 'begin' }, at),
    },
    {
      name: 'renew a process’s lease',
      run: () => realtime.leaseHolder({ holderId, leaseMs: SLOT_LEASE_MS, step: 'renew' }, at),
    },
    {
      name: 'take a slot',
      indexes: ['realtime_slot_account'],
      run: () => realtime.acquireSlot(slot('acc_7', 0), at),
    },
    {
      name: 'take a slot where there are ten thousand of the account',
      indexes: ['realtime_slot_account'],
      run: () => realtime.acquireSlot({ ...slot('acc_0', 0), limit: 100 }, at),
    },
    {
      name: 'free slots',
      indexes: ['realtime_slot_pkey'],
      run: () => realtime.releaseSlots({ slotIds: [slot('acc_7', 0).slotId] }, at),
    },
    {
      name: 'end a process’s lease',
      indexes: ['realtime_slot_holder'],
      run: () => realtime.releaseSlots({ holderId }, at),
    },
  ]
}
