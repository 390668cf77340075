import { createBenchDatabase, createBoard } from './board.js'
import { compareRates, rateOf } from './measure.js'
import { newTask } from './new-task.js'
import { GRAPHILE, graphileClient, PG_BOSS, prepareGraphile, startPgBoss } from './peers.js'
import { atLeast } from './report.js'

/**
 * Tasks a second that clients of one process add one at a time to one workspace, with one event each; the peers add a job with
 * the same data as its payload.
 */
const CLIENTS = 8

const board = await createBoard()
const [workspaceId = ''] = board.workspaceIds
const { tasks } = board.storage
const graphileDatabase = await createBenchDatabase()
await prepareGraphile(graphileDatabase)
const graphile = await graphileClient(graphileDatabase)
const bossDatabase = await createBenchDatabase()
const boss = await startPgBoss(bossDatabase)
const payload = newTask(workspaceId)

const [ours = 0, ...peers] = await compareRates(
  `added by ${CLIENTS} clients`,
  [
    {
      name: 'taskboard',
      pool: board.database.pool,
      round: (ms) =>
        rateOf(CLIENTS, ms, async () => {
          await tasks.insertTask(
            { task: newTask(workspaceId), actor: { kind: 'host', id: null }, idempotency: null },
            { now: null },
          )
          return 1
        }),
    },
    {
      name: `${GRAPHILE}, addJob`,
      round: (ms) =>
        rateOf(CLIENTS, ms, async () => {
          await graphile.addJob('noop', payload)
          return 1
        }),
    },
    {
      name: `${PG_BOSS}, send`,
      round: (ms) =>
        rateOf(CLIENTS, ms, async () => {
          await boss.send('noop', payload)
          return 1
        }),
    },
  ],
  { rounds: 5, roundMs: 2_000, warmUpMs: 1_000 },
)
const [overGraphile = 1, overPgBoss = 1] = peers
atLeast(`add with ${CLIENTS} clients to graphile-worker's addJob`, ours / overGraphile, 5.5)
atLeast(`add with ${CLIENTS} clients to pg-boss's send`, ours / overPgBoss, 2)
await boss.stop({ graceful: false })
await Promise.all([board.end(), graphileDatabase.end(), bossDatabase.end()])
