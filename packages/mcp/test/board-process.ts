import { createTaskboard } from '@taskboard/core'
import { postgresStorage } from '@taskboard/postgres'
import pg from 'pg'
import { taskboardMcp } from '../src/index.js'
import { encryptionKey } from './encryption-key.js'
import { mountOnExpress } from './mcp-host.js'

/** One of several processes of a board. It prints its URL. */
const pool = new pg.Pool({ connectionString: process.argv[2] })
// The database is dropped at the end of the test.
pool.on('error', () => undefined)
const taskboard = createTaskboard({
  storage: postgresStorage({ pool }),
  logger: false,
  secrets: { encryptionKey },
})
await taskboard.start()
const { url } = await mountOnExpress(taskboard, [taskboardMcp(taskboard)])
process.stdout.write(`${url}\n`)
