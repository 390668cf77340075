import type { Client } from '@modelcontextprotocol/client'
import { createClient } from '@taskboard/client'
import { defineAgent } from '@taskboard/core'
import { afterEach, describe, expect, it } from 'vitest'
import { call, connect, refused } from '@taskboard/kit/mcp/mcp-client'
import { type McpHost, mountOnExpress, mounts, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { send } from '../test/raw-requests.js'
import { connectInProcess } from '../test/stdio-in-process.js'

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

const overHttp = (path = '/mcp?tools=worker,planner', key = host.workerKey) =>
  connect(host.url, key, { path })
const overStdio = () =>
  connectInProcess(createClient({ baseUrl: host.url, key: host.workerKey, retry: false }))
const idle = { type: 'in-process', run: () => new Promise<string>(() => undefined) }
const add = (name: string, type = 'remote') =>
  host.taskboard.agents.create(host.workspaceId, { name, type }).then(({ id }) => id)

/** Who claims: the agent of the one ready task, which is given back. */
async function claimant(client: Client, args: object = {}): Promise<unknown> {
  const { id } = await host.board.add({ title: 'Translate', type: 'remote' })
  const { run } = await call(client, 'claim_task', { ...args })
  const { lease } = await host.board.get(id)
  await call(client, 'complete_task', { run, result: 'done' })
  return lease?.agentId
}

const ways = [
  ...mounts.map(([name, mount]) => [name, mount, () => overHttp()] as const),
  ['stdio', mountOnExpress, () => overStdio()],
] as const

describe.each(ways)('an agent, on %s', (_, mount, connecting) => {
  it('need not be named when the host does not run the only one', async () => {
    host = await serveMcp({ mount, board: { agents: [defineAgent(idle)] } })
    const client = await open(connecting())
    expect(await claimant(client)).toBe(host.agentId)
    const { agents } = await call(client, 'list_agents')
    expect(agents).toMatchObject([
      { name: 'in-process', type: idle.type, is_remote: false },
      { id: host.agentId, name: 'Remote', type: 'remote', is_remote: true },
    ])
  })

  it('is named by its name or its id, for a claim, an assignment and a filter', async () => {
    host = await serveMcp({ mount })
    const writer = await add('Writer of "offers"')
    const client = await open(connecting())
    for (const agent of [writer, 'Writer of "offers"']) expect(await claimant(client, { agent })).toBe(writer)
    const name = 'Writer of "offers"'
    const { id } = await call(client, 'create_task', { title: 'a', assigned_to: name })
    const { tasks } = await call(client, 'create_tasks', {
      tasks: [{ title: 'b', assigned_to: name }, { title: 'c', assigned_to: host.agentId }, { title: 'd' }],
    })
    const ids = [id, ...(tasks as { id: string }[]).map((task) => task.id)].map(String)
    const assignees = async () =>
      Promise.all(ids.map(async (each) => (await host.board.get(each)).assignedTo))
    expect(await assignees()).toEqual([writer, writer, host.agentId, null])
    await call(client, 'update_task', { task_id: ids[1], assigned_to: 'Remote' })
    await call(client, 'update_task', { task_id: ids[2], assigned_to: null })
    expect(await assignees()).toEqual([writer, host.agentId, null, null])
    const found = async (agent: string) =>
      ((await call(client, 'list_tasks', { agent, status: 'pending' }))['tasks'] as { id: string }[]).map(
        (task) => task.id,
      )
    expect(await found(name)).toEqual([ids[0]])
    expect(await found(host.agentId)).toEqual([ids[1]])
  })

  it('is refused when the name is of none or of several, and when none is named of several', async () => {
    host = await serveMcp({ mount })
    const twins = [await add('Twin'), await add('Twin')]
    const client = await open(connecting())
    const calls = [
      ['claim_task', 'agent', {}],
      ['list_tasks', 'agent', {}],
      ['create_task', 'assigned_to', { title: 'x' }],
      ['update_task', 'assigned_to', { task_id: 'task_0' }],
    ] as const
    for (const [name, field, args] of calls) {
      const absent = await refused(client, name, { ...args, [field]: 'remote' })
      expect(absent).toMatchObject({ code: 'RESOURCE_NOT_FOUND', details: { field } })
      expect(absent['message']).toContain(`"Remote" (${host.agentId}, type "remote", ${host.workspaceId})`)
      const several = await refused(client, name, { ...args, [field]: 'Twin' })
      expect(several).toMatchObject({ code: 'INVALID_REQUEST', details: { field } })
      for (const id of twins) expect(several['message']).toContain(id)
      expect(several['message']).not.toContain(host.agentId)
    }
    const none = await refused(client, 'claim_task')
    expect(none).toMatchObject({ code: 'INVALID_REQUEST', details: { field: 'agent' } })
    for (const id of [...twins, host.agentId]) expect(none['message']).toContain(id)
  })
})

describe('the agent of a URL', () => {
  it('claims unless a call names another one', async () => {
    host = await serveMcp({ mcp: { agent: 'Third' } })
    const [first, second, third] = [await add('Writer of offers'), await add('Grün & Co'), await add('Third')]
    for (const [query, id] of [
      ['Writer%20of%20offers', first],
      ['Writer+of+offers', first],
      [encodeURIComponent('Grün & Co'), second],
      [second, second],
    ] as const) {
      const client = await open(overHttp(`/mcp?agent=${query}`))
      expect(await claimant(client)).toBe(id)
      expect(await claimant(client, { agent: 'Third' })).toBe(third)
    }
    expect(await claimant(await open(overHttp('/mcp')))).toBe(third)
  })

  it.each(['', '%20', 'x'.repeat(101), 'a&agent=b'])('is refused as %j', async (query) => {
    host = await serveMcp()
    const response = await send(host, '{}', { path: `/mcp?agent=${query}` })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { data: { error: { details: { field: 'agent' } } } } },
    ])
  })
})

describe('the names of agents', () => {
  it('require agents:read, and an id does not', async () => {
    host = await serveMcp()
    const client = await open(overHttp('/mcp', await host.createKey('tasks:read', 'tasks:write')))
    for (const args of [{}, { agent: 'Remote' }]) {
      expect(await refused(client, 'claim_task', args)).toMatchObject({
        code: 'AUTHORIZATION_FAILED',
        message: 'the credential lacks the scope agents:read: pass the id of an agent as agent',
        details: { field: 'agent' },
      })
    }
    expect(await claimant(client, { agent: host.agentId })).toBe(host.agentId)
  })

  it('are those within reach', async () => {
    host = await serveMcp()
    const stranger = await host.taskboard.accounts.create({ name: 'Other', tier: 'enterprise' })
    const theirs = await host.taskboard.agents.create(stranger.workspace.id, {
      name: 'Theirs',
      type: 'remote',
    })
    const client = await open(overHttp())
    const absent = await refused(client, 'claim_task', { agent: 'Theirs' })
    expect(absent).toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
    expect(absent['message']).not.toContain(theirs.id)
    expect(await refused(client, 'claim_task', { agent: theirs.id })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    })
    expect(await claimant(client)).toBe(host.agentId)
    const { id } = await host.taskboard.accounts.createWorkspace(host.accountId, { name: 'second' })
    const second = await host.taskboard.agents.create(id, { name: 'Remote', type: 'remote' })
    await refused(client, 'create_task', { title: 'x', assigned_to: 'Remote' })
    const made = await call(client, 'create_task', { title: 'x', assigned_to: 'Remote', workspace_id: id })
    expect((await host.taskboard.board(id).get(String(made['id']))).assignedTo).toBe(second.id)
  })

  it('are listed in errors up to a bound, and searched up to one', async () => {
    host = await serveMcp()
    for (let n = 0; n < 60; n++) await add(`${n} ${'é'.repeat(90)}`)
    const client = await open(overHttp())
    const { message } = await refused(client, 'claim_task')
    expect(String(message).length).toBeLessThan(20 * 200)
    expect(message).toContain('and 41 more: see list_agents')
    const first = await call(client, 'list_agents')
    expect(first['agents']).toHaveLength(50)
    expect((await call(client, 'list_agents', { cursor: first['next_cursor'] }))['agents']).toHaveLength(11)
    await Promise.all(Array.from({ length: 940 }, (_, n) => add(`more ${n}`)))
    expect(await refused(client, 'claim_task', { agent: 'Remote' })).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'there are too many agents to find "Remote": pass the id of an agent as agent',
    })
    expect(await claimant(client, { agent: host.agentId })).toBe(host.agentId)
  })

  it('say that a person has to create an agent when the host runs them all', async () => {
    host = await serveMcp({ board: { agents: [defineAgent({ ...idle, type: '*' })] } })
    const client = await open(overHttp())
    expect(await refused(client, 'claim_task')).toMatchObject({
      message: 'agent is required: the host runs all agents itself, so a person has to create one for you',
    })
  })
})
