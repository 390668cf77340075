import { createClient } from '@taskboard/client'
import { toFetchHandler } from '@taskboard/core/transport'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type McpHost, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { taskboardMcp } from '../index.js'
import { send } from '../../test/raw-requests.js'
import { boardOverClient } from '../stdio/board-over-client.js'
import { callTool } from './call-tool.js'
import { toolsByName } from './definitions.js'
import type { Tool } from './tool.js'

const hostile = ['', ' ', '\u0000', '__proto__', "'; drop table tasks; --", '%', '2026-02-30', '-1', '1e999']
// Longer queries are refused before their fields are read.
const long = ['x'.repeat(2_000), '🙂'.repeat(300)]
const right = [
  'todo',
  'high',
  'completed',
  true,
  null,
  50,
  2 ** 53,
  ['a'],
  [0],
  { a: 'b' },
  [{ title: 'x', depends_on: [0] }],
]

let host: McpHost
/** What only a claim gives. */
let claimed: readonly string[] = []

/** Arguments that are often near to right ones. */
function argumentsOf({ input }: Tool): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const value = fc.oneof(
    fc.constantFrom(...hostile, ...long, ...right, ...claimed),
    fc.jsonValue({ maxDepth: 3 }),
  )
  // The protocol's library leaves __proto__ out, and the REST API refuses it.
  const name = fc.string().filter((text) => text !== '__proto__')
  const known = Object.fromEntries(Object.keys(input.shape).map((field) => [field, value]))
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(known, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.dictionary(name, fc.jsonValue()) },
  )
}

/** The field that an answer refuses; null for any other answer. */
function refusedField(answer: string): string | null {
  return /\\"code\\":\\"INVALID_REQUEST\\".*?\\"field\\":\\"(.*?)\\"/.exec(answer)?.[1] ?? null
}

beforeAll(async () => {
  host = await serveMcp({ board: { tiers: { enterprise: { requestsPerHour: null, burstPerMinute: null } } } })
  const { id } = await host.board.add({ title: 'Claimed' })
  const body = { agent: host.agentId }
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'claim_task', arguments: body },
  })
  const [run = ''] = /run_\w+/.exec(await (await send(host, text)).text()) ?? []
  claimed = [id, run, host.agentId, host.workspaceId]
})
afterAll(() => host.close())

describe('random arguments', () => {
  it.each([...toolsByName].map(([name, tool]) => ({ name, tool })))(
    'are answered alike over HTTP and by a client, and are no internal error: $name',
    async ({ name, tool }) => {
      const handle = toFetchHandler(host.taskboard, { routes: [taskboardMcp(host.taskboard)] })
      const fetchHere = (url: string | URL | Request, init?: RequestInit) => handle(new Request(url, init))
      const client = createClient({ baseUrl: host.url, key: host.workerKey, fetch: fetchHere, retry: false })
      const board = boardOverClient(client)
      await fc.assert(
        fc.asyncProperty(argumentsOf(tool), async (args) => {
          const params = { name, arguments: args }
          const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
          const overHttp = await (await send(host, message)).text()
          const byClient = JSON.stringify(await callTool(tool, args, { board, agent: undefined }))
          for (const answer of [overHttp, byClient]) expect(answer).not.toMatch(/INTERNAL_ERROR|-32603/)
          expect(refusedField(byClient)).toBe(refusedField(overHttp))
        }),
        { numRuns: 25 },
      )
    },
  )
})
