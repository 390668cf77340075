import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FaultyProxy, faultyProxy } from '../test/faulty-proxy.js'
import { type Framework, frameworks, type ServedBoard, serveBoard } from '../test/served-board.js'
import { createClient, TaskboardApiError, type TaskboardClient } from './index.js'

const unavailable = { answer: 503, headers: { 'content-type': 'text/html' }, body: '<h1>Starting</h1>' }

describe.each(Object.keys(frameworks) as Framework[])(
  'a client of %s behind a faulty network',
  (framework) => {
    let board: ServedBoard
    let proxy: FaultyProxy
    let waits: number[]
    let client: TaskboardClient

    beforeEach(async () => {
      board = await serveBoard(framework)
      proxy = await faultyProxy(board.baseUrl)
      waits = []
      const sleep = (ms: number): Promise<void> => {
        waits.push(ms)
        return Promise.resolve()
      }
      client = createClient({ baseUrl: proxy.baseUrl, key: board.key, retry: { sleep, random: () => 0.5 } })
    })

    afterEach(async () => {
      await proxy.close()
      await board.close()
    })

    async function titles(): Promise<readonly string[]> {
      const { tasks } = await client.tasks.list()
      return tasks.map(({ title }) => title)
    }

    const keysSent = () => new Set(proxy.requests.map(({ headers }) => headers['idempotency-key']))

    it('creates one task when the server is unavailable twice', async () => {
      proxy.faults.push(unavailable, unavailable)
      const { title } = await client.tasks.create({ title: 'once' })
      expect([title, proxy.requests.length, keysSent().size, waits]).toEqual(['once', 3, 1, [125, 250]])
      expect(await titles()).toEqual(['once'])
    })

    it('creates one task when the connection breaks after the commit', async () => {
      proxy.faults.push('cut')
      const { id } = await client.tasks.create({ title: 'once' })
      expect(keysSent().size).toBe(1)
      const { tasks } = await client.tasks.list()
      expect(tasks.map((task) => task.id)).toEqual([id])
    })

    it('creates one task when the answer breaks off in its middle', async () => {
      proxy.faults.push('halve')
      await client.tasks.create({ title: 'once' })
      expect(await titles()).toEqual(['once'])
    })

    it('waits as long as a 429 asks for, and creates one task', async () => {
      proxy.faults.push({ answer: 429, headers: { 'retry-after': '2' } })
      await client.tasks.create({ title: 'once' })
      expect(waits).toEqual([2125])
      expect(await titles()).toEqual(['once'])
    })

    it('creates different tasks by different calls', async () => {
      await client.tasks.create({ title: 'same' })
      await client.tasks.create({ title: 'same' })
      expect(await titles()).toEqual(['same', 'same'])
    })

    it('creates a batch and a task of the board API once', async () => {
      proxy.faults.push('cut', unavailable)
      await client.tasks.createMany({ tasks: [{ title: 'one' }, { title: 'two' }] })
      proxy.faults.push('cut')
      const { task } = await client.board.add({ title: 'three' })
      const { count } = await client.board.todo()
      expect([task.title, count]).toEqual(['three', 3])
    })

    it('repeats a delete that was carried out, which is then not an error', async () => {
      const { id } = await client.tasks.create({ title: 'gone' })
      proxy.faults.push('cut')
      await client.tasks.delete(id)
      await expect(client.tasks.delete(id)).rejects.toMatchObject({ status: 404 })
    })

    it('does not repeat a claim whose answer was lost', async () => {
      const agent = await client.agents.create({ name: 'Reader', type: 'custom', capabilities: [] })
      await client.tasks.createMany({ tasks: [{ title: 'one' }, { title: 'two' }] })
      proxy.faults.push('cut')
      const failed = client.tasks.claim({ agent_id: agent.id })
      await expect(failed).rejects.toMatchObject({ status: 0, code: 'NETWORK_ERROR' })
      const { tasks } = await client.tasks.list({ status: 'in_progress' })
      expect(tasks).toHaveLength(1)
    })

    it('completes a task once when the answer was lost', async () => {
      const agent = await client.agents.create({ name: 'Reader', type: 'custom', capabilities: [] })
      await client.tasks.create({ title: 'one' })
      const { task } = await client.tasks.claim({ agent_id: agent.id })
      if (task === null) throw new Error('nothing to claim')
      proxy.faults.push('cut')
      const done = await client.tasks.complete(task.id, { fencing_token: task.fencing_token, result: 'yes' })
      const { result } = await client.tasks.get(task.id)
      expect([done.status, result]).toEqual(['completed', 'yes'])
    })

    it('reports a create whose lost answer had a secret, with the id of what was created', async () => {
      const user = createClient({
        baseUrl: proxy.baseUrl,
        login: board.owner,
        retry: { sleep: () => Promise.resolve() },
      })
      await user.account.get()
      proxy.faults.push('cut')
      const failed = await user.apiKeys.create({ name: 'nightly', scopes: ['tasks:read'] }).catch(String)
      const { api_keys: keys } = await user.apiKeys.list()
      const made = keys.find(({ name }) => name === 'nightly')
      expect(failed).toContain('POST /v2/account/api-keys: 409')
      expect(failed).toContain(made?.id)
    })

    it('queries over GraphQL, repeats queries, and mutations only with a key', async () => {
      proxy.faults.push(unavailable)
      const { workspaces } = await client.graphql<{ workspaces: { id: string }[] }>('{ workspaces { id } }')
      expect(workspaces).toEqual([{ id: board.workspaceId }])
      const add = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { id title } }'
      const variables = { input: { title: 'by GraphQL' } }
      proxy.faults.push(unavailable)
      await expect(client.graphql(add, variables)).rejects.toMatchObject({ status: 503 })
      proxy.faults.push('cut')
      await client.graphql(add, variables, { idempotencyKey: 'once' })
      expect(await titles()).toEqual(['by GraphQL'])
    })

    it('reports errors of each envelope by code, field and request id, and never the credential', async () => {
      const calls = [
        client.tasks.create({ title: '' }),
        client.board.add({ title: '' }),
        client.graphql('{ nonsense }'),
        client.graphql('mutation { createTask(input: { title: "" }) { id } }'),
      ]
      const errors = (await Promise.all(
        calls.map((call) => call.catch((error: unknown) => error)),
      )) as Error[]
      expect(errors.every((error) => error instanceof TaskboardApiError)).toBe(true)
      expect(errors).toMatchObject([
        { status: 400, code: 'INVALID_REQUEST', field: 'title', requestId: expect.any(String) },
        { status: 400, code: 'INVALID_FIELD' },
        { code: 'INVALID_REQUEST' },
        { name: expect.any(String) },
      ])
      expect(errors.map(String).join()).not.toContain(board.key)
      expect(errors[0]?.message).toMatch(/^POST \/v2\/tasks: 400 title/)
    })
  },
)
