import type { Approval, Task, TaskContext, TaskLogEntry, TaskOutput } from '@taskboard/core'

/** The records that the board kept of earlier attempts, in addition to the claim. */
export interface Records {
  /** Without the lines that are about the run itself. */
  readonly logs: readonly TaskLogEntry[]
  readonly outputs: readonly TaskOutput[]
  /** The newest 100, oldest first. */
  readonly approvals: readonly Approval[]
  /** The ids of the approvals that this attempt has used. */
  readonly usedNow: ReadonlySet<string>
}

const NONE: Records = { logs: [], outputs: [], approvals: [], usedNow: new Set() }
const MOST_APPROVALS = 100

/** A first attempt needs no reading. */
export async function readRecords({ id }: Task, { board, claim }: TaskContext): Promise<Records> {
  if (claim.earlierAttempts.length === 0) return NONE
  const [logs, outputs, { approvals }] = await Promise.all([
    board.logs(id),
    board.outputs(id),
    board.approvals(id, { limit: MOST_APPROVALS }),
  ])
  return {
    logs: logs.filter(({ level }) => level !== 'debug'),
    outputs,
    approvals: approvals.toReversed(),
    usedNow: new Set(),
  }
}

/** What was read now, with the approvals that were used since `before`. */
export function usedSince(before: Records, now: Records): Records {
  const open = new Set(before.approvals.flatMap(({ id, status }) => (status === 'approved' ? [id] : [])))
  const used = now.approvals.filter(({ id, status }) => status === 'used' && open.has(id))
  return { ...now, usedNow: new Set(used.map(({ id }) => id)) }
}
