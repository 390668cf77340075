import { createClient } from '@taskboard/client'
import { WebSocket } from 'ws'
import { serveMcpOverStdio } from '../src/index.js'

/** A server of the protocol in its own process, as hosts of models start one. */
const { TASKBOARD_URL: baseUrl = '', TASKBOARD_KEY: key = '', TASKBOARD_AGENT: agentId } = process.env
const client = createClient({ baseUrl, key, WebSocket })
await serveMcpOverStdio(client, {
  tools: ['worker', 'planner'],
  agentId,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
}).ended
