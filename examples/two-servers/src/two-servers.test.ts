import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { defineAgent } from '@taskboard/core'
import { openCuttingProxy } from '@taskboard/kit/net/cutting-proxy'
import { createMigratedDatabase, createTestDatabase } from '@taskboard/kit/postgres/test-database'
import { webhookReceiver } from '@taskboard/testing'
import { expect, inject, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { openBoards, type Addresses } from '../test/open-boards.js'
import { createRoutedServer } from './server.js'

const PASSWORD = 'correct horse battery'
const WAIT = { timeout: 20_000 }

/** Runs a move in a process of its own, which is killed after a step if one is named. */
async function runMover(
  urls: Addresses,
  account: string,
  ...rest: readonly string[]
): Promise<string | null> {
  const program = fileURLToPath(new URL('mover.js', inject('programs')))
  const child = execFile(process.execPath, [program, JSON.stringify(urls), account, ...rest])
  let printed = ''
  child.stderr?.on('data', (text) => (printed += String(text)))
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (code !== 0 && signal === null) throw new Error(printed)
  return signal
}

/** Two boards behind one server. The second one is behind a proxy that can be cut. */
async function startServers() {
  const [one, two, directoryData] = await Promise.all([
    createMigratedDatabase(),
    createMigratedDatabase(),
    createTestDatabase(),
  ])
  const proxy = await openCuttingProxy(two.url)
  const behind = new URL(two.url)
  behind.host = new URL(proxy.url).host
  const urls = { directory: directoryData.url, one: one.url, two: behind.href }
  const agent = defineAgent({
    type: 'research',
    concurrency: 4,
    leaseMs: 1_000,
    run: async ({ title }) => `done: ${title}`,
  })
  const { directory, boards } = await openBoards(urls, [agent])
  for (const { taskboard } of boards) await taskboard.start()
  const server = createRoutedServer(directory, boards).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    for (const { taskboard, pool } of boards) {
      await taskboard.close({ drainTimeoutMs: 0 })
      await pool.end()
    }
    await directory.close()
    await proxy.close()
    for (const database of [one, two, directoryData]) await database.drop()
  })
  return { urls, boards, proxy, origin: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

type Started = Awaited<ReturnType<typeof startServers>>

/** An account on a board, with what its people and programs do over the server. */
async function addAccount({ boards, origin }: Started, board: number, name: string) {
  const { accounts } = (boards[board] as Started['boards'][number]).taskboard
  const owner = { email: `${name}@two-servers.example`, password: PASSWORD }
  const { account, workspace } = await accounts.create({ name, tier: 'custom', owner })
  const scopes = ['tasks:read', 'tasks:write', 'webhooks:write', 'webhooks:read', 'account:read'] as const
  const { key } = await accounts.createKey({ accountId: account.id, name: 'load', scopes: [...scopes] })

  async function call(method: string, path: string, body?: object, more: Record<string, string> = {}) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(`http://${origin}${path}`, init)
    const text = await response.text()
    const json = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>
    return { status: response.status, headers: response.headers, json }
  }
  return { account, workspace, owner, call }
}

type Caller = Awaited<ReturnType<typeof addAccount>>

/** Adds tasks one after the other until it is stopped. A refused request is repeated under its key until it passes. */
function startLoad({ call }: Caller) {
  const added: string[] = []
  const statuses = new Set<number>()
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const title = `task ${added.length}`
      const key = { 'idempotency-key': randomUUID() }
      for (;;) {
        const { status, headers } = await call('POST', '/v2/tasks', { title }, key)
        statuses.add(status)
        if (status === 201) break
        expect([status, Number(headers.get('retry-after'))]).toEqual([503, 5])
        await setTimeout(20)
      }
      added.push(title)
    }
  })()
  return {
    added,
    statuses,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** The events of an account, as its realtime channel sends them. */
async function listen(origin: string, { account, workspace, owner, call }: Caller) {
  const login = { email: owner.email, password: PASSWORD }
  const { json } = await call('POST', '/v2/auth/login', login, { authorization: '' })
  const socket = new WebSocket(`ws://${origin}/v2/realtime?account=${account.id}`)
  const heard: { type: string }[] = []
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString()) as { type: string }))
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'auth', token: `Bearer ${String(json['access_token'])}` }))
  socket.send(JSON.stringify({ type: 'subscribe', channels: [`workspace.${workspace.id}`] }))
  await expect.poll(() => heard.map(({ type }) => type)).toContain('subscribed')
  onTestFinished(() => socket.terminate())
  return heard
}

it(
  'serves two servers as one, and moves an account under load, in spite of kills',
  { timeout: 120_000 },
  async () => {
    const started = await startServers()
    const { urls, boards, origin } = started
    const [moving, staying] = [
      await addAccount(started, 0, 'moving'),
      await addAccount(started, 1, 'staying'),
    ]
    const receiver = await webhookReceiver()
    onTestFinished(() => receiver.close())
    const completed = { url: receiver.url, events: ['task.completed'] }
    for (const { call } of [moving, staying])
      expect((await call('POST', '/v2/webhooks', completed)).status).toBe(201)
    const heard = await listen(origin, moving)
    const heardThere = await listen(origin, staying)
    const [load, loadThere] = [startLoad(moving), startLoad(staying)]
    await expect.poll(() => Math.min(load.added.length, loadThere.added.length), WAIT).toBeGreaterThan(10)

    expect(await runMover(urls, moving.account.id, 'two', 'frozen')).toBe('SIGKILL')
    const frozenAt = load.added.length
    expect((await moving.call('GET', '/v2/tasks')).status).toBe(200)
    expect(await runMover(urls, moving.account.id, 'two', 'copied')).toBe('SIGKILL')
    expect(await runMover(urls, moving.account.id, 'two', 'switched')).toBe('SIGKILL')
    expect(load.added.length).toBeLessThanOrEqual(frozenAt + 1)
    expect(await runMover(urls, moving.account.id, 'two')).toBeNull()
    await expect.poll(() => load.added.length, WAIT).toBeGreaterThan(frozenAt + 10)
    await Promise.all([load.stop(), loadThere.stop()])
    expect([load.statuses, loadThere.statuses]).toEqual([new Set([201, 503]), new Set([201])])

    const left = boards.map(({ taskboard }) => taskboard.accounts.list())
    expect((await Promise.all(left)).map((accounts) => accounts.length)).toEqual([0, 2])
    for (const [caller, { added }] of [
      [moving, load],
      [staying, loadThere],
    ] as const) {
      const board = boards[1]?.taskboard.board(caller.workspace.id)
      const done = async () => (await board?.list('DONE', { limit: 1_000 }))?.tasks.map(({ title }) => title)
      await expect.poll(async () => (await done())?.length, WAIT).toBe(added.length)
      expect((await done())?.toSorted()).toEqual([...added].toSorted())
    }
    const all = load.added.length + loadThere.added.length
    await expect.poll(() => receiver.deliveries.length, WAIT).toBe(all)
    const ids = receiver.deliveries.map(
      ({ body }) => (JSON.parse(body.toString()) as { data: { task_id: string } }).data.task_id,
    )
    expect(new Set(ids).size).toBe(all)
    for (const each of [heard, heardThere]) expect(each.map(({ type }) => type)).toContain('task.completed')
  },
)

it(
  'fails only the accounts of a server that is down, and says which one that is',
  { timeout: 60_000 },
  async () => {
    const started = await startServers()
    const { origin, proxy } = started
    const [here, there] = [await addAccount(started, 0, 'here'), await addAccount(started, 1, 'there')]
    const add = ({ call }: Caller) =>
      call('POST', '/v2/tasks', { title: 'a task' }).then(({ status }) => status)
    const ready = async () => {
      const response = await fetch(`http://${origin}/readyz`)
      const body = (await response.json()) as Record<string, { status: string }>
      return [response.status, body['one']?.status, body['two']?.status]
    }
    expect([await add(here), await add(there), await ready()]).toEqual([201, 201, [200, 'ok', 'ok']])
    const login = (caller: Caller) =>
      caller.call(
        'POST',
        '/dashboard/session',
        { email: caller.owner.email, password: PASSWORD },
        { origin: `http://${origin}` },
      )
    const { status, json } = await login(there)
    const token = { authorization: `Bearer ${String(json['access_token'])}` }
    const listed = await there.call('GET', '/v2/tasks', undefined, token)
    const cookie = `account=${there.account.id}; Path=/; SameSite=Strict`
    expect([status, listed.status, listed.headers.getSetCookie()]).toEqual([200, 200, [cookie]])
    expect((await fetch(`http://${origin}/dashboard`)).status).toBe(200)

    proxy.cut()
    await expect.poll(ready).toEqual([200, 'ok', 'failing'])
    expect([await add(here), await add(there)]).toEqual([201, 503])
    proxy.mend()
    await expect.poll(ready).toEqual([200, 'ok', 'ok'])
    expect([await add(here), await add(there)]).toEqual([201, 201])
    // One address, on whichever board.
    const taken = { email: there.owner.email, password: PASSWORD }
    const user = started.boards[0]?.taskboard.accounts.createUser(here.account.id, taken)
    await expect(user).rejects.toMatchObject({ code: 'CONFLICT', field: 'email' })
  },
)
