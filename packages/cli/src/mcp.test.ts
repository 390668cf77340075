import type { Client } from '@modelcontextprotocol/client'
import { toolSets } from '@taskboard/mcp'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { call, refused, versions } from '@taskboard/kit/mcp/mcp-client'
import { type McpHost, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { workThrough } from '@taskboard/kit/mcp/story'
import { newFolder, programPath, run } from '../test/cli-process.js'
import { connectToMcp } from '../test/mcp-process.js'
import { commands } from './commands.js'

let host: McpHost
let env: Readonly<Record<string, string>>
let client: Client | undefined

beforeEach(async () => {
  host = await serveMcp()
  env = { HOME: newFolder(), TASKBOARD_URL: host.url, TASKBOARD_KEY: host.workerKey }
})
afterEach(async () => {
  await client?.close()
  client = undefined
  await host.close()
})

const namesOf = async (): Promise<readonly string[]> =>
  ((await client?.listTools())?.tools ?? []).map(({ name }) => name)

describe('mcp', { timeout: 60_000 }, () => {
  it.each(versions)('lets an agent work a task from its creation to its end, by %s', async (version) => {
    ;({ client } = await connectToMcp(['--tools', 'worker', '--tools', 'planner'], env, version))
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    await workThrough(client, host)
  })

  it('has the tools of workers, or those of the sets that are named', async () => {
    ;({ client } = await connectToMcp([], env))
    const workers = await namesOf()
    expect(workers).toContain('claim_task')
    expect(workers).not.toContain('create_task')
    await client.close()
    ;({ client } = await connectToMcp(['--tools', 'planner'], env))
    expect(await namesOf()).toContain('create_task')
    expect(await namesOf()).not.toContain('claim_task')
    const option = commands
      .find(({ name }) => name === 'mcp')
      ?.options?.find(({ flags }) => flags.startsWith('--tools'))
    expect(option?.choices).toEqual(toolSets)
    expect(await run(['mcp', '--tools', 'everything'], { env })).toMatchObject({ code: 2, stdout: '' })
  })

  it('claims for the agent of a name', async () => {
    const key = await host.createKey('tasks:read', 'tasks:write', 'agents:read')
    const { id: agentId } = await host.taskboard.agents.create(host.workspaceId, {
      name: 'My model',
      type: 'remote',
    })
    const { id } = await host.board.add({ title: 'Translate' })
    ;({ client } = await connectToMcp(['--agent', 'My model'], { ...env, TASKBOARD_KEY: key }))
    expect(await call(client, 'claim_task')).toMatchObject({ task: { id } })
    expect(await call(client, 'get_task', { task_id: id })).toMatchObject({ agent: { id: agentId } })
    const absent = await run(['mcp', '--agent', 'Nobody'], { env: { ...env, TASKBOARD_KEY: key } })
    expect(absent).toMatchObject({ code: 4, stdout: '' })
  })

  it('keeps a wrong key out of its answers, and needs one', async () => {
    ;({ client } = await connectToMcp([], { ...env, TASKBOARD_KEY: 'tb_wrong_secret' }))
    const error = await refused(client, 'get_task', { task_id: 'task_0' })
    expect(error).toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    expect(JSON.stringify(error)).not.toContain('tb_wrong')
    expect(await run(['mcp'], { env: { HOME: newFolder(), TASKBOARD_URL: host.url } })).toMatchObject({
      code: 3,
      stdout: '',
    })
  })

  it('has nothing but the protocol on standard output, and ends with its input', async () => {
    const child = spawn(process.execPath, [programPath(), 'mcp', '--json'], {
      env: { PATH: process.env['PATH'], ...env },
    })
    let stdout = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const send = (message: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    send({ id: 1, method: 'initialize', params })
    send({ method: 'notifications/initialized' })
    child.stdin.write('this is no message\n')
    send({ id: 2, method: 'tools/call', params: { name: 'get_task', arguments: { task_id: 'task_0' } } })
    send({ id: 3, method: 'resources/subscribe', params: { uri: 'task://task_0' } })
    await expect.poll(() => stdout, { timeout: 30_000 }).toMatch(/"id":2[\s\S]*"id":3|"id":3[\s\S]*"id":2/)
    child.stdin.end()
    const [code] = (await once(child, 'close')) as [number]
    expect({ code, stderr: stderr.includes(host.workerKey) }).toEqual({ code: 0, stderr: false })
    for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  })
})
