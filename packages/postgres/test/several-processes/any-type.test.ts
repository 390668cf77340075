import { createTaskboard, defineAgent } from '@taskboard/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { createTestPool } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../../src/postgres-storage.js'
import type { PgConnection } from '../../src/connection/pool.js'
import { ENCRYPTION_KEY } from '../processes/messages.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

let board: SharedBoard
const ends: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
  await board.taskboard.close()
  await board.database.drop()
})

/** Starts a process whose runs return the type of its runtime. */
async function startProcess(type: string): Promise<void> {
  const pool = createTestPool({ connectionString: board.database.url, max: 4 })
  const taskboard = createTaskboard<PgConnection>({
    storage: postgresStorage({ pool }),
    pollIntervalMs: 50,
    secrets: { encryptionKey: ENCRYPTION_KEY },
    agents: [defineAgent({ type, run: () => type })],
  })
  ends.push(
    () => pool.end(),
    () => taskboard.close(),
  )
  await taskboard.start()
}

describe('a runtime for any type', () => {
  it('leaves agents to the runtime of their type in another process', async () => {
    const { taskboard, workspaceId, rows } = board
    const routed = () => rows('select from taskboard.agent_runtime where is_routed')
    await startProcess('*')
    await startProcess('writer')
    await until(routed, (types) => types.length === 1)
    const tasks: string[] = []
    for (const type of ['writer', 'custom', 'other']) {
      const { id } = await taskboard.agents.create(workspaceId, { name: type, type })
      for (let count = 0; count < 4; count++) {
        tasks.push((await taskboard.board(workspaceId).add({ title: type, assignedTo: id })).id)
      }
    }
    const results = async () => {
      const all = await Promise.all(tasks.map((id) => taskboard.board(workspaceId).get(id)))
      return all.map(({ title, result }) => [title, result])
    }
    const seen = await until(results, (all) => all.every(([, result]) => result !== null))
    for (const [type, result] of seen) expect(result).toBe(type === 'writer' ? 'writer' : '*')
  })
})
