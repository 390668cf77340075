import { useEffect, useMemo } from 'preact/hooks'
import { coalesce } from '../state/coalesce.js'
import { onMessage } from '../state/live.js'
import { route } from '../state/router.js'
import type { UsageSum } from '../state/wire.js'
import { analyticsText as text } from '../texts/analytics.js'
import { formatShare } from '../texts/format.js'
import { formatCost, formatCount, formatSeconds } from '../texts/format.js'
import { Show, useLoaded } from '../ui/states.js'
import { readAnalytics, tokensOf, total, type Analytics } from './analytics-data.js'
import { Chart, Shares, type Point, type Share } from './chart.js'
import { eachDay, longDate, parsePeriod, shortDate, type Period } from './period.js'
import { PeriodForm } from './period-form.js'

const SETTLE_MS = 30_000
const S_PER_H = 3_600

/** How much was done, how fast, and for how much. */
export function AnalyticsPage() {
  const { query } = route.value
  const period = useMemo(() => parsePeriod(query), [query.toString()])
  const { from, to, by } = period
  const loaded = useLoaded((signal) => readAnalytics(period, signal), [from, to, by])
  useEffect(() => {
    const settle = coalesce(loaded.reload, SETTLE_MS)
    const stop = onMessage(({ type }) => {
      if (type === 'task.created' || type === 'task.completed' || type === 'task.failed') settle()
    })
    return () => {
      stop()
      settle.cancel()
    }
  }, [])
  return (
    <div class="page-inner page-wide">
      <h2 class="visually-hidden">{text.period}</h2>
      <PeriodForm period={period} />
      <Show loaded={loaded}>{(analytics) => <Figures analytics={analytics} period={period} />}</Show>
    </div>
  )
}

function Figure({
  name,
  value,
  hint,
}: {
  readonly name: string
  readonly value: string
  readonly hint?: string
}) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        {value}
        {hint !== undefined && <small class="hint">{hint}</small>}
      </dd>
    </div>
  )
}

function Figures({ analytics, period }: { readonly analytics: Analytics; readonly period: Period }) {
  const { metrics } = analytics.tasks
  const { figures, hints } = text
  return (
    <>
      <dl class="figures">
        <Figure name={figures.total} value={formatCount(metrics.total_tasks)} />
        <Figure name={figures.completed} value={formatCount(metrics.completed_tasks)} />
        <Figure name={figures.success} value={formatShare(metrics.success_rate)} hint={hints.success} />
        <Figure
          name={figures.duration}
          value={formatSeconds(metrics.avg_completion_time)}
          hint={hints.duration}
        />
        <Figure
          name={figures.saved}
          value={formatSeconds(metrics.time_saved_hours * S_PER_H)}
          hint={hints.saved}
        />
        <Figure name={figures.tokens} value={formatCount(total(analytics.byDay, tokensOf))} />
        <Figure name={figures.cost} value={formatCost(total(analytics.byDay, (sum) => sum.cost_usd))} />
      </dl>
      <Charts analytics={analytics} period={period} />
    </>
  )
}

function sharesOf(sums: readonly UsageSum[], nameOf: (key: string) => string): readonly Share[] {
  return sums.map((sum) => ({
    key: sum.key,
    name: sum.key === '' ? text.none : nameOf(sum.key),
    cost: sum.cost_usd,
    tokens: tokensOf(sum),
    reports: sum.reports,
  }))
}

function Charts({ analytics, period }: { readonly analytics: Analytics; readonly period: Period }) {
  const { tasks, byDay, byType, byAgent, byModel, agents } = analytics
  const { by } = period
  const pointsOf = (
    value: (part: (typeof tasks.daily_breakdown)[number]) => number | null,
  ): readonly Point[] =>
    tasks.daily_breakdown.map((part) => ({
      key: part.date,
      short: shortDate(part.date, by),
      long: by === 'week' ? text.weekOf(longDate(part.date, by)) : longDate(part.date, by),
      value: value(part),
    }))
  const costs = new Map(byDay.map(({ key, cost_usd: cost }) => [key, cost]))
  const costPoints = eachDay(period).map((day) => ({
    key: day,
    short: shortDate(day, 'day'),
    long: longDate(day, 'day'),
    value: costs.get(day) ?? 0,
  }))
  const { charts } = text
  return (
    <>
      <div class="charts charts-4">
        <Chart
          title={charts.throughput}
          kind="bars"
          points={pointsOf((part) => part.tasks_completed)}
          format={formatCount}
        />
        <Chart
          title={charts.duration}
          kind="line"
          // Without a completed task there is no duration.
          points={pointsOf((part) => (part.tasks_completed === 0 ? null : part.avg_completion_time))}
          format={formatSeconds}
          isTime
        />
        <Chart
          title={charts.saved}
          kind="bars"
          points={pointsOf((part) => part.time_saved * S_PER_H)}
          format={formatSeconds}
          isTime
        />
        <Chart title={charts.cost} kind="bars" points={costPoints} format={formatCost} />
      </div>
      <div class="charts charts-3">
        <Shares title={charts.byType} shares={sharesOf(byType, (key) => key)} />
        <Shares
          title={charts.byAgent}
          shares={sharesOf(byAgent, (key) => agents.get(key) ?? text.deletedAgent)}
        />
        <Shares title={charts.byModel} shares={sharesOf(byModel, (key) => key)} />
      </div>
    </>
  )
}
