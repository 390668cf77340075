import { createTaskboard, type Taskboard } from '@taskboard/core'
import type { PgConnection } from '../../src/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { createMigratedDatabase, type TestDatabase } from '../test-database.js'
import { BACKOFF, ENCRYPTION_KEY, WORKER_TYPE } from './messages.js'

/** A board in a separate database, and the test's handle on it, which runs nothing in the background. */
export interface SharedBoard {
  readonly database: TestDatabase
  readonly taskboard: Taskboard<PgConnection>
  readonly accountId: string
  readonly workspaceId: string
  rows<Row>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]>
}

/** Creates it with a workspace that has `agentCount` agents. */
export async function createSharedBoard(agentCount = 1): Promise<SharedBoard> {
  const database = await createMigratedDatabase({ max: 10 })
  const taskboard = createTaskboard<PgConnection>({
    storage: postgresStorage({ pool: database.pool }),
    secrets: { encryptionKey: ENCRYPTION_KEY },
    tokens: { secret: ENCRYPTION_KEY },
    webhooks: { allow: ['127.0.0.0/8'] },
    attempts: { backoff: BACKOFF },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Shared', tier: 'professional' })
  for (let n = 1; n <= agentCount; n += 1) {
    await taskboard.agents.create(workspace.id, { name: `Agent ${n}`, type: WORKER_TYPE })
  }
  return {
    database,
    taskboard,
    accountId: account.id,
    workspaceId: workspace.id,
    async rows<Row>(text: string, ...values: readonly unknown[]) {
      return (await database.pool.query(text, [...values])).rows as Row[]
    },
  }
}
