import { z } from 'zod'
import { groupings, type TaskAnalytics, type WorkFigures } from '../../analytics/index.js'
import { usageGroups } from '../../usage/index.js'
import { toWireUsage, usageJson } from '../wire/usage-wire.js'
import { operation } from './operation.js'
import { idText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const date = z.string({ error: 'must be a date, YYYY-MM-DD' })
const seconds = z.number().meta({ description: 'In seconds; 0 when there is nothing to measure.' })

const analyticsJson = z
  .object({
    period: z.object({ from: timestamp, to: timestamp }),
    metrics: z.object({
      total_tasks: z.int().meta({ description: 'The number of tasks created.' }),
      completed_tasks: z.int().meta({ description: 'The number of tasks completed and not reopened since.' }),
      success_rate: z.number().min(0).max(1).meta({
        description:
          'The completed share of the tasks that were completed or failed permanently; 0 when there are none.',
      }),
      avg_completion_time: seconds,
      time_saved_hours: z.number(),
    }),
    daily_breakdown: z.array(
      z.object({
        date: z.string().meta({ format: 'date', description: 'The first day of the day, week or month.' }),
        tasks_completed: z.int(),
        avg_completion_time: seconds,
        time_saved: z.number().meta({ description: 'In hours.' }),
      }),
    ),
  })
  .meta({ id: 'TaskAnalytics' })

const getTaskAnalytics = operation({
  id: 'getTaskAnalytics',
  tag: 'analytics',
  summary: 'Numbers of tasks, how long they took, the success rate and the time saved',
  description:
    'Days are in UTC, and weeks begin on Monday. The default period is the last thirty days up to today; the longest is 400 days.',
  method: 'GET',
  path: '/v2/analytics/tasks',
  client: 'analytics.tasks',
  scope: 'analytics:read',
  query: z.object({
    from: date.optional().meta({ format: 'date', description: 'The first day.' }),
    to: date.optional().meta({ format: 'date', description: 'The last day.' }),
    group_by: z.enum(groupings, { error: `must be one of ${groupings.join(', ')}` }).optional(),
    workspace_id: idText.optional().meta({ description: 'Without it, all workspaces within reach.' }),
  }),
  answer: { status: 200, schema: analyticsJson },
  async run({ services, principal, query: { from, to, group_by: groupBy, workspace_id: workspaceId } }) {
    return toWireAnalytics(await services.analytics.forTasks(principal, { from, to, groupBy, workspaceId }))
  },
})

const usageSumJson = usageJson
  .extend({
    key: z.string().meta({
      description: 'A day as 2026-11-22, the id of an agent, a type or a model. Empty for none.',
    }),
    reports: z.number(),
  })
  .meta({ id: 'UsageSum' })

const getUsage = operation({
  id: 'getUsage',
  tag: 'analytics',
  summary: 'The usage that agents reported',
  description:
    'Days are in UTC. The longest period is 366 days. Days and groups without a report are left out.',
  method: 'GET',
  path: '/v2/analytics/usage',
  client: 'analytics.usage',
  scope: 'analytics:read',
  query: z.object({
    from: date.meta({ format: 'date', description: 'The first day.' }),
    to: date.meta({ format: 'date', description: 'The last day.' }),
    group_by: z.enum(usageGroups, { error: `must be one of ${usageGroups.join(', ')}` }),
    workspace_id: idText.optional().meta({ description: 'Without it, all workspaces within reach.' }),
    ...pageQuery,
  }),
  answer: { status: 200, schema: z.object({ usage: z.array(usageSumJson), next_cursor: nextCursor }) },
  async run({ services, principal, query }) {
    const { group_by: groupBy, workspace_id: workspaceId, ...rest } = query
    const { sums, nextCursor: next } = await services.usage.sum(principal, { ...rest, groupBy, workspaceId })
    return {
      usage: sums.map((sum) => ({ ...toWireUsage(sum), key: sum.key, reports: sum.reports })),
      next_cursor: next,
    }
  },
})

/** Figures about tasks. */
export const analyticsOperations = [getTaskAnalytics, getUsage]

function toWireAnalytics({ period, metrics, breakdown }: TaskAnalytics): z.output<typeof analyticsJson> {
  return {
    period: { from: toTimestamp(period.from), to: toTimestamp(period.to) },
    metrics: {
      total_tasks: metrics.totalTasks,
      completed_tasks: metrics.completedTasks,
      success_rate: rounded(metrics.successRate),
      avg_completion_time: averageSeconds(metrics),
      time_saved_hours: hoursSaved(metrics),
    },
    daily_breakdown: breakdown.map((part) => ({
      date: part.date,
      tasks_completed: part.completedTasks,
      avg_completion_time: averageSeconds(part),
      time_saved: hoursSaved(part),
    })),
  }
}

function averageSeconds({ averageCompletionMs }: WorkFigures): number {
  return Math.round(averageCompletionMs) / 1_000
}

function hoursSaved({ timeSavedMs }: WorkFigures): number {
  return rounded(timeSavedMs / 3_600_000)
}

/** To four decimals. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
