import {
  TaskboardError,
  type ClaimBatch,
  type ClaimByType,
  type ClaimForAgent,
  type Instant,
  type Task,
} from '@taskboard/core'
import type { Session } from '../database.js'
import { claimByType, type TypeClaimRow } from './claim-by-type.js'
import { claimForAgent, type ClaimRow } from './claim-for-agent.js'
import { MOST_CLAIMED } from './claim-sql.js'
import { settleQueue } from './settle-queue.js'
import { toTask, type TaskRow } from './task-row.js'

/** Takes the best tasks. */
export interface TaskClaims {
  byType(session: Session, request: ClaimByType, limit: number, now: Instant | null): Promise<ClaimBatch>
  forAgent(session: Session, request: ClaimForAgent, limit: number, now: Instant | null): Promise<ClaimBatch>
}

/** How many looks a claim takes when others hold what it has seen. */
const MOST_LOOKS = 8
/** How many ended placements are made anew before a claim; the rest is left to the sweep, and misorders next to nothing. */
const SETTLED_ROWS = 1_000

/** Whose turn it is, is remembered by each process for itself: after a start the turns begin anew. */
export function createTaskClaims(): TaskClaims {
  const lastServed = new Map<string, string>()

  return {
    async forAgent(session, { workspaceId, agentId, leaseMs }, limit, now) {
      const look = (exact: boolean, wanted: number): Promise<readonly ClaimRow[]> =>
        session.run(claimForAgent, [now, exact, wanted, leaseMs, workspaceId, agentId])
      const { tasks, nextReadyAt, isKnown } = await takeUpTo(session, limit, now, look)
      if (!isKnown) throw new TaskboardError('NOT_FOUND', 'no such agent')
      return { tasks, nextReadyAt }
    },
    async byType(session, { agentType, leaseMs }, limit, now) {
      const look = async (exact: boolean, wanted: number): Promise<readonly TypeClaimRow[]> => {
        const last = lastServed.get(agentType) ?? ''
        const rows = await session.run(claimByType, [now, exact, wanted, leaseMs, agentType, last])
        const served = lastOf(rows)
        if (served !== null) lastServed.set(agentType, served)
        return rows
      }
      const { tasks, nextReadyAt } = await takeUpTo(session, limit, now, look, isRound)
      return { tasks, nextReadyAt }
    },
  }
}

/** Whether the walk came all the way round: it found fewer workspaces with work than could have had a turn. */
const isRound = (rows: readonly TypeClaimRow[], wanted: number): boolean =>
  (rows[0]?.stations.length ?? 0) < wanted

/** The workspace after which the turns go on: of the last task, or of the last workspace that had nothing to give. */
function lastOf(rows: readonly TypeClaimRow[]): string | null {
  const last = rows.at(-1)
  if (last === undefined || last.isStale) return null
  return last.id === null ? (last.stations.at(-1) ?? null) : last.workspaceId
}

async function takeUpTo<Row extends ClaimRow>(
  session: Session,
  limit: number,
  now: Instant | null,
  look: (exact: boolean, wanted: number) => Promise<readonly Row[]>,
  isWhole: (rows: readonly Row[], wanted: number) => boolean = () => true,
): Promise<ClaimBatch & { readonly isKnown: boolean }> {
  const tasks: Task[] = []
  let exact = true
  for (let looks = 0; ; looks++) {
    const wanted = Math.min(MOST_CLAIMED, limit - tasks.length)
    const rows = await look(exact, wanted)
    const first = rows[0]
    if (first === undefined) throw new Error('a claim has answered nothing')
    for (const row of rows) if (row.id !== null) tasks.push(toTask(row as Row & TaskRow))
    if (first.isStale) {
      await settleQueue(session, now, SETTLED_ROWS)
      exact = false
      continue
    }
    const taken = rows.filter(({ id }) => id !== null).length
    const isAllSeen = first.seen <= taken && isWhole(rows, wanted)
    if (tasks.length >= limit || isAllSeen || (taken === 0 && looks >= MOST_LOOKS)) {
      return { tasks, nextReadyAt: tasks.length >= limit ? null : first.nextReadyAt, isKnown: first.isKnown }
    }
  }
}
