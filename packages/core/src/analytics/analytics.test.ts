import { describe, expect, it } from 'vitest'
import { virtualClock } from '@taskboard/testing'
import { createEnvironment } from '../environment/index.js'
import { createAnalytics, parseDate } from './analytics.js'
import type { DayFigures, FiguresQuery } from './analytics-store.js'

const reach = { accountId: 'acct_1', workspaceIds: 'all' } as const
const MINUTE_MS = 60_000
const on = (date: string, figures: Partial<DayFigures>): DayFigures => ({
  day: parseDate(date) ?? 0,
  created: 0,
  completed: 0,
  failed: 0,
  timed: 0,
  takenMs: 0,
  baselineMs: 0,
  ...figures,
})

/** The clock stands at midday of a Wednesday. */
function setUp(days: readonly DayFigures[] = []) {
  const clock = virtualClock(Date.UTC(2026, 6, 15, 12))
  const asked: FiguresQuery[] = []
  const store = {
    rollUp: async () => 0,
    async readFigures(query: FiguresQuery) {
      asked.push(query)
      return days
    },
  }
  const baselines = { defaultMs: 30 * MINUTE_MS, msByType: {} }
  const analytics = createAnalytics({ environment: createEnvironment({ clock }), store, baselines })
  return { analytics, asked }
}

describe('analytics', () => {
  it.each([
    [{}, '2026-06-16', '2026-07-15'],
    [{ to: '2026-03-01' }, '2026-01-31', '2026-03-01'],
    [{ from: '2026-07-01' }, '2026-07-01', '2026-07-15'],
    [{ from: '2026-07-15' }, '2026-07-15', '2026-07-15'],
    [{ from: '2025-06-11' }, '2025-06-11', '2026-07-15'],
    [{ from: '2027-01-01', to: '2027-01-01' }, '2027-01-01', '2027-01-01'],
  ])('for %j cover %s to %s', async (query, from, to) => {
    const { analytics, asked } = setUp()
    const { period } = await analytics.forTasks(reach, query)
    expect(asked).toMatchObject([{ workspaceId: null, fromDay: parseDate(from), toDay: parseDate(to) }])
    expect(new Date(period.from).toISOString()).toBe(`${from}T00:00:00.000Z`)
    expect(new Date(period.to).toISOString()).toBe(`${to}T23:59:59.999Z`)
  })

  it.each([
    [{ from: '2025-06-10' }, 'from'],
    [{ from: '2026-07-16' }, 'from'],
    [{ from: 'x' }, 'from'],
    [{ to: '2026-02-29' }, 'to'],
    [{ groupBy: 'year' as 'day' }, 'groupBy'],
    [{ workspaceId: 7 as unknown as string }, 'workspaceId'],
  ])('for %j are refused', async (query, field) => {
    const { analytics, asked } = setUp()
    await expect(analytics.forTasks(reach, query)).rejects.toMatchObject({ code: 'INVALID_FIELD', field })
    expect(asked).toEqual([])
  })

  it('save no time when the agents took longer than people would', async () => {
    const { analytics } = setUp([
      on('2026-07-06', { completed: 1, timed: 1, takenMs: 100 * MINUTE_MS, baselineMs: 30 * MINUTE_MS }),
    ])
    const { metrics, breakdown } = await analytics.forTasks(reach, { from: '2026-07-06', to: '2026-07-06' })
    expect([metrics.timeSavedMs, breakdown.map(({ timeSavedMs }) => timeSavedMs)]).toEqual([0, [0]])
  })

  it('compute each figure from its counts, never below zero', async () => {
    const fast = { created: 5, completed: 2, failed: 1, timed: 1, takenMs: 10 * MINUTE_MS }
    const slow = { created: 1, completed: 1, timed: 1, takenMs: 100 * MINUTE_MS, baselineMs: 30 * MINUTE_MS }
    const { analytics } = setUp([
      on('2026-07-03', { ...fast, baselineMs: 60 * MINUTE_MS }),
      on('2026-07-06', slow),
      on('2026-07-07', { completed: 3, baselineMs: 90 * MINUTE_MS }),
    ])
    const { metrics, breakdown } = await analytics.forTasks(reach, {
      from: '2026-07-02',
      to: '2026-07-07',
      groupBy: 'week',
    })
    expect(metrics).toEqual({
      totalTasks: 6,
      completedTasks: 6,
      successRate: 6 / 7,
      averageCompletionMs: 55 * MINUTE_MS,
      timeSavedMs: 70 * MINUTE_MS,
    })
    expect(breakdown).toEqual([
      {
        date: '2026-06-29',
        completedTasks: 2,
        averageCompletionMs: 10 * MINUTE_MS,
        timeSavedMs: 50 * MINUTE_MS,
      },
      {
        date: '2026-07-06',
        completedTasks: 4,
        averageCompletionMs: 100 * MINUTE_MS,
        timeSavedMs: 20 * MINUTE_MS,
      },
    ])
  })
})
