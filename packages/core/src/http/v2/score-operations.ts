import { z } from 'zod'
import { pickupWaits, waitReasons } from '../../agents/index.js'
import type { Principal } from '../../access/index.js'
import type { Task } from '../../board/index.js'
import { explainScore, factorTable, forFactors } from '../../priority/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { operation } from './operation.js'
import { idText, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const factor = z.object({
  weight: z.number().meta({ description: 'The share of the score, 0 to 1. All weights add up to 1.' }),
  value: z.number().meta({ description: '0 to 1.' }),
})

const explained = z
  .object({
    score: z.number().meta({ description: 'The sum of each weight times its value, to four decimals.' }),
    factors: z.object(forFactors((name) => factor.meta({ description: factorTable[name].description }))),
    waits_for: z
      .array(
        z.object({
          reason: z.enum(waitReasons).meta({
            description:
              '`no_agent`: the workspace has no agent that can take the task. `paused`, `offline`, `resting`, `budget`: each agent that can take it is in that state; `budget` without agents is the workspace budget.',
          }),
          until: timestamp.nullable().meta({
            description: 'When it ends by itself, for the first of the agents; null when it does not.',
          }),
          count: z.int().nullable().meta({ description: 'How many tasks, or agents.' }),
          agents: z.array(z.object({ id: z.string(), name: z.string() })).meta({
            description: 'The first five of the agents.',
          }),
        }),
      )
      .meta({
        description:
          'Why no agent can take the task now. Empty when one can as soon as its turn comes, and outside of todo.',
      }),
    as_of: timestamp,
  })
  .meta({ id: 'TaskScore' })

const MOST_AGENTS = 1_000
const nothing = { agents: null, budgets: [] } as const

/** Those who may take a task, and their budgets. Of more agents than a page has, it isn't known who is free. */
async function readAround(services: TransportServices, principal: Principal, task: Task) {
  const { workspaceId, assignedTo } = task
  const reach = { ...principal, workspaceIds: [workspaceId] }
  const [agents, { budgets }] = await Promise.all([
    assignedTo === null
      ? services.agents.listWithin(reach, { workspaceId, limit: MOST_AGENTS })
      : services.agents.findAll(reach, [assignedTo]).then((found) => ({ agents: found, nextCursor: null })),
    services.usage.budgets(workspaceId, { limit: MOST_AGENTS }),
  ])
  return { agents: agents.nextCursor === null ? agents.agents : null, budgets }
}

const getTaskScore = operation({
  id: 'getTaskScore',
  tag: 'tasks',
  summary: 'Why a task is where it is: what it waits for, its score now, and each factor',
  description: 'Agents take the task with the highest score that is free, not on hold, and for them.',
  method: 'GET',
  path: '/v2/tasks/{task_id}/score',
  client: 'tasks.score',
  scope: 'tasks:read',
  params: z.object({ task_id: idText }),
  answer: { status: 200, schema: explained },
  async run({ services, principal, params }) {
    const { scoring, environment, tasks } = services
    const { task } = await tasks.find(principal, params.task_id)
    const around = task.column === 'TODO' ? await readAround(services, principal, task) : nothing
    const now = environment.clock.now()
    const { factors, shares, score } = explainScore(task, now, scoring)
    return {
      score,
      factors: forFactors((name) => ({ weight: shares[name], value: factors[name] })),
      waits_for: pickupWaits(task, around, now).map(({ until, ...wait }) => ({
        ...wait,
        until: toTimestamp(until),
        agents: [...wait.agents],
      })),
      as_of: toTimestamp(now),
    }
  },
})

/** What the order of tasks comes from. */
export const scoreOperations = [getTaskScore]
