import { completeBeforeClaim, completionsOf } from './complete-sql.js'
import { BEST_FIRST, EACH_LANE, slopeOf } from './lane-sql.js'
import { taskColumns, type TaskRow } from './task-row.js'

/** What a claiming statement answers: a row for each task that was completed or claimed, or one without a task. */
export interface ClaimRow extends TaskRow {
  /** Whether the task was completed; null when there is none. */
  readonly isOutcome: boolean | null
  /** Of a completed task, its place among the completions. */
  readonly ord: number
  readonly isStale: boolean
  /** How many candidates were looked at; a claim for one agent tells it only when it took fewer than were wanted. */
  readonly seen: number | null
  /** In how many milliseconds the first wait ends that keeps something from the agents; null when there is none. */
  readonly nextReadyInMs: number | null
  readonly isKnown: boolean
}

/** More than there are events before those of claims in one statement. */
const AFTER_COMPLETIONS = 1_000_000

/**
 * Limits nothing that is ever asked for: it is there for the planner, which cannot know what the other limits come to, and
 * reads whole tables when it expects many rows.
 */
const MOST_EXPECTED = 500

/** How long from `p.now` the instant is that a function returns, at least 0; null where it returns none. Called once. */
export function untilFirst(call: string): string {
  return /* sql */ `(select f.at - least(f.at, p.now) from p, (select ${call} as at offset 0) f)`
}

/** The most tasks that one statement claims. */
export const MOST_CLAIMED = 200

/** A claim looks at this many of each lane and pool at least. */
export const LEAST_DEPTH = 4

/** The best of a lane and a pool, the first `depth`. */
export const headsOf = (workspace: string, agent: string, lane: string, depth: string): string => /* sql */ `
        select * from (
          select * from taskboard.todo t
          where t.ready and t.workspace_id = ${workspace} and t.agent_id = ${agent} and t.lane = ${lane}
          order by ${BEST_FIRST}
          limit ${depth}
        ) as heads limit ${MOST_EXPECTED}`

/**
 * Locks the candidate `r` unless somebody holds it. The task comes first: of one that is passed over because its task is held,
 * the place must stay free for whoever holds the task, and perhaps the log.
 */
export const LOCKED_IN_TURN = /* sql */ `
        select q.workspace_id, q.agent_id from taskboard.todo q join taskboard.task t on t.id = q.task_id
        where q.task_id = r.task_id
        limit 1
        for update of t, q skip locked`

/** What starts a task `t` at `p.now`. */
export const start = (agent: string, leaseMs: string): string => `
      column_name = 'DOING', not_before = null, progress = 0, started_at = p.now, updated_at = p.now,
      attempts = t.attempts + 1, fencing_token = t.fencing_token + 1, lease_agent_id = ${agent},
      lease_expires_at = p.now + ${leaseMs}, lease_ms = ${leaseMs}, version = t.version + 1`

/**
 * The part of a claiming statement from the candidates to the tasks, for all agents of a type, under leases of $4. It reads
 * - `p` (now), and `wanted`, an expression for how many,
 * - `stale` (is_stale: placements have ended that must be made anew first; then nothing is taken),
 * - `station` (workspace_id, place: the workspaces whose turn it is, in order),
 * - `worker` (workspace_id, agent_id, held: who may take, and how many tasks each has already).
 *
 * `candidate` says how many there were: when more than were taken, another look may find more. It leaves `claimed` behind, the
 * tasks with their `ord`, from `after` + 1 on.
 */
export const takeBest = ({ wanted, after }: ClaimParts): string => /* sql */ `
  look as materialized (
    select greatest(16, 2 * ${wanted}) / greatest(1, (select count(*) from station)) + ${LEAST_DEPTH} as depth
  ),
  candidate as materialized (
    select q.task_id, q.workspace_id, s.place, q.due_date, q.created_at, q.key + s.slope * p.now as score
    from p, (
        select station.*, l.lane, ${slopeOf('l.lane')} as slope
        from station, taskboard.scoring s, ${EACH_LANE}
      ) as s
      cross join lateral (
        select ''::text as agent_id union all select w.agent_id from worker w where w.workspace_id = s.workspace_id
      ) as pool
      cross join lateral (${headsOf('s.workspace_id', 'pool.agent_id', 's.lane', '(select depth from look)')}
      ) as q
    where not (select is_stale from stale)
  ),
  ranked as materialized (
    select task_id, place,
      row_number() over (partition by workspace_id order by score desc, due_date, created_at, task_id) as turn
    from candidate
  ),
  picked as materialized (
    select * from (
      select r.task_id, r.turn, r.place, q.workspace_id, q.agent_id
      from (select * from ranked order by turn, place) as r cross join lateral (${LOCKED_IN_TURN}
      ) as q
      limit ${wanted}
    ) as heads limit ${MOST_CLAIMED}
  ),
  numbered as (
    select *, row_number() over (order by turn, place) as ord,
      row_number() over (partition by workspace_id, agent_id = '' order by turn) as nth
    from picked
  ),
  -- What anyone may take goes to whoever has the least, counting on while the batch is dealt out.
  dealt as (
    select w.workspace_id, w.agent_id,
      row_number() over (partition by w.workspace_id order by w.held + n, w.agent_id) as nth
    from worker w, generate_series(0, ${wanted} - 1) as n
  ),
  taken as (
    select n.task_id, n.ord, coalesce(nullif(n.agent_id, ''), d.agent_id) as agent_id
    from numbered n left join dealt d on d.workspace_id = n.workspace_id and d.nth = n.nth
  ),
  left_queue as (delete from taskboard.todo q where q.task_id = any (array(select task_id from picked))),
  claimed as (
    update taskboard.task t set ${start('taken.agent_id', '$4::bigint')}
    from taken, p
    where t.id = any (array(select task_id from picked)) and t.id = taken.task_id
    returning t.*, ${after} + taken.ord as ord
  )`

/** Whether the placement of anything has ended at `now`, when it is asked for. */
export const staleAt = (now: string): string =>
  `($2::boolean and coalesce((select min(until) from taskboard.todo where until < 9223372036854775807) <= ${now}, false))`

/** What differs between a statement that only claims and one that completes first, and claims one more for each that it did. */
interface ClaimParts {
  readonly complete: string
  /**
   * An expression for how many tasks to claim. It is a query of its own: a bare parameter would make the plan for one number so
   * much cheaper in the planner's eyes than the one for any number that it planned anew each time.
   */
  readonly wanted: string
  readonly after: number
  /** Takes what the agent `a` has completed from the count of its tasks. */
  readonly leaving: string
  readonly draft: string
  /** Selects the completed tasks with the places of their completions, and the claimed ones in their order. */
  readonly reply: string
}

/** The events of the tasks in `claimed`. */
const STARTED = /* sql */ `
    select c.workspace_id, c.ord, 'task.started' as type, c.started_at as at, jsonb_build_object(
      'taskId', c.id, 'title', c.title, 'status', 'DOING', 'agentId', c.lease_agent_id, 'attempt', c.attempts,
      'startedAt', c.started_at) as facts
    from claimed c`

/** Completes only when `condition` is true, and placements are not stale. The completions are the seventh parameter. */
export function claimParts(withCompletions: boolean, isStale: string, condition: string): ClaimParts {
  const claimed = `select false as "isOutcome", c.ord, ${taskColumns('c')} from claimed c`
  if (!withCompletions) {
    return {
      complete: '',
      wanted: '(select $3::integer)',
      after: 0,
      leaving: '',
      draft: `draft as (${STARTED}
  )`,
      reply: claimed,
    }
  }
  return {
    complete: `
  ${completionsOf(7)},
  ${completeBeforeClaim(`not ${isStale} and ${condition}`)},
  wanted as materialized (select ($3::integer + (select count(*) from done))::integer as wanted),`,
    wanted: '(select wanted from wanted)',
    after: AFTER_COMPLETIONS,
    leaving: ' - (select count(*) from done d where d.done_by = a.id)',
    draft: `draft as (
    select * from completed union all ${STARTED}
  )`,
    reply: `select true as "isOutcome", d.ord, ${taskColumns('d')} from done d union all ${claimed}`,
  }
}
