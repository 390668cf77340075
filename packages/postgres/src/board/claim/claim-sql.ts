import type { AddedDeliveries } from '../../database/new-deliveries.js'
import { NEW_DELIVERIES } from '../../events/log-events.js'
import { cte } from './claim-tables.js'
import { completeBeforeClaim, completionsOf } from './complete-sql.js'
import { BEST_FIRST, BEST_OF_ALL, EACH_LANE, SCORING, slopeOf } from './lane-sql.js'
import { taskValues, type TaskValues } from '../task-row.js'

/** The row of a claiming statement. */
export interface ClaimRow {
  /** The claimed tasks, best first; null for none. */
  readonly claimed: readonly TaskValues[] | null
  /** Null for none, or without completions. */
  readonly completed: readonly CompletedValues[] | null
  readonly isStale: boolean
  /** The number of candidates seen. A claim for one agent returns it only when it took fewer than it requested. */
  readonly seen: number | null
  /** Milliseconds until the end of the first wait that keeps a task from the agents; null when there is none. */
  readonly nextReadyInMs: number | null
  readonly isKnown: boolean
  readonly newDeliveries: AddedDeliveries | null
}

/** A completed task: its place among the completions, when it was completed, and the task, unless its version was expected. */
export type CompletedValues = readonly [ord: number, at: number, task: TaskValues | null]

/** Whether agent `alias` isn't at rest, and its own and its workspace budget let it take tasks, at `p.now`. */
export const isAble = (alias: string): string =>
  `greatest(${alias}.spent_until, ${alias}.rest_until) <= (select now from ${cte.present})`

/** More than the events before the claim events in one statement. */
const AFTER_COMPLETIONS = 1_000_000

/**
 * Above every real limit. It is for the planner, which doesn't know the values of the other limits and reads whole tables when
 * it expects many rows.
 */
const MOST_EXPECTED = 500

/** Milliseconds from `p.now` to the instant that a function returns, at least 0; null when it returns none. Calls the function once. */
export function untilFirst(functionCall: string): string {
  return /* sql */ `(select f.at - least(f.at, p.now) from ${cte.present}, (select ${functionCall} as at offset 0) f)`
}

/** The most tasks that one statement claims. */
export const MOST_CLAIMED = 200
/** A claim reads at least this many of each lane and pool. */
export const LEAST_DEPTH = 4

/** The best `depth` tasks of a lane and a pool. */
export const bestTasksOf = (
  workspace: string,
  pool: string,
  lane: string,
  depth: string,
): string => /* sql */ `
        select * from (
          select * from taskboard.todo t
          where t.ready and t.workspace_id = ${workspace} and t.pool = ${pool} and t.lane = ${lane}
          order by ${BEST_FIRST}
          limit ${depth}
        ) as best_tasks limit ${MOST_EXPECTED}`

/**
 * Locks candidate `r` unless another transaction holds it. A task that was put on hold or given to another agent since the statement began
 * has another row in the queue. It is passed over. The task is locked before its row in the queue. That row must stay free for a
 * transaction that holds the task and will change the row.
 */
export const LOCKED_IN_TURN = /* sql */ `
        select q.workspace_id, q.pool from taskboard.todo q join taskboard.task t on t.id = q.task_id
        where q.task_id = r.task_id
        limit 1
        for update of t, q skip locked`

/** The assignments that start a task `t` at `p.now`. */
export const start = (agent: string, leaseMs: string): string => `
      column_name = 'DOING', not_before = null, progress = 0, started_at = p.now, updated_at = p.now,
      attempts = t.attempts + 1, fencing_token = t.fencing_token + 1, lease_agent_id = ${agent},
      lease_expires_at = p.now + ${leaseMs}, lease_ms = ${leaseMs}, version = t.version + 1`

/** The column of an agent that is compared with the type of a claim: its own type, or the runtime that it falls back to. */
export type AgentColumn = 'type' | 'fallback'

/**
 * Which pools are shared by the same agents, by a claim's kind: of a pool, and of those that agent `w` shares. All agents of a claim by
 * type share the pool of the type and the pool of any agent.
 */
const SHARES: Readonly<
  Record<
    AgentColumn,
    { readonly of: (pool: string) => string; readonly ofWorker: (worker: string) => string }
  >
> = {
  type: { of: (pool) => `case when ${pool} like '#%' then '' else ${pool} end`, ofWorker: () => `('')` },
  fallback: { of: (pool) => pool, ofWorker: (worker) => `(''), (${worker}.type_pool)` },
}

/** How many tasks of each lane and pool are read for that many: the more workspaces have their turn, the fewer of each. */
const depthOf = (requested: string): string =>
  `(select greatest(16, 2 * ${requested}) / greatest(1, (select count(*) from ${cte.servedWorkspace})) + ${LEAST_DEPTH})`

/**
 * The part of a claiming statement from the candidates to the tasks, for all agents of a type, under leases of $4. It reads
 * - `p` (now, is_stale: ended placements must be recomputed first; then nothing is taken), and `requested`, an expression for the number of tasks,
 * - `served_workspace` (workspace_id, place: the workspaces whose turn it is, in order),
 * - `worker` (workspace_id, agent_id, type_pool, task_count, room): the agents that may take tasks. `type_pool` is the pool of their type,
 *   `task_count` how many each has, and `room` how many more it may have.
 *
 * `candidate` gives the number of candidates: when it exceeds the number taken, another try may find more. The result is
 * `claimed`, the tasks with their `ord`, from `after` + 1.
 */
export const takeBest = ({ requested, after }: ClaimParts, column: AgentColumn): string => /* sql */ `
  ${cte.candidate} as materialized (
    select q.task_id, q.workspace_id, s.place, q.due_date, q.created_at, q.key + s.slope * p.now as score
    from ${cte.present}, (
        select served_workspace.*, l.lane, ${slopeOf('l.lane')} as slope
        from ${cte.servedWorkspace}, ${SCORING}, ${EACH_LANE}
      ) as s
      join (
        select distinct w.workspace_id, l.pool_id
        from ${cte.worker} w, lateral (values (''), (w.type_pool), (w.agent_id)) as l (pool_id)
        where w.room > 0
      ) as pool on pool.workspace_id = s.workspace_id
      cross join lateral (${bestTasksOf('s.workspace_id', 'pool.pool_id', 's.lane', depthOf(requested))}
      ) as q
    where not p.is_stale
  ),
  ${cte.picked} as materialized (
    select * from (
      select r.task_id, r.turn, r.place, q.workspace_id, q.pool
      from (
        select task_id, place,
          row_number() over (partition by workspace_id order by ${BEST_OF_ALL}) as turn
        from ${cte.candidate} order by turn, place
      ) as r cross join lateral (${LOCKED_IN_TURN}
      ) as q
      limit ${requested}
    ) as best_tasks limit ${MOST_CLAIMED}
  ),
  -- A task for several agents goes to the one of them that has the fewest, including those of this batch.
  ${cte.assigned} as (
    select w.workspace_id, e.share, w.agent_id,
      row_number() over (partition by w.workspace_id, e.share order by w.task_count + n, w.agent_id) as nth
    from ${cte.worker} w, lateral (values ${SHARES[column].ofWorker('w')}) as e (share),
      lateral generate_series(0, least(w.room, ${requested}) - 1) as n
  ),
  -- The tasks that take an agent beyond its bound stay in the queue.
  ${cte.dealt} as materialized (
    select coalesce(array_agg(task_id), '{}') as ids, array_agg(agent_id) as agents, array_agg(ord) as ords
    from (
      select each_agent.task_id, each_agent.ord, each_agent.agent_id
      from (
        select given.*, row_number() over (partition by agent_id order by ord) as nth_of_agent
        from (
          select n.task_id, n.ord, coalesce(a.agent_id, n.share) as agent_id
          from (
            select *, row_number() over (order by turn, place) as ord,
              row_number() over (partition by workspace_id, share order by turn) as nth
            from (select k.*, ${SHARES[column].of('k.pool')} as share from ${cte.picked} k) as shared_pick
          ) as n
            left join ${cte.assigned} a on a.workspace_id = n.workspace_id and a.share = n.share and a.nth = n.nth
        ) as given
      ) as each_agent
      join ${cte.worker} w on w.agent_id = each_agent.agent_id and each_agent.nth_of_agent <= w.room
      limit ${MOST_CLAIMED}
    ) as taken
  ),
  ${cte.dequeued} as (delete from taskboard.todo q where q.task_id = any ((select ids from ${cte.dealt})::text[])),
  ${cte.claimed} as (
    update taskboard.task t set ${start(
      `(select agents[array_position(ids, t.id)] from ${cte.dealt})`,
      '$4::bigint',
    )}
    from ${cte.present}
    where t.id = any ((select ids from ${cte.dealt})::text[])
    returning t.*, ${after} + (select ords[array_position(ids, t.id)] from ${cte.dealt}) as ord
  )`

/** Whether any placement is over at `now`, if `now` is asked for. */
export const staleAt = (now: string): string =>
  `($2::boolean and coalesce((select min(until) from taskboard.todo where until < 9223372036854775807) <= ${now}, false))`

/** The differences between a statement that only claims and one that completes first, and claims one more for each completion. */
interface ClaimParts {
  readonly complete: string
  /**
   * An expression for the number of tasks to claim. It is a separate query. With a bare parameter, the plan for one number would look
   * cheaper to the planner than the generic plan. It would then plan every call.
   */
  readonly requested: string
  readonly after: number
  /** Subtracts the completed tasks of agent `a` from its count. */
  readonly leaving: string
  readonly draft: string
  /** The members `claimed`, `completed` and `newDeliveries` of a `ClaimRow`. */
  readonly reply: string
}

/** The events of the tasks in `claimed`. */
const STARTED = /* sql */ `
    select c.workspace_id, c.ord, 'task.started' as type, c.started_at as at, jsonb_build_object(
      'taskId', c.id, 'title', c.title, 'status', 'DOING', 'agentId', c.lease_agent_id, 'attempt', c.attempts,
      'startedAt', c.started_at) as data
    from ${cte.claimed} c`

/** Completes only when `condition` is true and no placement is stale. The completions are parameter 8. */
export function claimParts(withCompletions: boolean, condition: string): ClaimParts {
  const claimed = `(select json_agg(${taskValues('c')} order by c.ord) from ${cte.claimed} c) as claimed`
  if (!withCompletions) {
    return {
      complete: '',
      requested: '(select $3::integer)',
      after: 0,
      leaving: '',
      draft: `${cte.draft} as (${STARTED}
  )`,
      reply: `${claimed}, null as completed, ${NEW_DELIVERIES} as "newDeliveries"`,
    }
  }
  return {
    complete: `
  ${completionsOf(8)},
  ${completeBeforeClaim(`not p.is_stale and ${condition}`)},
  ${cte.requested} as materialized (select ($3::integer + (select count(*) from ${cte.done}))::integer as requested),`,
    requested: `(select requested from ${cte.requested})`,
    after: AFTER_COMPLETIONS,
    leaving: ` - (select count(*) from ${cte.done} d where d.done_by = a.id)`,
    draft: `${cte.draft} as (
    select * from ${cte.completed} union all ${STARTED}
  )`,
    reply: `${claimed}, (
      select json_agg(json_build_array(d.ord, d.completed_at, case when d.version <> d.expected_version then ${taskValues('d')} end))
      from ${cte.done} d
    ) as completed, ${NEW_DELIVERIES} as "newDeliveries"`,
  }
}
