import { z } from 'zod'
import { explainScore } from '../../priority/index.js'
import { operation } from './operation.js'
import { idText, timestamp, toTimestamp } from './wire-schemas.js'

const factor = z.object({
  weight: z.number().meta({ description: 'The share of the score, 0 to 1. The four weights add up to 1.' }),
  value: z.number().meta({ description: '0 to 1.' }),
})

const explained = z
  .object({
    score: z.number().meta({ description: 'The sum of each weight times its value, to four decimals.' }),
    factors: z.object({
      flag: factor.meta({ description: 'The priority flag: low 0 to urgent 1.' }),
      due: factor.meta({ description: 'How close the deadline is; 0 without one, 1 when it has passed.' }),
      age: factor.meta({ description: 'How long the task has existed.' }),
      free: factor.meta({ description: '1 unless a dependency is not done.' }),
    }),
    as_of: timestamp,
  })
  .meta({ id: 'TaskScore' })

const getTaskScore = operation({
  id: 'getTaskScore',
  tag: 'tasks',
  summary: 'Why a task is where it is: its score now, and the four factors',
  description: 'Agents take the task with the highest score that is free, not on hold, and for them.',
  method: 'GET',
  path: '/v2/tasks/{task_id}/score',
  scope: 'tasks:read',
  params: z.object({ task_id: idText }),
  answer: { status: 200, schema: explained },
  async run({ services, principal, params }) {
    const { scoring, environment, tasks } = services
    const { task } = await tasks.find(principal, params.task_id)
    const now = environment.clock.now()
    const { factors, score } = explainScore(task, now, scoring)
    const { flag, due, age, free } = scoring.weights
    const total = flag + due + age + free
    const of = (weight: number, value: number) => ({ weight: weight / total, value })
    return {
      score,
      factors: {
        flag: of(flag, factors.flag),
        due: of(due, factors.due),
        age: of(age, factors.age),
        free: of(free, factors.free),
      },
      as_of: toTimestamp(now),
    }
  },
})

/** What the order of tasks comes from. */
export const scoreOperations = [getTaskScore]
