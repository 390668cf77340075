import { TaskboardError, type Instant, type Task } from '@taskboard/core'
import { anyAgentType, type ClaimByType, type ClaimForAgent, type ClaimTarget } from '@taskboard/core/storage'
import type { Session } from '../database.js'
import { claimByFallback, claimByType, type TypeClaimRow } from './claim-by-type.js'
import { claimForAgent, completeAndClaimForAgent } from './claim-for-agent.js'
import { LEAST_DEPTH, MOST_CLAIMED, type ClaimRow } from './claim-sql.js'
import { completionValues, type CompletionInput } from './completion-values.js'
import { settleQueue } from './settle-queue.js'
import { toTask } from './task-row.js'

export interface Pickup {
  /** How many tasks to claim, besides one for each completion that holds. */
  readonly limit: number
  readonly completions: readonly CompletionInput[]
  readonly now: Instant | null
  /** Whether each statement commits by itself: then what was taken is answered although a later one fails. */
  readonly commitsEach: boolean
}

export interface PickedUp {
  /** For each completion, in order: the task, or null when it was not done. */
  readonly completed: readonly (Task | null)[]
  /** The claimed tasks, best first. */
  readonly tasks: readonly Task[]
  readonly nextReadyInMs: number | null
}

/** Completes tasks and takes the best ones. @throws TaskboardError `NOT_FOUND` for an unknown agent, having done nothing. */
export type TaskClaims = (session: Session, target: ClaimTarget, pickup: Pickup) => Promise<PickedUp>

/** How many looks a claim takes when others hold what it has seen. */
const MOST_LOOKS = 8
/** How many ended placements are made anew before a claim; the rest is left to the next ones, and misorders next to nothing. */
const SETTLED_ROWS = 1_000

/** One run of a claiming statement. */
interface Look {
  readonly exact: boolean
  readonly limit: number
  readonly completions: readonly CompletionInput[]
}

/** What one run of a claiming statement has answered. */
interface Seen extends PickedUp {
  /** Placements have ended: nothing was done. */
  readonly isStale: boolean
  /** Whether there was nothing more that could be taken. */
  readonly isAll: boolean
}

/** Whose turn it is, is remembered by each process for itself: after a start the turns begin anew. */
export function createTaskClaims(): TaskClaims {
  const lastServed = new Map<string, string>()

  async function lookByType(
    session: Session,
    { agentType, leaseMs }: ClaimByType,
    now: Instant | null,
    { exact, limit, completions }: Look,
  ): Promise<Seen> {
    const last = lastServed.get(agentType) ?? ''
    const values = [now, exact, limit, leaseMs, agentType, last]
    const { claim, completeAndClaim } = agentType === anyAgentType ? claimByFallback : claimByType
    const rows = inOrder(
      completions.length === 0
        ? await session.run(claim, values)
        : await session.run(completeAndClaim, [...values, completionValues(completions)]),
    )
    const served = lastOf(rows)
    if (served !== null) lastServed.set(agentType, served)
    // The walk came all the way round when it found fewer workspaces with work than could have had a turn. Each of several was
    // looked at only for its share of what is wanted, so one may have more where others had less.
    const { stations = [], seen } = rows[0] ?? {}
    const wanted = limit + rows.filter(({ isOutcome }) => isOutcome).length
    const isWhole = stations.length <= 1 || (seen ?? 0) < LEAST_DEPTH
    return toSeen(rows, completions.length, isWhole && stations.length < wanted)
  }

  return (session, target, pickup) =>
    takeUpTo(session, pickup, (look) =>
      'agentType' in target
        ? lookByType(session, target, pickup.now, look)
        : lookForAgent(session, target, pickup.now, look),
    )
}

async function lookForAgent(
  session: Session,
  { workspaceId, agentId, leaseMs }: ClaimForAgent,
  now: Instant | null,
  { exact, limit, completions }: Look,
): Promise<Seen> {
  const values = [now, exact, limit, leaseMs, workspaceId, agentId]
  const rows = inOrder(
    completions.length === 0
      ? await session.run(claimForAgent, values)
      : await session.run(completeAndClaimForAgent, [...values, completionValues(completions)]),
  )
  return toSeen(rows, completions.length, true)
}

/** The completed tasks, then the claimed ones. */
function inOrder<Row extends ClaimRow>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => a.ord - b.ord)
}

/** The workspace after which the turns go on: of the last task, or of the last workspace that had nothing to give. */
function lastOf(rows: readonly TypeClaimRow[]): string | null {
  const last = rows.at(-1)
  if (last === undefined || last.isStale) return null
  return last.isOutcome === false ? last.workspaceId : (last.stations.at(-1) ?? null)
}

async function takeUpTo(
  session: Session,
  { limit, completions, now, commitsEach }: Pickup,
  look: (look: Look) => Promise<Seen>,
): Promise<PickedUp> {
  const opening: Look = { exact: true, limit: Math.min(MOST_CLAIMED, limit), completions }
  let seen = await look(opening)
  if (seen.isStale) {
    await settleQueue(session, now, SETTLED_ROWS)
    seen = await look({ ...opening, exact: false })
  }
  const { completed } = seen
  const wanted = limit + completed.filter((task) => task !== null).length
  const tasks = [...seen.tasks]
  for (let inVain = 0; tasks.length < wanted && !seen.isAll && inVain < MOST_LOOKS;) {
    try {
      seen = await look({
        exact: false,
        limit: Math.min(MOST_CLAIMED, wanted - tasks.length),
        completions: [],
      })
    } catch (error) {
      // What was taken is told, or nobody would work on it.
      if (commitsEach && (tasks.length > 0 || wanted > limit)) break
      throw error
    }
    tasks.push(...seen.tasks)
    inVain = seen.tasks.length === 0 ? inVain + 1 : 0
  }
  return { completed, tasks, nextReadyInMs: tasks.length < wanted ? seen.nextReadyInMs : null }
}

function toSeen(rows: readonly ClaimRow[], completions: number, isAllSeen: boolean): Seen {
  const [first] = rows
  if (first === undefined) throw new Error('a claim has answered nothing')
  if (!first.isKnown) throw new TaskboardError('NOT_FOUND', 'no such agent')
  const completed = Array.from<Task | null>({ length: completions }).fill(null)
  const tasks: Task[] = []
  for (const row of rows) {
    if (row.isOutcome) completed[row.ord] = toTask(row)
    else if (row.isOutcome === false) tasks.push(toTask(row))
  }
  return {
    isStale: first.isStale,
    completed,
    tasks,
    nextReadyInMs: first.nextReadyInMs,
    isAll: isAllSeen && first.seen !== null && first.seen <= tasks.length,
  }
}
