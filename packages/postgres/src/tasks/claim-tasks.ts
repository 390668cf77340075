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
  /** The number of tasks to claim, plus one for each completion that succeeds. */
  readonly limit: number
  readonly completions: readonly CompletionInput[]
  readonly now: Instant | null
  /** Whether each statement commits on its own. Then the tasks that were taken are returned even if a later statement fails. */
  readonly commitsEach: boolean
}

export interface PickedUp {
  /** The task of each completion, in order; null when it was refused. */
  readonly completed: readonly (Task | null)[]
  /** The claimed tasks, best first. */
  readonly tasks: readonly Task[]
  readonly nextReadyInMs: number | null
}

/** Completes tasks and takes the best ones. @throws TaskboardError `NOT_FOUND` for an unknown agent, without any change. */
export type TaskClaims = (session: Session, target: ClaimTarget, pickup: Pickup) => Promise<PickedUp>

/** How many times a claim tries when others hold the tasks that it saw. */
const MOST_LOOKS = 8
/** How many ended placements are recomputed before a claim. The rest is left to the next claims and hardly affects the order. */
const SETTLED_ROWS = 1_000

/** One run of a claiming statement. */
interface Look {
  readonly exact: boolean
  readonly limit: number
  readonly completions: readonly CompletionInput[]
}

/** The result of one run of a claiming statement. */
interface Seen extends PickedUp {
  /** Placements have ended: the statement changed nothing. */
  readonly isStale: boolean
  /** Whether nothing more could be taken. */
  readonly isAll: boolean
}

/** Each process remembers on its own whose turn is next. After a start the turns begin at the first workspace. */
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
    // The walk went once around when it found fewer workspaces with work than could have had a turn. Of several, each was
    // asked only for its share of the wanted tasks, so one may have more where others had fewer.
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

/** The workspace after which the turns continue: that of the last task, or the last one without a task to take. */
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
      // Return the claimed tasks, or no one would work on them.
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
  if (first === undefined) throw new Error('a claim returned no row')
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
