import type pg from 'pg'
import { createTestPool } from '@taskboard/kit/postgres/test-database'
import { costOf, parsePlan, type Cost, type ExecutedPlan } from './plan.js'

/** How the server plans prepared statements: for the given values, or once for all. */
export type PlanCacheMode = 'force_custom_plan' | 'force_generic_plan'

/** A pool for the storage on which the server reports the plan of everything that it executes. */
export interface WatchedPool {
  readonly pool: pg.Pool
  /** Runs `work` and adds up what the server executed in the meantime. */
  watch<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly cost: Cost }>
}

/** Requires a superuser: `auto_explain` is loaded into the sessions. */
export function createWatchedPool(url: string, mode: PlanCacheMode): WatchedPool {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': 0,
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    plan_cache_mode: mode,
    // No plan here is worth compiling.
    jit: 'off',
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const pool = createTestPool({ connectionString: url, max: 4, options: options.join(' ') })
  const sent = new Set<string>()
  let plans: ExecutedPlan[] = []
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const plan = parsePlan(message)
      if (plan !== null) plans.push(plan)
    })
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    // A statement that is not sent from here is nested in one that is.
    client.query = ((...given: unknown[]) => {
      const [first] = given as [string | { readonly text: string }]
      sent.add(typeof first === 'string' ? first : first.text)
      return query(...given)
    }) as typeof client.query
  })
  return {
    pool,
    async watch(work) {
      plans = []
      const result = await work()
      return { result, cost: costOf(plans, (plan) => !sent.has(plan['Query Text'])) }
    },
  }
}
