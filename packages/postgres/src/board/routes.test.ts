import { defaultScoring, silentLogger } from '@taskboard/core'
import { agentFields, createNewId, systemClock } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import type { PgConnection } from '../connection/pool.js'
import { postgresStorage } from '../postgres-storage.js'

const at = { now: null }
const host = { kind: 'host', id: null } as const

let database: TestDatabase
beforeEach(async () => {
  database = await createMigratedDatabase({ max: 4 })
})
afterEach(() => database.drop())

async function createBoard() {
  const storage = postgresStorage({ pool: database.pool, listen: false })
  storage.bind({
    scoring: defaultScoring,
    newId: createNewId(),
    clock: systemClock,
    logLimit: 5,
    outputLimit: 5,
    logger: silentLogger,
  })
  await storage.open()
  const { workspace } = await storage.access.insertAccount(
    { name: 'a', tier: 'enterprise', workspaceName: 'w', agent: { name: 'a', type: 'worker' } },
    at,
  )
  const workspaceId = workspace.id
  return {
    storage,
    addPainting: async (tx?: PgConnection) => {
      const task = newTask({ workspaceId, type: 'painter' })
      return (await storage.tasks.insertTask({ task, actor: host, idempotency: null }, { now: null, tx }))
        .value
    },
    addPainter: async (tx?: PgConnection) => {
      const agent = { ...agentFields.empty, workspaceId, name: 'painter', type: 'painter' }
      return (await storage.agents.insertAgent({ agent, idempotency: null }, { now: null, tx })).value
    },
    claimAs: async (agentType: string) => {
      const target = { agentType, leaseMs: 60_000 }
      return (await storage.tasks.claimTasks({ target, limit: 10 }, at)).tasks.map(({ id }) => id)
    },
    route: () => storage.tasks.settleTasks({ left: 'routes', limit: 100 }, at),
  }
}

async function noted(): Promise<number> {
  const { rows } = await database.pool.query<{ count: string }>('select count(*) from taskboard.rerouting')
  return Number(rows[0]?.count)
}

describe('the route of a type', () => {
  it('is noted by the first agent of a type, and forgotten once nobody can have missed it', async () => {
    const { storage, addPainter, route } = await createBoard()
    expect(await noted()).toBe(0)
    await addPainter()
    await addPainter()
    expect(await noted()).toBe(1)
    // A transaction in any database of the server keeps the note, so also one of another test.
    await vi.waitFor(
      async () => {
        await route()
        expect(await noted()).toBe(0)
      },
      { timeout: 30_000, interval: 20 },
    )
    await storage.close()
  })

  it('is also changed for a task that was added while the agent was', async () => {
    const { storage, addPainting, addPainter, claimAs, route } = await createBoard()
    let id = ''
    await storage.transaction(async (tx) => {
      await addPainter(tx)
      // It does not see the agent.
      id = (await addPainting()).id
    })
    expect(await route()).toMatchObject({ settled: 1 })
    expect(await claimAs('worker')).toEqual([])
    expect(await claimAs('painter')).toEqual([id])
    await storage.close()
  })

  it('waits for transactions that add a task and did not see the agent', async () => {
    const { storage, addPainting, addPainter, claimAs, route } = await createBoard()
    let id = ''
    await storage.transaction(async (tx) => {
      id = (await addPainting(tx)).id
      await addPainter()
      await route()
      await route()
      expect(await noted()).toBe(1)
    })
    expect(await route()).toMatchObject({ settled: 1 })
    expect(await claimAs('worker')).toEqual([])
    expect(await claimAs('painter')).toEqual([id])
    await storage.close()
  })

  it('is changed when the last two agents leave at the same moment', async () => {
    const { storage, addPainting, addPainter, claimAs, route } = await createBoard()
    const [one, two] = [await addPainter(), await addPainter()]
    const { id } = await addPainting()
    const remove = ({ workspaceId, id: agentId }: typeof one, tx?: PgConnection) =>
      storage.agents.deleteAgent({ workspaceId, agentId }, { now: null, tx })
    let second: Promise<void> | undefined
    await storage.transaction(async (tx) => {
      await remove(one, tx)
      // It waits for the note of the first.
      second = remove(two)
    })
    await second
    await route()
    expect(await claimAs('worker')).toEqual([id])
    await storage.close()
  })
})
