import type { Storage } from '@taskboard/core'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW } from './large-board.js'

const at = { now: NOW }
const account = { accountId: 'acc_0', workspaceIds: 'all' } as const
/** A workspace has at most a thousand. */
const most = { rows: 3_000, pages: 300 }
const scheduleId = (n: number): string => `sch_${String(n).padStart(20, '0')}`

/** Schedules, of which one workspace has as many as it may. */
export function scheduleVerbs({ schedules }: Storage<PgConnection>): readonly HotVerb[] {
  return [
    {
      name: 'list due schedules, none',
      indexes: ['schedule_due'],
      run: () => schedules.listSchedules({ isDue: true, limit: 100 }, at),
    },
    {
      name: 'list due schedules',
      indexes: ['schedule_due'],
      run: () => schedules.listSchedules({ isDue: true, limit: 100 }, { now: NOW + 3_600_000 }),
    },
    {
      name: 'list the schedules of a workspace',
      indexes: ['schedule_age'],
      most,
      run: () => schedules.listSchedules({ reach: account, workspaceId: HUGE, limit: 100 }, at),
    },
    {
      name: 'list the schedules of a workspace, a later page',
      indexes: ['schedule_age'],
      most,
      run: () =>
        schedules.listSchedules(
          { reach: account, workspaceId: HUGE, limit: 100, afterId: scheduleId(500) },
          at,
        ),
    },
    {
      name: 'list the schedules of an account',
      indexes: ['schedule_age', 'workspace_age'],
      most: { rows: 20_000, pages: 5_000 },
      run: () => schedules.listSchedules({ reach: account, limit: 100 }, at),
    },
    {
      name: 'find a schedule',
      indexes: ['schedule_pkey'],
      run: () => schedules.listSchedules({ reach: account, scheduleId: scheduleId(1), limit: 1 }, at),
    },
  ]
}
