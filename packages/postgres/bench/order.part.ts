import { postgresStorage } from '../src/index.js'
import { createBoard, LEASE_MS, type BenchBoard } from './board.js'
import { atMost, mustHold, reportFigure } from './report.js'

/**
 * How far claims stray from the order of the scores: for each claim, in the order of the event log, the number of better tasks
 * that were still waiting. Eight workers of one process, then eight with a storage and a pool each, which are as independent as
 * processes.
 */
const TASKS = 20_000
const WORKERS = 8
const CLAIMS = 4_000

/** Claims by eight concurrent workers with one present, which fixes the scores; resolves to the rank error of each claim. */
async function rankErrors(board: BenchBoard, storages: readonly BenchBoard['storage'][]): Promise<number[]> {
  const [workspaceId = ''] = board.workspaceIds
  const [agentId = ''] = board.agentIds
  const { pool } = board.database
  const now = Date.now()
  const { rows: ordered } = await pool.query<{ id: string }>(
    `select t.id from taskboard.task t where t.column_name = 'TODO'
     order by taskboard.score_units(t, $1::bigint) desc, t.due_date, t.created_at, t.id`,
    [now],
  )
  const { rows: before } = await pool.query<{ seq: string }>(
    'select last_seq as seq from taskboard.workspace_log where workspace_id = $1',
    [workspaceId],
  )
  let left = CLAIMS
  const worker = async (storage: BenchBoard['storage']): Promise<void> => {
    while (left-- > 0)
      await storage.tasks.claimTasks(
        { target: { workspaceId, agentId, leaseMs: LEASE_MS }, limit: 1 },
        { now },
      )
  }
  await Promise.all(
    Array.from({ length: WORKERS }, (_, index) => worker(storages[index % storages.length] ?? board.storage)),
  )
  const { rows: taken } = await pool.query<{ id: string }>(
    `select data ->> 'taskId' as id from taskboard.event
     where workspace_id = $1 and seq > $2::bigint and type = 'task.started' order by seq`,
    [workspaceId, before[0]?.seq],
  )
  if (taken.length !== CLAIMS) throw new Error(`${taken.length} of ${CLAIMS} claims are in the log`)
  const ranks = new Map(ordered.map(({ id }, rank) => [id, rank]))
  return betterLeft(taken.map(({ id }) => ranks.get(id) ?? Number.NaN))
}

/** For each rank in the order of the claims, the number of lower ones not taken yet. */
function betterLeft(ranks: readonly number[]): number[] {
  const isTaken = new Uint8Array(Math.max(...ranks) + 1)
  let firstLeft = 0
  return ranks.map((rank) => {
    let better = 0
    for (let lower = firstLeft; lower < rank; lower++) better += isTaken[lower] === 0 ? 1 : 0
    isTaken[rank] = 1
    while (isTaken[firstLeft] === 1) firstLeft++
    return better
  })
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const board = await createBoard()
await board.fill(TASKS)
const together = await rankErrors(board, [board.storage])
mustHold(
  `${WORKERS} workers of one process take tasks exactly in order`,
  together.every((error) => error === 0),
)

const apart = Array.from({ length: WORKERS }, () => postgresStorage({ pool: board.database.morePool(2) }))
const errors = await rankErrors(board, apart)
atMost(`mean rank error of ${WORKERS} independent claimers`, mean(errors), 2, '')
reportFigure(`largest rank error of ${WORKERS} independent claimers`, Math.max(...errors), '')
await board.end()
