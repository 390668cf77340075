import { once } from 'node:events'
import { createTaskboard, defineAgent } from '@taskboard/core'
import { postgresStorage } from '@taskboard/postgres'
import pg from 'pg'
import { encryptionKey } from '@taskboard/kit/access/encryption-key'
import { otelTelemetry } from '../src/index.js'
import { startSdk } from './sdk.js'

// A process that works tasks and serves nothing. It ends with its standard input.
const [, , connectionString = '', receiverUrl = ''] = process.argv
const sdk = startSdk('worker', receiverUrl)
const pool = new pg.Pool({ connectionString })
pool.on('error', () => undefined)
const taskboard = createTaskboard({
  storage: postgresStorage({ pool }),
  agents: [defineAgent({ type: 'translation', run: (task) => `translated ${task.title}` })],
  secrets: { encryptionKey },
  webhooks: { allow: ['127.0.0.0/8'] },
  telemetry: otelTelemetry({ ...sdk, propagateToWebhooks: true }),
})
await taskboard.start()
process.stdout.write('started\n')
process.stdin.resume()
await once(process.stdin, 'end')
await taskboard.close()
await pool.end()
await sdk.flush()
await sdk.stop()
