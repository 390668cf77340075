export { dayOf } from './analytics-store.js'
export type { AnalyticsStore, Baselines, Day, DayFigures, FiguresQuery } from './analytics-store.js'
export { countEvent, createRollUpSweep, type EventCount } from './roll-up.js'
export {
  type Analytics,
  type AnalyticsOptions,
  type AnalyticsQuery,
  createAnalytics,
  type Grouping,
  groupings,
  resolveBaselines,
  type TaskAnalytics,
  type WorkFigures,
} from './analytics.js'
