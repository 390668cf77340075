import { z } from 'zod'
import type { Reach } from '../access/index.js'
import type { Environment, Instant, InTransaction } from '../environment/index.js'
import { parseInput, TaskboardError } from '../errors/index.js'
import { type AnalyticsStore, type Baselines, type Day, type DayFigures, dayOf } from './analytics-store.js'

export interface AnalyticsOptions {
  /** How long a person would take for a task, in minutes. Time saved is measured against it. */
  readonly baselineMinutes?:
    | {
        /** Default 30. */
        readonly default?: number | undefined
        /** By the task's `type`, in place of the default. */
        readonly byType?: Readonly<Record<string, number>> | undefined
      }
    | undefined
}

const DEFAULT_MINUTES = 30
const MOST_MINUTES = 525_600
const MINUTE_MS = 60_000

/** @throws TaskboardError `INVALID_CONFIG` for minutes that aren't from 0 to 525,600 (a year). */
export function resolveBaselines(options: AnalyticsOptions = {}): Baselines {
  const { default: minutes = DEFAULT_MINUTES, byType = {} } = options.baselineMinutes ?? {}
  const types = Object.entries(byType).map(([type, each]) => [type, toMs(each, `byType.${type}`)] as const)
  return { defaultMs: toMs(minutes, 'default'), msByType: Object.fromEntries(types) }
}

function toMs(minutes: number, name: string): number {
  if (Number.isFinite(minutes) && minutes >= 0 && minutes <= MOST_MINUTES) return minutes * MINUTE_MS
  const field = `analytics.baselineMinutes.${name}`
  throw new TaskboardError('INVALID_CONFIG', `${field} must be from 0 to ${MOST_MINUTES}`, { field })
}

/** The groupings of figures: days of UTC, weeks from Monday on (ISO 8601), months. */
export const groupings = ['day', 'week', 'month'] as const

export type Grouping = (typeof groupings)[number]

const DAY_MS = 86_400_000

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** The first instant of a day. */
export function startOf(day: Day): Instant {
  return day * DAY_MS
}

/** A date as `YYYY-MM-DD`. */
export function dateOf(day: Day): string {
  return new Date(startOf(day)).toISOString().slice(0, 10)
}

/** The day of a date; null for text that isn't a date of the calendar. */
export function parseDate(text: string): Day | null {
  if (!DATE.test(text)) return null
  const instant = Date.parse(`${text}T00:00:00.000Z`)
  if (Number.isNaN(instant)) return null
  const day = dayOf(instant)
  return dateOf(day) === text ? day : null
}

/** The first day of a day's group. */
export function firstDayOf(day: Day, grouping: Grouping): Day {
  if (grouping === 'day') return day
  const date = new Date(startOf(day))
  return grouping === 'week' ? day - ((date.getUTCDay() + 6) % 7) : day - (date.getUTCDate() - 1)
}

/** A query. Days are in UTC. */
export interface AnalyticsQuery {
  /** Default: all workspaces within reach. */
  readonly workspaceId?: string | null | undefined
  /** The first day, `YYYY-MM-DD`. Default: the thirtieth up to the last one. */
  readonly from?: string | undefined
  /** The last day, `YYYY-MM-DD`. Default: today. At most 400 days. */
  readonly to?: string | undefined
  /** Default `day`. */
  readonly groupBy?: Grouping | undefined
}

/** The work of a period, or of a part of it. */
export interface WorkFigures {
  /** How many tasks were completed, by agents or by people, and not reopened since. */
  readonly completedTasks: number
  /** From entering DOING to DONE, for those that were in DOING; 0 when there are none. */
  readonly averageCompletionMs: number
  /** The time that the completed tasks would have taken a person, minus their time in DOING; never negative. */
  readonly timeSavedMs: number
}

export interface TaskAnalytics {
  readonly period: {
    readonly from: Instant
    /** The last millisecond. */
    readonly to: Instant
  }
  readonly metrics: WorkFigures & {
    /** How many tasks were created. */
    readonly totalTasks: number
    /** Of the tasks that were completed or failed permanently, the part that was completed: 0 to 1; 0 when there are none. */
    readonly successRate: number
  }
  /** One for each day, week or month of the period, in order, including those without events. */
  readonly breakdown: readonly (WorkFigures & {
    /** Its first day, which may lie before the period: `YYYY-MM-DD`. */
    readonly date: string
  })[]
}

/** Figures about tasks, exact at any time. */
export interface Analytics<Tx = unknown> {
  /**
   * One round trip, whatever the number of tasks.
   * @throws TaskboardError `INVALID_FIELD` naming the field; `NOT_FOUND` (`workspaceId`) for a workspace beyond reach.
   */
  forTasks(reach: Reach, query?: AnalyticsQuery, options?: InTransaction<Tx>): Promise<TaskAnalytics>
}

interface AnalyticsDeps<Tx> {
  readonly environment: Environment
  readonly store: AnalyticsStore<Tx>
  readonly baselines: Baselines
}

const DEFAULT_DAYS = 30
const MOST_DAYS = 400

const date = z
  .string({ error: 'must be a date, YYYY-MM-DD' })
  .transform((text) => parseDate(text))
  .refine((day) => day !== null, 'must be a valid date, YYYY-MM-DD')

const input = z.strictObject({
  workspaceId: z.string({ error: 'must be an id' }).nullish(),
  from: date.optional(),
  to: date.optional(),
  groupBy: z.enum(groupings, { error: 'must be day, week or month' }).default('day'),
})

export function createAnalytics<Tx>({ environment, store, baselines }: AnalyticsDeps<Tx>): Analytics<Tx> {
  return {
    async forTasks(reach, query = {}, options) {
      const { workspaceId = null, groupBy, ...asked } = parseInput(input, query)
      const { fromDay, toDay } = periodOf(asked, dayOf(environment.clock.now()))
      const figures = await store.readFigures(
        { reach, workspaceId, fromDay, toDay, baselines },
        environment.call(options),
      )
      const all = total(figures)
      return {
        period: { from: startOf(fromDay), to: startOf(toDay + 1) - 1 },
        metrics: {
          totalTasks: all.created,
          ...workOf(all),
          successRate: all.completed === 0 ? 0 : all.completed / (all.completed + all.failed),
        },
        breakdown: gather(figures, { fromDay, toDay, groupBy }),
      }
    },
  }
}

interface Period {
  readonly fromDay: Day
  readonly toDay: Day
}

function periodOf(
  { from, to }: { readonly from?: Day | null | undefined; readonly to?: Day | null | undefined },
  today: Day,
): Period {
  const toDay = to ?? today
  const fromDay = from ?? toDay - DEFAULT_DAYS + 1
  if (fromDay > toDay) {
    throw new TaskboardError('INVALID_FIELD', 'from must not come after to', { field: 'from' })
  }
  if (toDay - fromDay >= MOST_DAYS) {
    throw new TaskboardError('INVALID_FIELD', `the period must have at most ${MOST_DAYS} days`, {
      field: 'from',
    })
  }
  return { fromDay, toDay }
}

function gather(
  figures: readonly DayFigures[],
  { fromDay, toDay, groupBy }: Period & { readonly groupBy: Grouping },
): TaskAnalytics['breakdown'] {
  const groups = new Map<Day, DayFigures[]>()
  for (let day = fromDay; day <= toDay; day++) groups.set(firstDayOf(day, groupBy), [])
  for (const each of figures) groups.get(firstDayOf(each.day, groupBy))?.push(each)
  return [...groups].map(([day, own]) => ({ date: dateOf(day), ...workOf(total(own)) }))
}

type Totals = Omit<DayFigures, 'day'>

function total(figures: readonly DayFigures[]): Totals {
  const sum = (of: (each: DayFigures) => number) => figures.reduce((all, each) => all + of(each), 0)
  return {
    created: sum(({ created }) => created),
    completed: sum(({ completed }) => completed),
    failed: sum(({ failed }) => failed),
    timed: sum(({ timed }) => timed),
    takenMs: sum(({ takenMs }) => takenMs),
    baselineMs: sum(({ baselineMs }) => baselineMs),
  }
}

function workOf({ completed, timed, takenMs, baselineMs }: Totals): WorkFigures {
  return {
    completedTasks: completed,
    averageCompletionMs: timed === 0 ? 0 : takenMs / timed,
    timeSavedMs: Math.max(0, baselineMs - takenMs),
  }
}
