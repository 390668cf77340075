import type { Storage } from '@taskboard/core'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW, taskId } from './large-board.js'

const at = { now: NOW }
const account = { accountId: 'acc_0', workspaceIds: 'all' } as const
const today = Math.floor(NOW / 86_400_000)
const figures = {
  reach: account,
  workspaceId: null,
  fromDay: today - 89,
  toDay: today,
  baselines: { defaultMs: 1_800_000, msByType: {} },
}

/** The figures of agents and tasks. */
export function figureVerbs({ agents, analytics }: Storage<PgConnection>): readonly HotVerb[] {
  const waiting = { id: taskId(9_001), workspaceId: HUGE, assignedTo: null, type: null, lease: null }
  return [
    {
      name: 'find an agent with its figures',
      indexes: ['task_rated', 'earlier_attempt_rated', 'task_lease_agent', 'task_assigned'],
      run: () => agents.listAgents({ reach: account, agentIds: [`agent_${HUGE}_1`], parts: ['work'] }, at),
    },
    {
      // One of them has 12,000 leases and 24,000 assigned tasks, which are counted.
      name: 'list the agents of an account and their work',
      indexes: ['task_rated', 'earlier_attempt_rated', 'task_lease_agent', 'task_assigned'],
      scans: ['every_workspace', 'agent'],
      most: { rows: 70_000, pages: 80_000 },
      run: () => agents.listAgents({ reach: account, limit: 100, parts: ['work'] }, at),
    },
    {
      name: 'look up agents',
      run: () => agents.listAgents({ reach: null, agentIds: [`agent_${HUGE}_0`, `agent_${HUGE}_1`] }, at),
    },
    {
      // At most a thousand of each lane, and of the leases of each agent.
      name: 'forecast a task',
      indexes: ['todo_pickup', 'todo_pkey', 'task_rated', 'task_lease_agent'],
      most: { rows: 8_000, pages: 8_000 },
      run: () => agents.readForecasts({ tasks: [waiting] }, at),
    },
    {
      name: 'forecast a task under way',
      indexes: ['task_rated', 'earlier_attempt_rated'],
      run: () =>
        agents.readForecasts(
          {
            tasks: [
              {
                ...waiting,
                id: taskId(385),
                lease: { agentId: `agent_${HUGE}_0`, fencingToken: 1, expiresAt: NOW, durationMs: 60_000 },
                workspaceId: 'ws_1',
              },
            ],
          },
          at,
        ),
    },
    {
      // Reads the numbers of all 10,001 logs.
      name: 'roll up 1,000 events',
      indexes: ['event_batch_pkey'],
      scans: ['workspace_log', 'analytics_mark'],
      most: { rows: 70_000, pages: 60_000 },
      run: () => analytics.rollUp({ limit: 1_000 }, at),
    },
    {
      name: 'read the figures of 90 days',
      indexes: ['event_batch_pkey', 'analytics_day_pkey'],
      scans: ['every_workspace'],
      most: { rows: 30_000, pages: 5_000 },
      run: () => analytics.readFigures(figures, at),
    },
  ]
}
