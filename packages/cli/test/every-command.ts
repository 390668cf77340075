import { openCuttingProxy, startServer, type ServerProcess } from '@taskboard/example-demo/testing'
import { createClient } from '@taskboard/client'
import { scopes } from '@taskboard/core'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { call } from '@taskboard/kit/mcp/mcp-client'
import { answerCheck } from './answer-check.js'
import { newFolder, run, start, type Ended } from './cli-process.js'
import { connectToMcp } from './mcp-process.js'
import { commands } from '../src/commands.js'

const owner = { email: 'ada@acme.example', password: 'correct horse battery' }
/** What else is tested: on databases, and programs as agents. */
const elsewhere = [
  'work',
  'migrate',
  'status',
  'prune',
  'reseal',
  'create-key',
  'read-only',
  'export',
  'import',
]

/** Calls every command against the demo on PostgreSQL. */
export function describeEveryCommand(): void {
  describe('every command against the demo', { timeout: 120_000 }, () => {
    let server: ServerProcess
    let database: TestDatabase
    let check: Awaited<ReturnType<typeof answerCheck>>
    let env: Readonly<Record<string, string>>
    let agentId = ''
    const called = new Set<string>()

    beforeAll(async () => {
      database = await createTestDatabase()
      server = await startServer(new URL('server.js', inject('programs')), {
        TASKBOARD_AGENT: 'off',
        TASKBOARD_OWNER_EMAIL: owner.email,
        TASKBOARD_OWNER_PASSWORD: owner.password,
        TASKBOARD_WEBHOOK_ALLOW: '127.0.0.0/8',
        DATABASE_URL: database.url,
      })
      check = await answerCheck(server.url)
      env = { HOME: newFolder(), TASKBOARD_URL: server.url }
    }, 120_000)
    afterAll(async () => {
      await server?.kill()
      await database?.drop()
    })

    /** Calls a command with `--json`, and compares what it prints with the document. */
    async function json<T>(name: string, args: readonly string[] = [], input = ''): Promise<T> {
      called.add(name)
      const ended = await run([...name.split(' '), ...args, '--json'], { env, input })
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      const known = commands.find((command) => command.name === name)
      if (known !== undefined && 'operation' in known.json) check(known.json.operation, ended.json())
      return ended.json() as T
    }

    const text = (args: readonly string[], input = ''): Promise<Ended> => run(args, { env, input })

    it('logs in', async () => {
      const wrong = await text(['login', '--email', owner.email], 'not the password\n')
      expect(wrong).toMatchObject({ code: 3, stdout: '' })
      expect(wrong.stderr).not.toContain('not the password')
      const all = scopes.flatMap((scope) => ['--scope', scope])
      const login = await json<{ url: string }>('login', all, `${owner.email}\n${owner.password}\n`)
      expect(login.url).toBe(server.url)
    })

    it('adds, lists, shows, moves and comments tasks', async () => {
      const added = await json<{ id: string }>(
        'add',
        [
          'Write the report',
          '--description',
          '-',
          '--tag',
          'a',
          '--tag',
          'b',
          '--priority',
          'high',
          '--metadata',
          'x=1',
        ],
        'with \u001B[31mfigures\n',
      )
      const part = await json<{ id: string }>('add', [
        'Later',
        '--depends-on',
        added.id,
        '--deadline',
        '2099-01-31T12:00:00Z',
      ])
      const page = await json<{ tasks: { id: string; tags: string[] }[] }>('list', ['--tag', 'a'])
      expect(page.tasks).toMatchObject([{ id: added.id, tags: ['a', 'b'] }])
      const all = await json<{ tasks: { id: string }[] }>('list', ['--all'])
      expect(all.tasks.map(({ id }) => id).slice(0, 2)).toEqual([part.id, added.id])
      await json('comment', [added.id, 'looks good'])
      expect(await json('show', [added.id])).toMatchObject({
        description: 'with \u001B[31mfigures',
        metadata: { x: '1' },
      })
      const page1 = await text(['show', added.id])
      expect(page1.stdout).toContain('with \uFFFD[31mfigures')
      expect(page1.stdout).toContain('looks good')
      expect(page1.stdout).not.toContain('\u001B')
      expect(await json('move', [added.id, 'done'])).toMatchObject({ column: 'done' })
      await json('move', [part.id, 'doing'])
      const table = await text(['list', '--column', 'done'])
      expect(table.stdout).toMatch(/^ID .*TITLE\n.*Write the report\n$/)
    })

    it('updates, cancels, releases and deletes tasks, shows a thread, and who asks', async () => {
      const { id } = await json<{ id: string }>('add', ['Draft', '--deadline', '2099-01-31T12:00:00Z'])
      const changes = ['--title', 'Final', '--deadline', 'none', '--tag', 'c', '--priority', 'low']
      expect(await json('update', [id, ...changes])).toMatchObject({
        title: 'Final',
        deadline: null,
        tags: ['c'],
        priority: 'low',
      })
      expect(await text(['update', id])).toMatchObject({ code: 2, stdout: '' })
      expect(await json('cancel', [id, '--message', 'not now'])).toMatchObject({
        status: 'cancelled',
        hold: { message: 'not now' },
      })
      expect(await json('release', [id])).toMatchObject({ status: 'pending' })
      await json('comment', [id, 'first'])
      await json('comment', [id, 'second'])
      const { comments } = await json<{ comments: { body: string }[] }>('comments', [id])
      expect(comments.map(({ body }) => body)).toEqual(['first', 'second'])
      expect((await text(['comments', id])).stdout).toMatch(/: first\n.*: second\n$/)
      expect(await json('delete', [id])).toEqual({ deleted: id })
      expect(await text(['show', id])).toMatchObject({ code: 4 })
      expect((await json<{ caller: { scopes: string[] } }>('whoami')).caller.scopes).toContain('tasks:write')
      expect((await text(['whoami'])).stdout).toContain(`server   ${server.url}`)
    })

    it('takes the end of an id, sends requests, prints the page of a task and completes words', async () => {
      const { id } = await json<{ id: string }>('add', ['By its end'])
      const end = id.slice(-6)
      expect(await json('show', [end])).toMatchObject({ id })
      const part = await json<{ id: string }>('add', ['Part', '--parent', end, '--depends-on', end])
      expect(await json('show', [part.id])).toMatchObject({ parent_id: id, depends_on: [id] })
      expect(await text(['show', 'zzzz'])).toMatchObject({ code: 4 })
      expect(await json('open', [end])).toEqual({ url: `${server.url}/dashboard/#/tasks/${id}` })
      expect((await text(['open'])).stdout).toBe(`${server.url}/dashboard/\n`)
      expect(await json('api', [`/v2/tasks/${id}`])).toMatchObject({ id, title: 'By its end' })
      const made = await json<{ id: string }>('api', ['/v2/tasks', '--body', '-'], '{"title":"Raw"}')
      expect(await text(['api', `/v2/tasks/${made.id}`, '--method', 'DELETE'])).toMatchObject({ code: 0 })
      expect(await text(['api', `/v2/tasks/${made.id}`])).toMatchObject({ code: 4 })
      expect((await text(['api', '/v2/tasks', '--body', '{"titel":1}'])).stderr).toMatch(/error: 400 .*titel/)
      expect(await text(['api', 'v2/tasks'])).toMatchObject({ code: 2 })
      expect((await text(['api', '/v2/reference'])).stdout).toContain('<html')
      expect((await json<{ script: string }>('completion', ['bash'])).script).toContain('complete -o default')
      expect(await text(['completion', 'csh'])).toMatchObject({ code: 2 })
      // No agent shall claim them.
      for (const one of [part.id, id]) await json('delete', [one])
    })

    it('completes a task with a result, and one that an agent has only by --take-over', async () => {
      const { id } = await json<{ id: string }>('add', ['By hand', '--priority', 'low'])
      expect(await json('complete', [id, '-'], 'mended\n')).toMatchObject({ id, status: 'completed' })
      const page = await text(['show', id])
      expect(page.stdout).toMatch(/^taken by +\S/m)
      expect(page.stdout).toContain('mended')
      const client = createClient({ baseUrl: server.url, key: server.key })
      const agent = await json<{ id: string }>('agents create', ['Busy'])
      const claimed = await json<{ id: string }>('add', ['Of an agent', '--assign', agent.id])
      await client.tasks.claim({ agent_id: agent.id })
      const refused = await text(['complete', claimed.id, 'mine'])
      expect(refused.code).not.toBe(0)
      expect(refused.stderr).toContain('an agent works on the task')
      expect(await json('complete', [claimed.id, 'mine', '--take-over'])).toMatchObject({
        status: 'completed',
      })
    })

    it('shows the whole log of a task, of whose lines its page has the newest 100', async () => {
      const client = createClient({ baseUrl: server.url, key: server.key })
      const agent = await json<{ id: string }>('agents create', ['Talker'])
      const { id } = await json<{ id: string }>('add', ['Long', '--assign', agent.id])
      expect((await text(['logs', id])).stdout).toBe('no log lines\n')
      const { task } = await client.tasks.claim({ agent_id: agent.id })
      const fencing_token = task?.fencing_token ?? 0
      const messages = Array.from({ length: 101 }, (_, index) => `line ${index + 1}`)
      for (const message of messages) await client.tasks.log(id, { fencing_token, message })
      const all = await json<{ logs: { message: string }[]; next_cursor: null }>('logs', [id])
      expect([all.logs.map(({ message }) => message), all.next_cursor]).toEqual([messages, null])
      const { stdout } = await text(['logs', id])
      expect(stdout).toMatch(/^\S+Z {2}info {2}line 1\n/)
      expect(stdout.trimEnd().split('\n')).toHaveLength(101)
      const page = await text(['show', id])
      expect(page.stdout).not.toMatch(/info {2}line 1\n/)
      expect(page.stdout).toContain(`(the newest 100 lines; all of them: taskboard logs ${id})`)
      await json('complete', [id, 'said', '--take-over'])
    })

    it('creates, lists, pauses, resumes and deletes agents', async () => {
      const { id } = await json<{ id: string }>('agents create', [
        'Shell',
        '--type',
        'shell',
        '--max-concurrent',
        '2',
      ])
      agentId = id
      const { agents } = await json<{ agents: { id: string }[] }>('agents list')
      expect(agents.map((agent) => agent.id)).toContain(id)
      expect(await json('agents pause', [id])).toMatchObject({ paused: true })
      expect(await json('agents resume', ['Shell'])).toMatchObject({ id, paused: false })
      const assigned = await json<{ id: string }>('add', ['By name', '--assign', 'Shell'])
      const { tasks } = await json<{ tasks: { id: string }[] }>('list', ['--agent', 'Shell'])
      expect(tasks.map((task) => task.id)).toEqual([assigned.id])
      await json('move', [assigned.id, 'done'])
      const other = await json<{ id: string }>('agents create', ['Other'])
      expect(await json('agents delete', ['Other'])).toEqual({ deleted: other.id })
    })

    it('answers questions, and decides approvals by their task', async () => {
      const client = createClient({ baseUrl: server.url, key: server.key })
      const claim = async (title: string) => {
        const { id } = await json<{ id: string }>('add', [title, '--type', 'shell'])
        const { task } = await client.tasks.claim({ agent_id: agentId })
        expect(task?.id).toBe(id)
        return { id, fencing_token: task?.fencing_token ?? 0 }
      }
      const asking = await claim('asking')
      await client.tasks.hold(asking.id, {
        fencing_token: asking.fencing_token,
        reason: 'needs_input',
        message: 'Which?',
      })
      expect(await json('answer', [asking.id, 'that one'])).toMatchObject({
        kind: 'answer',
        body: 'that one',
      })
      await client.tasks.move(asking.id, { to: 'done' })
      for (const command of ['approve', 'reject']) {
        const { id, fencing_token } = await claim(command)
        await client.tasks.approvals.request(id, {
          fencing_token,
          action: 'pay',
          summary: 'Pay it',
          input: { sum: 5 },
        })
        const { approvals } = await json<{ approvals: { id: string }[] }>('approvals', ['--task', id])
        expect(approvals).toHaveLength(1)
        const shown = await json<{ input: unknown; short_digest: string }>('approvals show', [id.slice(-6)])
        expect(shown.input).toEqual({ sum: 5 })
        const digest = ['--digest', shown.short_digest]
        const decided = await json(command, [id, '--comment', 'as discussed', ...digest])
        expect(decided).toMatchObject({
          status: command === 'approve' ? 'approved' : 'rejected',
          comment: 'as discussed',
        })
        expect(await text(['reject', id])).toMatchObject({ code: 4 })
        await client.tasks.move(id, { to: 'done' })
      }
    })

    it('manages webhooks', async () => {
      const received: unknown[] = []
      const endpoint = createServer((request, response) => {
        received.push(request.headers['webhook-id'])
        response.end()
      }).listen(0, '127.0.0.1')
      await once(endpoint, 'listening')
      const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`
      const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
      const { id } = await json<{ id: string }>(
        'webhooks create',
        [url, '--event', 'task.created', '--signed'],
        `${secret}\n`,
      )
      expect(await json('webhooks list')).toMatchObject({ webhooks: [{ id, url, signed: true }] })
      const short = ['webhooks', 'create', `${url}short`, '--event', 'task.created', '--signed']
      expect(await text(short, 'too short\n')).toMatchObject({ code: 8 })
      const generated = await json<{ id: string; secret: string }>('webhooks create', [
        `${url}generated`,
        '--event',
        'order.new',
        '--generate-secret',
      ])
      expect(generated.secret).toMatch(/^whsec_/)
      expect(await json('webhooks delete', [generated.id])).toEqual({ deleted: generated.id })
      await json('webhooks test', [id])
      // The answer may come before the attempt.
      await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)
      expect(await json('webhooks disable', [id])).toMatchObject({ enabled: false })
      expect(await json('webhooks enable', [id])).toMatchObject({ enabled: true })
      expect(await json('webhooks delete', [id])).toEqual({ deleted: id })
      endpoint.close()
      endpoint.closeAllConnections()
    })

    it('creates, lists, rotates and revokes keys', async () => {
      const created = await json<{ id: string; key: string }>(
        'keys create',
        ['reader', '--scope', 'tasks:read', '--days', '1', '--email', owner.email],
        `${owner.password}\n`,
      )
      const reader = { ...env, TASKBOARD_KEY: created.key }
      expect(await run(['list', '--json'], { env: reader })).toMatchObject({ code: 0 })
      expect(await run(['add', 'x'], { env: reader })).toMatchObject({ code: 3 })
      const { api_keys: keys } = await json<{ api_keys: { id: string }[] }>('keys list')
      expect(keys.map(({ id }) => id)).toContain(created.id)
      const rotated = await json<{ id: string; key: string }>(
        'keys rotate',
        [created.id, '--overlap', '0'],
        `${owner.email}\n${owner.password}\n`,
      )
      expect(await run(['list'], { env: { ...env, TASKBOARD_KEY: rotated.key } })).toMatchObject({ code: 0 })
      expect(await json('keys revoke', [rotated.id])).toEqual({ revoked: rotated.id })
      expect(await run(['list'], { env: { ...env, TASKBOARD_KEY: rotated.key } })).toMatchObject({ code: 3 })
    })

    it('lists, links and disconnects messengers, of which the demo has none', async () => {
      const typed = `${owner.email}\n${owner.password}\n`
      expect(await json('messengers list', [], typed)).toEqual({ messengers: [], links: [] })
      expect(await json('messengers conversations')).toEqual({ conversations: [] })
      const faultOf = async (name: string, args: readonly string[] = [], input = '') => {
        called.add(name)
        return run([...name.split(' '), ...args, '--json'], { env, input })
      }
      expect(await faultOf('messengers code', ['--zone', 'Europe/Oslo'], typed)).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('this board has no bot in a messenger') as string,
      })
      expect(await faultOf('messengers unlink', ['link_0'], typed)).toMatchObject({ code: 4 })
      expect(await faultOf('messengers disconnect', ['conversation_0'])).toMatchObject({ code: 4 })
    })

    it('watches what happens, over a cut of the connection', async () => {
      called.add('watch')
      const proxy = await openCuttingProxy(server.url)
      const watching = start(['watch', '--json'], {
        env: { ...env, TASKBOARD_URL: proxy.url, TASKBOARD_KEY: server.key },
      })
      await watching.printed(/"type":"subscribed"/)
      const ids = [(await json<{ id: string }>('add', ['Seen live'])).id]
      await watching.printed(new RegExp(`"type":"task.created".*${ids[0]}`))
      proxy.cut()
      await watching.printed(/not connected/)
      ids.push((await json<{ id: string }>('add', ['Seen later'])).id)
      proxy.mend()
      await watching.printed(new RegExp(`"type":"task.created".*${ids[1]}`))
      watching.signal('SIGINT')
      const { code, stdout } = await watching.ended
      expect(code).toBe(0)
      const messages = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; data: { task_id: string } })
      const created = messages.filter(({ type }) => type === 'task.created')
      expect(created.map(({ data }) => data.task_id)).toEqual(ids)
      await proxy.close()
    })

    it('ends with the documented codes', async () => {
      expect(await text(['nothing'])).toMatchObject({ code: 2 })
      expect(await text(['add'])).toMatchObject({ code: 2 })
      expect(await text(['move', 'task_0', 'away'])).toMatchObject({ code: 2 })
      expect(await text(['show', 'task_0'])).toMatchObject({ code: 4 })
      expect(await text(['answer', (await json<{ id: string }>('add', ['open'])).id, 'x'])).toMatchObject({
        code: 5,
      })
      expect(await text(['add', 'x', '--deadline', 'soon'])).toMatchObject({ code: 8 })
      // The stored key is for the server of the login only.
      expect(await text(['list', '--url', 'http://127.0.0.1:1'])).toMatchObject({ code: 3 })
      const elsewhereEnv = { ...env, TASKBOARD_KEY: server.key, TASKBOARD_URL: 'http://127.0.0.1:1' }
      expect(await run(['list', '--timeout', '1'], { env: elsewhereEnv })).toMatchObject({ code: 7 })
      const fault = await run(['show', 'task_0', '--json'], { env })
      expect(JSON.parse(fault.stderr)).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND', exit_code: 4 } })
    })

    it('serves a model', async () => {
      called.add('mcp')
      const { id } = await json<{ id: string }>('add', ['Seen by a model'])
      const { client } = await connectToMcp(['--tools', 'planner'], env)
      const { tasks } = await call(client, 'list_tasks', { limit: 1 })
      expect(tasks).toMatchObject([{ id }])
      await client.close()
    })

    it('logs out, and every command was called', async () => {
      expect(await json('logout')).toMatchObject({ revoked: true })
      expect(await text(['list'])).toMatchObject({ code: 3 })
      expect([...called, ...elsewhere].toSorted()).toEqual(commands.map(({ name }) => name).toSorted())
    })
  })
}
