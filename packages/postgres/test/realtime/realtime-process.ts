import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskboard } from '@taskboard/core'
import { attachRealtime } from '@taskboard/ws'
import pg from 'pg'
import { graphqlSubscriptions } from '@taskboard/graphql'
import type { PgConnection } from '../../src/connection/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { ENCRYPTION_KEY } from '../processes/messages.js'

/** A process of the board with the realtime channel, which adds tasks to a workspace on request. */
const { databaseUrl, workspaceId } = JSON.parse(process.argv[2] ?? '') as Record<string, string>
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
pool.on('error', () => undefined)
const taskboard = createTaskboard<PgConnection>({
  storage: postgresStorage({ pool }),
  secrets: { encryptionKey: ENCRYPTION_KEY },
  // The tests open as many at once as the tier allows.
  bounds: { unauthenticatedPerAddress: 100 },
})
const server = createServer()
attachRealtime(server, taskboard, { protocols: [graphqlSubscriptions(taskboard)] })
await taskboard.start()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('message', (count: number) => {
  const adds = Array.from({ length: count }, (_, n) =>
    taskboard.board(workspaceId ?? '').add({ title: `${process.pid} ${n}` }),
  )
  void Promise.all(adds).then(() => process.send?.('added'))
})
process.send?.(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/v2/realtime`)
