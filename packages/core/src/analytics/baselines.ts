import { TaskboardError } from '../errors/index.js'
import type { Baselines } from './analytics-store.js'

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

/** @throws TaskboardError `INVALID_CONFIG` for minutes that are not from 0 to 525,600 (a year). */
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
