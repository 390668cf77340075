import type { Client } from '@modelcontextprotocol/client'
import { createClient } from '@taskboard/client'
import { afterEach, describe, expect, it } from 'vitest'
import { call, connect, refused } from '@taskboard/kit/mcp/mcp-client'
import { type McpHost, mounts, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { requestText, send } from '../test/raw-requests.js'
import { connectInProcess } from '../test/stdio-in-process.js'
import { mcpTools, toolSets } from './index.js'

let host: McpHost
const clients: Client[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await host.close()
})

async function open(connecting: Promise<Client>): Promise<Client> {
  const client = await connecting
  clients.push(client)
  return client
}

const everyTool = mcpTools(toolSets, null).map(({ name }) => name)

/** The tools that a client can call: any other call fails as that of an unknown tool does. */
async function callable(client: Client): Promise<readonly string[]> {
  const unknown = await client.callTool({ name: 'no_such_tool' }).catch(String)
  const names: string[] = []
  for (const name of everyTool) {
    const answer = await client.callTool({ name, arguments: { not: 'taken' } }).catch(String)
    if (typeof answer !== 'string') names.push(name)
    else expect(answer.replace(name, 'no_such_tool')).toBe(unknown)
  }
  return names
}

const listed = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

describe.each(mounts)('a tool that is not listed, on %s', (_, mount) => {
  it.each(['/mcp', '/mcp?tools=planner', '/mcp?tools=worker,planner'])(
    'is not called either, at %s',
    async (path) => {
      host = await serveMcp({ mount })
      const client = await open(connect(host.url, host.workerKey, { path }))
      expect(await callable(client)).toEqual(await listed(client))
    },
  )

  it('is called by a URL that asks for its set, within what the host offers', async () => {
    host = await serveMcp({ mount, mcp: { tools: ['worker'] } })
    const widened = await send(host, requestText('tools/list'), { path: '/mcp?tools=worker,planner' })
    expect([widened.status, await widened.json()]).toMatchObject([
      400,
      {
        error: {
          message: 'tools must be one or more of worker',
          data: { error: { details: { field: 'tools' } } },
        },
      },
    ])
    const worker = await open(connect(host.url, host.workerKey, { path: '/mcp?tools=worker' }))
    expect(await callable(worker)).not.toContain('create_task')
  })

  it('is narrowed by a URL when the host offers both sets', async () => {
    host = await serveMcp({ mount, mcp: { tools: ['worker', 'planner'] } })
    const both = await open(connect(host.url, host.workerKey, { path: '/mcp' }))
    expect(await callable(both)).toEqual(everyTool)
    const one = await open(connect(host.url, host.workerKey, { path: '/mcp?tools=planner' }))
    expect(await callable(one)).not.toContain('claim_task')
  })
})

describe('the sets of tools', () => {
  it('hold over stdio', async () => {
    host = await serveMcp()
    const board = createClient({ baseUrl: host.url, key: host.workerKey, retry: false })
    const client = await open(connectInProcess(board, { tools: ['worker'] }))
    expect(await callable(client)).toEqual(await listed(client))
  })

  it('leave a reader what it can read, and say which scope a tool of its sets requires', async () => {
    host = await serveMcp()
    const client = await open(connect(host.url, await host.createKey('tasks:read'), { path: '/mcp' }))
    expect(await call(client, 'list_tasks')).toMatchObject({ tasks: [] })
    expect(await refused(client, 'claim_task')).toMatchObject({ code: 'AUTHORIZATION_FAILED' })
    await expect(client.callTool({ name: 'create_task' })).rejects.toThrow('no tool create_task')
  })
})
