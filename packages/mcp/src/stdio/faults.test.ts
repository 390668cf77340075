import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Client } from '@modelcontextprotocol/client'
import { createClient } from '@taskboard/client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { refused } from '@taskboard/kit/mcp/mcp-client'
import { serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { requestText } from '../../test/raw-requests.js'
import { connectInProcess } from '../../test/stdio-in-process.js'
import { encodeRun } from '../run-handle.js'

const program = fileURLToPath(new URL('../../test/stdio-process.ts', import.meta.url))

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function open(...args: Parameters<typeof connectInProcess>): Promise<Client> {
  const client = await connectInProcess(...args)
  cleanUps.push(() => client.close())
  return client
}

async function serve() {
  const host = await serveMcp()
  cleanUps.push(() => host.close())
  return host
}

describe('a refusal over stdio', () => {
  it('has the code, the message and the details of the REST API', async () => {
    const host = await serve()
    const client = await open(createClient({ baseUrl: host.url, key: host.workerKey }))
    const response = await fetch(`${host.url}/v2/tasks/tsk_none`, {
      headers: { authorization: `Bearer ${host.workerKey}` },
    })
    const { error } = (await response.json()) as { readonly error: Readonly<Record<string, unknown>> }
    const told = await refused(client, 'get_task', { task_id: 'tsk_none' })
    for (const name of ['code', 'message', 'details']) expect(told[name]).toEqual(error[name])
  })

  it.each(['', '.', '..', '\ud800'])('takes %j for no id, although no address can have it', async (id) => {
    const host = await serve()
    const client = await open(createClient({ baseUrl: host.url, key: host.workerKey }))
    const noId = { code: 'INVALID_REQUEST', details: { field: 'task_id' } }
    expect(await refused(client, 'get_task', { task_id: id })).toMatchObject(noId)
    if (id === '') return
    const run = encodeRun({ taskId: id, agentId: 'agt', fencingToken: 1 })
    expect(await refused(client, 'complete_task', { run, result: 'x' })).toMatchObject(noId)
  })

  it('is none for the list of boards: a credential without the scope has no boards there', async () => {
    const host = await serve()
    const baseUrl = host.url
    const worker = await open(createClient({ baseUrl, key: host.workerKey }))
    expect(await worker.listResources()).toMatchObject({ resources: [] })
    const person = await open(createClient({ baseUrl, key: host.personKey }))
    expect(await person.listResources()).toMatchObject({
      resources: [{ uri: `board://${host.workspaceId}` }],
    })
  })

  it('says that the server cannot be reached', async () => {
    const client = await open(createClient({ baseUrl: 'http://127.0.0.1:9', key: 'tb_x', retry: false }))
    expect(await refused(client, 'list_tasks')).toMatchObject({
      code: 'NETWORK_ERROR',
      message: 'the server cannot be reached',
    })
  })
})

describe('a connection over stdio', () => {
  it('ends the calls under way with it', async () => {
    const signals: (AbortSignal | null | undefined)[] = []
    const never = (_: unknown, init?: RequestInit) => {
      signals.push(init?.signal)
      return new Promise<Response>(() => undefined)
    }
    const client = await open(createClient({ baseUrl: 'http://board.example', key: 'tb_x', fetch: never }))
    const call = client.callTool({ name: 'list_tasks', arguments: {} }).catch(() => null)
    await vi.waitFor(() => expect(signals).toHaveLength(1))
    await client.close()
    await call
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true))
  })

  const uri = 'task://task_1'
  const noneMissing = { type: 'subscribed', channel: 'tasks', seq: {}, resumed: true }
  const event = { type: 'task.updated', workspace_id: 'ws', data: { task_id: 'task_1' } }
  it.each([
    ['what may have changed before the channel was connected', [{ ...noneMissing, resumed: false }], 1],
    ['what may have changed in a gap', [noneMissing, { type: 'gap', workspace_id: 'ws', from: 1, to: 2 }], 1],
    ['nothing when the channel has resumed', [noneMissing, event, noneMissing], 1],
    ['nothing of other tasks', [noneMissing, { ...event, data: { task_id: 'task_2' } }, event], 1],
  ])('notifies of %s', async (_, messages, count) => {
    let isDone = false
    async function* subscribe() {
      yield* messages
      isDone = true
    }
    const board = createClient({ baseUrl: 'http://board.example', key: 'tb_x' })
    const client = await open({ ...board, realtime: { subscribe } })
    const seen: string[] = []
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void seen.push(params.uri),
    )
    await client.listen({ resourceSubscriptions: [uri] })
    await vi.waitFor(() => expect([isDone, seen]).toEqual([true, Array(count).fill(uri)]))
  })
})

/** A server that reads requests and answers none. */
async function serveNothing(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUps.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

describe('a process on stdio', () => {
  it('answers past lines that are no messages, and ends with its input in the middle of a call', async () => {
    const { url, server } = await serveNothing()
    const flags = ['--conditions=@taskboard/source', '--import', import.meta.resolve('tsx')]
    const child = spawn(process.execPath, [...flags, program], {
      env: { TASKBOARD_URL: url, TASKBOARD_KEY: 'tb_x' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    cleanUps.push(() => child.kill('SIGKILL'))
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
    const list = requestText('tools/list')
    child.stdin.write(`garbage\n\n[]\nnull\n{"jsonrpc":"1.0"}\n${'['.repeat(100_000)}\n${list.slice(0, 40)}`)
    child.stdin.write(`${list.slice(40)}\n`)
    expect(JSON.parse(String((await answers.next()).value))).toMatchObject({ id: 1, result: {} })
    child.stdin.write(`${requestText('tools/call', { name: 'list_tasks', arguments: {} })}\n`)
    const [request] = (await once(server, 'request')) as [IncomingMessage]
    expect(request.url).toMatch(/^\/v2\/tasks/)
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
