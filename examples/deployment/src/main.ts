import { createTaskboard, defineAgent } from '@taskboard/core'
import { closeServer, healthRoutes } from '@taskboard/core/transport'
import { taskboardRouter } from '@taskboard/express'
import { postgresStorage } from '@taskboard/postgres'
import { attachRealtime } from '@taskboard/ws'
import express from 'express'
import type { IncomingMessage } from 'node:http'
import pg from 'pg'

function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${name} is not set`)
  return value
}

function poolOf(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis: 10_000 })
  pool.on('error', (error) => console.error('an idle connection was lost:', error.message))
  return pool
}

// Statements go through PgBouncer. LISTEN needs a session, so it gets one connection to the server itself.
const pool = poolOf(setting('DATABASE_URL'), 10)
const direct = poolOf(setting('DIRECT_DATABASE_URL'), 1)

const agent = defineAgent({
  type: 'general',
  concurrency: 4,
  run: (task) => `A summary of ${task.title}`,
})
const taskboard = createTaskboard({
  storage: postgresStorage({ pool, listen: direct, preparedStatements: false }),
  agents: process.env['BOARD_AGENTS'] === 'on' ? [agent] : [],
  secrets: { encryptionKey: setting('TASKBOARD_ENCRYPTION_KEY') },
  tokens: { secret: setting('TASKBOARD_TOKEN_SECRET') },
})

// One proxy in front: its X-Forwarded-For has the address of the client.
const app = express().set('trust proxy', 1)
app.use(taskboardRouter(taskboard, { routes: [healthRoutes(taskboard)] }))
const server = app.listen(Number(setting('PORT')), process.env['HOST'] ?? '127.0.0.1')
attachRealtime(server, taskboard, { clientAddress: addressOf })
await taskboard.start()

function addressOf(request: IncomingMessage): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
  return forwarded.at(-1)?.trim() || String(request.socket.remoteAddress)
}

async function shutDown(): Promise<void> {
  await closeServer(server, taskboard, { drainTimeoutMs: 10_000, cutAfterMs: 5_000 })
  await Promise.all([pool.end(), direct.end()])
}
process.once('SIGTERM', () => void shutDown())
