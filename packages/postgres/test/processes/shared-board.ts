import { plainPasswordHasher } from '@taskboard/testing'
import { createTaskboard, type Storage, type Taskboard } from '@taskboard/core'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { pglitePool } from '../../src/pglite/pglite-pool.js'
import type { PgConnection, PgPool } from '../../src/connection/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { BACKOFF, ENCRYPTION_KEY, WORKER_TYPE } from './messages.js'

/** A board in a separate database, and the test's handle on it, which runs nothing in the background. */
export interface SharedBoard extends BoardOnPool {
  readonly database: TestDatabase
}

/** A board on any pool. */
export interface BoardOnPool {
  readonly storage: Storage<PgConnection>
  readonly taskboard: Taskboard<PgConnection>
  readonly accountId: string
  readonly workspaceId: string
  rows<Row>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]>
}

/** Creates it with a workspace that has `agentCount` agents. */
export async function createSharedBoard(agentCount = 1): Promise<SharedBoard> {
  const database = await createMigratedDatabase({ max: 10 })
  return { database, ...(await boardOn(database.pool, agentCount)) }
}

/** The same on a PGlite in this process, without agents. */
export async function createPgliteBoard(): Promise<BoardOnPool & { close(): Promise<void> }> {
  const pglite = await createMigratedPglite()
  return { ...(await boardOn(pglitePool(pglite), 0)), close: () => pglite.close() }
}

async function boardOn(pool: PgPool, agentCount: number): Promise<BoardOnPool> {
  const storage = postgresStorage({ pool })
  const taskboard = createTaskboard<PgConnection>({
    storage,
    secrets: { encryptionKey: ENCRYPTION_KEY },
    tokens: { secret: ENCRYPTION_KEY },
    passwordHasher: plainPasswordHasher,
    webhooks: { allow: ['127.0.0.0/8'], mostPerHostPerMinute: 1_000_000 },
    attempts: { backoff: BACKOFF },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Shared', tier: 'professional' })
  for (let n = 1; n <= agentCount; n += 1) {
    await taskboard.agents.create(workspace.id, { name: `Agent ${n}`, type: WORKER_TYPE })
  }
  return {
    storage,
    taskboard,
    accountId: account.id,
    workspaceId: workspace.id,
    async rows<Row>(text: string, ...values: readonly unknown[]) {
      return (await pool.query({ text, values: [...values] })).rows as Row[]
    },
  }
}
