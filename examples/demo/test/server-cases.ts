import { once } from 'node:events'
import { connect } from 'node:net'
import { webhookReceiver, type WebhookReceiver } from '@taskboard/testing'
import { verifySignature } from '@taskboard/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assertDocumentedQuery, assertFollowed, assertResumed, connectClients } from './client-cases.js'
import { assertInspected, hasAudits } from './mcp-cases.js'
import { startServer, type ServerProcess } from './server-process.js'
import { runInShell } from './shell.js'
import { assertTogetherLines, assertWorkedTogether, commandsUnder } from './together-cases.js'

interface WirePayload {
  readonly event: string
  readonly data: { readonly title: string; readonly result?: string }
}

/** Starting a program can take long on a busy machine. */
const PATIENCE_MS = 120_000

interface Started {
  readonly server: ServerProcess
  readonly receiver: WebhookReceiver
}

/** What each example server must show, run against the real program. The cases share one server, which the last ends. */
export function describeServer(framework: string, main: URL): void {
  describe(`the ${framework} server`, { timeout: PATIENCE_MS }, () => {
    let started: Started
    beforeAll(async () => {
      const receiver = await webhookReceiver()
      started = { receiver, server: await startServer(main, { TASKBOARD_WEBHOOK_ALLOW: '127.0.0.0/8' }) }
    }, PATIENCE_MS)
    afterAll(async () => {
      await started.server.kill()
      await started.receiver.close()
    })

    it('prints its address, its state and a key', () => assertGreeting(framework, started))
    it('describes itself on its first page, without the key', () => assertStartPage(framework, started))
    it('prints a link to the dashboard after all else, which logs the owner in once', () =>
      assertDashboard(started))
    it('has a page with commands that work as they are', () => assertCommands(started))
    it('lets the owner log in with the password that it printed', () => assertLogin(started))
    it('works a task and sends signed webhooks', () => assertWebhooks(started))
    it('works the task of an agent that was created over the API', () => assertCustomAgent(started))
    it('answers the documented query, and its client draws the board', () =>
      assertDocumentedQuery(started.server))
    it.skipIf(!hasAudits)('has its tools listed and called by the Inspector of MCP', () =>
      assertInspected(started.server),
    )
    it('sends the realtime client the events of a task from created to completed', () =>
      assertFollowed(started.server))
    it('sends a client that was cut off the events that it missed', () => assertResumed(started.server))
    it('has lines there to ask, answer and approve that work as they are', () =>
      assertTogetherLines(started.server))
    it('works a list with questions, approvals and subtasks over HTTP', async () => {
      await assertWorkedTogether(started.server)
    })
    it('says that it works, and that it is ready for requests', () => assertHealth(started))
    it("leaves the host's own routes alone", () => assertHostRoutes(started))
    it('ends on SIGTERM during work, with requests answered, the task done and clients up to date', () =>
      assertDrain(started))
    it('has shown the key in one place only', () => assertSecrecy(started))
  })
}

function assertGreeting(framework: string, { server }: Started): void {
  expect(server.output()).toContain(`Taskboard on ${framework}: http://127.0.0.1:`)
  expect(server.output()).toContain('State:     in PGlite under ')
  expect(server.key).toMatch(/^tb_[0-9a-z]{39}$/)
}

async function assertStartPage(framework: string, { server }: Started): Promise<void> {
  const answer = await fetch(`${server.url}/`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const page = await answer.text()
  expect(page).toContain(`<h1>Taskboard on ${framework}</h1>`)
  for (const path of [
    '/dashboard',
    '/commands',
    '/api/board?action=todo',
    '/v2/reference',
    '/v2/graphql',
    '/mcp',
    '/v2/realtime',
  ])
    expect(page).toContain(`href="${path}"`)
  expect(page).not.toContain(server.key)
  expect(page).not.toContain('<script')
  expect(await server.commands()).not.toContain(server.key)
  for (const [, path] of page.matchAll(/href="([^"]+)"/g))
    expect((await fetch(server.url + String(path))).status).not.toBe(500)
  const lost = await fetch(`${server.url}/v2/nothing`)
  expect([lost.status, await lost.json()]).toMatchObject([404, { error: { code: 'RESOURCE_NOT_FOUND' } }])
}

async function assertHealth({ server }: Started): Promise<void> {
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(server.url + path)
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok', reasons: [] }])
    const head = await fetch(server.url + path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  }
}

async function assertDashboard({ server }: Started): Promise<void> {
  const [link = '', code] = server.link.split('#login=')
  const page = await fetch(link)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const [, script = ''] = /src="(assets\/main-\w+\.js)"/.exec(await page.text()) ?? []
  expect((await fetch(new URL(script, link))).status).toBe(200)
  const enter = () =>
    fetch(new URL('session/code', link), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify({ code }),
    })
  const entered = await enter()
  const { access_token: token } = (await entered.json()) as { readonly access_token: string }
  const account = await fetch(`${server.url}/v2/account`, { headers: { authorization: `Bearer ${token}` } })
  expect(await account.json()).toMatchObject({ name: 'Demo', caller: { kind: 'user' } })
  expect((await enter()).status).toBe(401)
}

async function assertLogin({ server }: Started): Promise<void> {
  const [, email, password] = /^Owner: +(\S+) \/ (\S+) \(shown only here\)$/m.exec(server.output()) ?? []
  const login = await fetch(`${server.url}/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const { access_token: token } = (await login.json()) as { readonly access_token: string }
  const account = await fetch(`${server.url}/v2/account`, { headers: { authorization: `Bearer ${token}` } })
  expect(await account.json()).toMatchObject({ name: 'Demo', caller: { kind: 'user' } })
}

async function assertCommands({ server }: Started): Promise<void> {
  const answers: unknown[] = []
  for (const line of await commandsUnder(server, 'Try the API')) {
    answers.push(JSON.parse(await runInShell(line, server.key)))
    if (line.includes('action=add')) await server.printed(/task\.completed +Completed: Prepare the launch/)
  }
  expect(answers).toMatchObject([
    { success: true, webhook: { signed: true } },
    { success: true, task: { title: 'Prepare the launch', status: 'TODO' } },
    { success: true, tasks: [] },
    { success: true, tasks: [{ title: 'Prepare the launch', status: 'DONE' }] },
    { success: true, reply: expect.stringContaining('4. Order 250 stickers') as string },
    { success: true, reply: expect.stringContaining('Added "Write the report"') as string },
    { tasks: [{ title: 'Write the report' }, { title: 'Prepare the launch', status: 'completed' }] },
    { agents: [{ status: expect.stringMatching(/^(available|busy)$/) as string, success_rate: 1 }] },
    { data: { workspace: { name: expect.any(String) as string, agents: [{ name: 'Checklist agent' }] } } },
    { success: true, task: { status: 'TODO' } },
  ])
}

async function assertWebhooks({ server, receiver }: Started): Promise<void> {
  const events = ['task.created', 'task.started', 'task.completed']
  const registered = await fetch(`${server.url}/api/webhooks/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, events, secret: 'between-us' }),
  })
  expect(registered.status).toBe(200)
  const { json } = await server.call('add', { title: 'Größe prüfen', description: '- Zähle 3 Äpfel' })
  expect(json).toMatchObject({ success: true, task: { title: 'Größe prüfen' } })

  await receiver.waitFor(3)
  const payloads = new Map(receiver.deliveries.map((one) => [one.event, one.json as WirePayload]))
  expect(new Set(payloads.keys())).toEqual(new Set(events))
  expect(payloads.get('task.completed')?.data.result).toContain('1. Zähle 3 Äpfel (read: 3 words; number 3)')
  for (const { body, headers } of receiver.deliveries) {
    expect(verifySignature('between-us', body, headers['x-service-signature'])).toBe(true)
    expect(verifySignature('another', body, headers['x-service-signature'])).toBe(false)
  }
}

async function assertCustomAgent({ server }: Started): Promise<void> {
  const send = async (path: string, body: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return [response.status, await response.json()] as const
  }
  const [status, agent] = await send('/v2/agents', { name: 'My own', type: 'custom' })
  expect([status, agent]).toMatchObject([201, { type: 'custom', status: 'available' }])
  const { id } = agent as { readonly id: string }
  const task = { title: 'For the custom agent', description: '- one step', assigned_to: id }
  expect(await send('/v2/tasks', task)).toMatchObject([201, { agent: { id } }])
  await server.printed(/task\.completed +Completed: For the custom agent/)
}

async function assertHostRoutes({ server }: Started): Promise<void> {
  const response = await fetch(`${server.url}/health`)
  expect(await response.json()).toEqual({ ok: true })
  expect((await fetch(`${server.url}/elsewhere`)).status).toBe(404)
}

async function assertDrain({ server }: Started): Promise<void> {
  const clients = await connectClients(server)
  await server.call('add', { title: 'Slow', description: 'wait 500ms' })
  await server.printed(/task\.started +Started: Slow/)
  const answer = sendInTwoParts(server, '{"title":"In fli', 'ght"}')
  await answer.begin()
  server.signal('SIGTERM')
  await server.printed(/SIGTERM: letting work in progress end/)
  expect(await answer.finish()).toContain('HTTP/1.1 200 OK')
  expect(await server.ended).toEqual({ code: 0, signal: null })
  expect(server.output()).toContain('Completed: Slow')
  await clients.assertSentAway('Slow')
  await expect(fetch(server.url)).rejects.toThrow('fetch failed')
}

function assertSecrecy({ server }: Started): void {
  expect(server.output().split(server.key)).toHaveLength(2)
  expect(server.output()).not.toContain('between-us')
}

/** A request to add a task, with a body in two parts, so that it can stay in flight as long as needed. */
function sendInTwoParts({ url, key }: ServerProcess, first: string, second: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  async function begin(): Promise<void> {
    await once(socket, 'connect')
    const head = [
      'POST /api/board?action=add HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${first.length + second.length}`,
      'Expect: 100-continue',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    while (!text.includes('100 Continue')) await once(socket, 'data')
    socket.write(first)
  }
  return {
    begin,
    async finish(): Promise<string> {
      text = ''
      socket.write(second)
      await once(socket, 'close')
      return text
    },
  }
}
