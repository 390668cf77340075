import { createTaskboard } from '@taskboard/core'
import { postgresStorage } from '@taskboard/postgres'
import pg from 'pg'
import { encryptionKey } from '@taskboard/kit/access/encryption-key'
import { mountOnExpress } from '@taskboard/kit/mcp/mcp-host'
import { taskboardMcp } from '../src/index.js'

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
