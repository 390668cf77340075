import { createClient } from '@taskboard/client'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BoardHost, serveBoard } from '@taskboard/kit/hosts/board-host'
import { newFolder, programPath, run, start } from '../test/cli-process.js'
import { startOnTerminal } from '../test/terminal.js'

const HARMFUL = 'a\u001B[2J\u001B]0;title\u0007b\u009B31mc\u202Ed'
const SECRET = 'tb_0123456789abcdef0123456789abcdef0123456'
const cleanUps: (() => unknown)[] = []
let host: BoardHost
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  host = await serveBoard({ createDefaultAgent: false })
  env = { TASKBOARD_URL: host.url, TASKBOARD_KEY: host.key }
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})
afterAll(() => host.close())

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  cleanUps.push(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A home with these settings. */
function homeWith(settings: string, mode = 0o600): string {
  const home = newFolder()
  mkdirSync(join(home, '.config/taskboard'), { recursive: true })
  writeFileSync(join(home, '.config/taskboard/config.json'), settings, { mode })
  return home
}

describe('an error', { timeout: 60_000 }, () => {
  it.each<[number, readonly string[], Readonly<Record<string, string>>]>([
    [2, ['nothing'], {}],
    [2, ['add'], {}],
    [2, ['add', 'one', 'two'], {}],
    [2, ['keys'], {}],
    [2, ['keys', 'nothing'], {}],
    [2, ['list', '--column', 'nowhere'], {}],
    [2, ['list', '--key', SECRET], {}],
    [2, ['list', `--key=${SECRET}`], {}],
    [2, ['work', '--agent', 'x'], {}],
    [2, ['list', '--url', `https://ada:${SECRET}@board.example`], {}],
    [2, ['list', '--timeout', '0'], {}],
    [2, ['list'], { TASKBOARD_URL: 'board' }],
    [2, ['list'], { TASKBOARD_KEY: '', HOME: homeWith('{') }],
    [2, ['list'], { TASKBOARD_KEY: '', HOME: homeWith('{}', 0o644) }],
    [2, ['migrate'], {}],
    [3, ['list'], { TASKBOARD_KEY: '' }],
    [3, ['list'], { TASKBOARD_KEY: SECRET }],
    [3, ['list'], { TASKBOARD_KEY: `${SECRET}\u2028` }],
    [3, ['watch'], { TASKBOARD_KEY: SECRET }],
    // The host has its own login.
    [4, ['login'], {}],
    [4, ['show', 'task_0'], {}],
    [4, ['show', '../../v2/tasks'], {}],
    [7, ['list', '--timeout', '1'], { TASKBOARD_URL: 'http://127.0.0.1:1' }],
    [8, ['list', '--limit', 'many'], {}],
  ])('of code %i is one line of JSON for %j', async (code, args, more) => {
    const plainly = await run(args, { env: { ...env, ...more } })
    expect(plainly).toMatchObject({ code, stdout: '' })
    const ended = await run([...args, '--json'], { env: { ...env, ...more } })
    expect(ended).toMatchObject({ code, stdout: '' })
    const { error } = JSON.parse(ended.stderr) as { error: { message: string; exit_code: number } }
    expect(error.exit_code).toBe(code)
    expect(error.message).toMatch(/^.{10,300}$/)
    // Without a command, people get the help.
    if (!plainly.stderr.startsWith('Usage:')) expect(plainly.stderr).toContain(error.message)
    expect(plainly.stderr + ended.stderr).not.toContain(SECRET)
  })

  it('of a server that redirects is not followed', async () => {
    let requests = 0
    const other = await serve((_, response) => {
      requests += 1
      response.end()
    })
    const url = await serve((_, response) => response.writeHead(307, { location: other }).end())
    const input = 'ada@acme.example\ncorrect horse battery\n'
    const ended = await run(['login', '--url', url, '--json'], { env: {}, input })
    expect(ended).toMatchObject({ code: 7, stdout: '' })
    expect(ended.stderr).toContain('307')
    expect(requests).toBe(0)
  })

  it.each<[string, RequestListener]>([
    ['is no task board', (_, response) => response.setHeader('content-type', 'text/html').end('<h1>Hello')],
    [
      'answers with half of its JSON',
      (_, response) => response.setHeader('content-type', 'application/json').end('{"ta'),
    ],
    ['hangs up', (request) => request.socket.destroy()],
    ['does not answer', () => undefined],
  ])('of a server that %s has the code 7', async (_, listener) => {
    const ended = await run(['list', '--json', '--timeout', '1'], {
      env: { ...env, TASKBOARD_URL: await serve(listener) },
    })
    expect(ended).toMatchObject({ code: 7, stdout: '' })
  })

  it('of a server moves no cursor', async () => {
    const url = await serve((_, response) =>
      response
        .writeHead(409, { 'content-type': 'application/json' })
        .end(
          JSON.stringify({ error: { code: 'CONFLICT', message: HARMFUL, details: {}, request_id: HARMFUL } }),
        ),
    )
    for (const args of [['list'], ['list', '--json']]) {
      const { code, stderr } = await run(args, { env: { ...env, TASKBOARD_URL: url } })
      expect(code).toBe(5)
      expect(stderr).toMatch(/^[\u0020-\u007E\uFFFD]+\n$/)
    }
  })
})

describe('text of others on a terminal', { timeout: 60_000 }, () => {
  it('moves no cursor in any command', async () => {
    const client = createClient({ baseUrl: host.url, key: host.key })
    const { id } = await client.tasks.create({
      title: `Title ${HARMFUL}`,
      description: HARMFUL,
      type: 'x',
      tags: [HARMFUL],
    })
    await client.tasks.comment(id, { body: HARMFUL })
    for (const args of [
      ['list'],
      ['show', id],
      ['show', id, '--json'],
      ['list', '--json'],
      ['move', id, 'todo'],
    ]) {
      const terminal = startOnTerminal([...args, '--no-color'], env)
      expect(await terminal.ended).toBe(0)
      // Tables show the end of it.
      expect(terminal.shown()).toContain(id.slice(-8))
      expect(terminal.shown()).not.toMatch(/[^\P{Cc}\r\n]|[\u202A-\u202E]/u)
    }
  })
})

describe('a pipe whose reader ends', { timeout: 60_000 }, () => {
  it.each(['list --json', 'list --json --all', '--help'])('ends %s in silence', async (command) => {
    const script = `"$NODE" "$PROGRAM" ${command} | head -c 1; echo " \${PIPESTATUS[0]}"`
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
      env: {
        ...env,
        PATH: process.env['PATH'],
        HOME: newFolder(),
        NODE: process.execPath,
        PROGRAM: programPath(),
      },
    })
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^. 0\n$/)
  })
})

describe('an output without room', { timeout: 60_000 }, () => {
  it('is an error in one line', async () => {
    const script = `"$NODE" "$PROGRAM" list --json > /dev/full; echo "$?"`
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
      env: { ...env, HOME: newFolder(), NODE: process.execPath, PROGRAM: programPath() },
    })
    expect(stdout).toBe('1\n')
    expect(stderr).toMatch(/^error: the output cannot be written: .*ENOSPC.*\n$/)
  })
})

describe('watch', { timeout: 60_000 }, () => {
  it('of a task says what happens to it, and ends with it', async () => {
    const client = createClient({ baseUrl: host.url, key: host.key })
    const { id } = await client.tasks.create({ title: 'Seen', type: 'x' })
    const one = start(['watch', '--task', id], { env })
    await one.printed(/connected/)
    await client.tasks.comment(id, { body: 'nearly there' })
    await client.tasks.move(id, { to: 'doing' })
    await client.tasks.move(id, { to: 'todo' })
    await one.printed(/Seen to todo/)
    await client.tasks.cancel(id)
    const { code, stdout } = await one.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/Seen comment: nearly there\n/)
    expect(stdout).toMatch(/Seen to doing\n/)
    expect(await run(['watch', '--task', id], { env })).toMatchObject({ code: 0, stdout: '' })
  })

  it('of a task says what it waits for, and why it failed', async () => {
    const agent = await host.taskboard.agents.create(host.workspaceId, { name: 'Watched', type: 'watched' })
    const { id } = await host.board.add({ title: 'Asked', assignedTo: agent.id })
    const claim = async () => (await host.board.claim({ agentId: agent.id, taskId: id }))?.fencingToken ?? 0
    const one = start(['watch', '--task', id], { env })
    await one.printed(/connected/)
    await host.board.ask(id, { fencingToken: await claim(), question: 'Which?' })
    await one.printed(/Asked question: Which\?\n/)
    await host.board.answer(id, { body: 'That one' })
    await host.board.fail(id, { fencingToken: await claim(), reason: 'no network', retry: false })
    const { code, stdout } = await one.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/ task\.failed {2}\S+ {2}Asked failed: no network\n$/)
  })

  it('of a task says that events are gone, also those of other tasks', async () => {
    const { url, key, board, workspaceId, close } = await serveBoard({ bounds: { replayLimit: 2 } })
    cleanUps.push(close)
    const { id } = await board.add({ title: 'Watched', type: 'x' })
    for (const title of ['1', '2', '3', '4']) await board.add({ title, type: 'x' })
    const at = { env: { TASKBOARD_URL: url, TASKBOARD_KEY: key } }
    const one = start(['watch', '--task', id, '--workspace', workspaceId, '--since', '1'], at)
    await one.printed(/^- {2}gap {2}the events 2 to 3 are no longer available\n/)
    await board.cancel(id)
    expect(await one.ended).toMatchObject({ code: 0 })
  })

  it('of an unknown task is refused', async () => {
    expect(await run(['watch', '--task', 'task_nope'], { env })).toMatchObject({ code: 4, stdout: '' })
  })

  it('says that there is no server, goes on once there is one, and ends with Ctrl-C', async () => {
    const url = await serve((_, response) => response.writeHead(503).end())
    const one = start(['watch'], { env: { ...env, TASKBOARD_URL: url } })
    await one.printed(/not connected: .+\n/)
    one.signal('SIGINT')
    expect(await one.ended).toMatchObject({ code: 0, stdout: '' })
  })
})
