import { createTaskboard, type AgentDefinition, type Taskboard } from '@taskboard/core'
import { failoverPool, postgresStorage } from '@taskboard/postgres'
import pg from 'pg'
import { cert } from './certificate.js'
import { BOARD_PER_MINUTE, RECEIVER_HOST } from './messages.js'

type Connection = Parameters<Parameters<ReturnType<typeof postgresStorage>['transaction']>[0]>[0]

/** A board of one process, with settings short enough that minutes are enough. */
export interface OpenBoard {
  readonly taskboard: Taskboard<Connection>
  readonly storage: ReturnType<typeof postgresStorage>
  readonly pool: pg.Pool
  close(): Promise<void>
}

const ANSWER_WITHIN_MS = 2_500
const RETRIES = 50
const RETRY_MS = 300

export function openBoard(databaseUrl: string, agents: readonly AgentDefinition[] = []): OpenBoard {
  const poolOptions = {
    connectionString: databaseUrl,
    max: 6,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
  }
  const pool = databaseUrl.includes(',') ? failoverPool(pg, poolOptions) : new pg.Pool(poolOptions)
  pool.on('error', () => undefined)
  const storage = postgresStorage({
    pool,
    statementTimeoutMs: ANSWER_WITHIN_MS,
    connectTimeoutMs: ANSWER_WITHIN_MS,
  })
  const taskboard = createTaskboard({
    storage,
    agents: [...agents],
    logger: false,
    createDefaultAgent: false,
    secrets: { encryptionKey: Buffer.alloc(32, 9) },
    attempts: { max: 100, backoff: { baseMs: 20, factor: 1, maxMs: 20 } },
    limits: { boardPerMinute: BOARD_PER_MINUTE },
    webhooks: {
      allow: ['127.0.0.1/32'],
      ca: cert,
      resolver: {
        resolve: async (host) =>
          host === RECEIVER_HOST ? [{ address: '127.0.0.1', family: 4 as const }] : [],
      },
      timeoutMs: 1_000,
      retryDelaysMs: Array.from({ length: RETRIES }, () => RETRY_MS),
      retryJitter: 0.5,
      mostPerHostPerMinute: 1_000_000,
    },
    bounds: { replayLimit: 100_000 },
    realtime: { heartbeatIntervalMs: 3_000 },
    pollIntervalMs: 500,
  })
  return {
    taskboard,
    storage,
    pool,
    async close() {
      await taskboard.close({ drainTimeoutMs: 3_000 })
      await pool.end()
    },
  }
}
