import { createClient } from '@taskboard/client'
import { WebSocket } from 'ws'
import { serveMcpOverStdio } from '../src/index.js'

/** A server of the protocol in its own process, as hosts of models start one. */
const { TASKBOARD_URL: baseUrl = '', TASKBOARD_KEY: key = '' } = process.env
const client = createClient({ baseUrl, key, WebSocket })
await serveMcpOverStdio(client, {
  tools: ['worker', 'planner'],
  onError: (error) => process.stderr.write(`${String(error)}\n`),
}).ended
