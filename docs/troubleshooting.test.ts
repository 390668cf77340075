import { createServer, request as httpRequest } from 'node:http'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createTaskboard,
  defineAgent,
  RetryLater,
  type Taskboard,
  type TaskboardOptions,
  verifyDelivery,
} from '../packages/core/src/index.js'
import { waitReasons } from '../packages/core/src/agents/index.js'
import { toFetchHandler } from '../packages/core/src/http/fetch-handler.js'
import { toNodeHandler } from '../packages/core/src/http/node-handler.js'
import { memoryStorage } from '../packages/memory/src/index.js'
import { virtualClock, webhookReceiver } from '../packages/testing/src/index.js'
import { attachRealtime } from '../packages/ws/src/index.js'

const page = readFileSync(new URL('troubleshooting.md', import.meta.url), 'utf8')

/** The first cells of the tables below a heading of the page. */
function seenBelow(heading: string): readonly string[] {
  const [, section = ''] = new RegExp(`\\n## ${heading}\\n([\\s\\S]*?)(?=\\n## |$)`).exec(page) ?? []
  return [...section.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell)
}

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

interface Json {
  readonly [name: string]: unknown
}

async function openBoard(options: Partial<TaskboardOptions> = {}) {
  const clock = virtualClock('2027-01-01T00:00:00Z')
  const taskboard: Taskboard = createTaskboard({ storage: memoryStorage(), clock, logger: false, ...options })
  closing.push(() => taskboard.close({ drainTimeoutMs: 0 }))
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const { key } = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'k',
    scopes: ['tasks:read', 'tasks:write', 'agents:read', 'agents:write', 'webhooks:read', 'webhooks:write'],
  })
  const handle = toFetchHandler(taskboard)
  async function call(path: string, { body, credential = key }: { body?: object; credential?: string } = {}) {
    const init = {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    const context = { clientAddress: '203.0.113.7' }
    const response = await handle(new Request(`http://127.0.0.1${path}`, init), context)
    return { status: response.status, headers: response.headers, json: (await response.json()) as Json }
  }
  return { taskboard, clock, workspaceId: workspace.id, board: taskboard.board(workspace.id), call }
}

describe('a task that is not picked up', () => {
  /** Step 2 of the page. */
  async function waitsFor({ call }: Awaited<ReturnType<typeof openBoard>>, id: string) {
    const { json } = await call(`/v2/tasks/${id}/score`)
    return (json['waits_for'] as readonly { readonly reason: string }[]).map(({ reason }) => reason)
  }

  it('has a row for each reason', () => {
    const seen = seenBelow("A task isn't picked up")
    expect(waitReasons.filter((reason) => !seen.includes(`\`${reason}\``))).toEqual([])
  })

  it('waits for what the page names', async () => {
    const opened = await openBoard()
    const { taskboard, board, workspaceId, clock } = opened
    const found: string[] = []
    const look = async (id: string) => void found.push(...(await waitsFor(opened, id)))

    const first = await board.add({ title: 'without an agent' })
    await look(first.id)
    const agent = await taskboard.agents.create(workspaceId, { name: 'A', type: 'general' })
    await look(first.id)
    await taskboard.agents.update(workspaceId, agent.id, { paused: true })
    await look(first.id)
    await taskboard.agents.update(workspaceId, agent.id, { paused: false })
    const later = await board.add({ title: 'later', notBefore: clock.now() + 60_000 })
    const held = await board.add({ title: 'held' })
    await board.hold(held.id, { reason: 'needs_input' })
    const dependent = await board.add({ title: 'dependent', dependsOn: [first.id] })
    for (const { id } of [later, held, dependent]) found.push((await waitsFor(opened, id))[0] ?? '')

    await taskboard.usage.setBudget({ workspaceId, agentId: null }, { tokens: 1 })
    const claimed = await board.claim({ agentId: agent.id })
    const fencingToken = claimed?.lease?.fencingToken ?? 0
    await board.usage(first.id, { fencingToken, model: 'm', inputTokens: 2, outputTokens: 0 })
    const last = await board.add({ title: 'last' })
    await look(last.id)
    expect(new Set(found)).toEqual(
      new Set(['no_agent', 'offline', 'paused', 'not_before', 'hold', 'dependencies', 'budget']),
    )
  })

  it('waits for an agent that rests, and for its turn', async () => {
    let isDown = true
    const slow = defineAgent({
      type: 'general',
      async run(_, { sleep }) {
        if (isDown) throw new RetryLater('the provider is down', { retryAfterMs: 60_000 })
        await sleep(3_600_000)
        return 'done'
      },
    })
    const opened = await openBoard({ agents: [slow] })
    await opened.taskboard.start()
    const { id } = await opened.board.add({ title: 'first' })
    await opened.clock.advance({ seconds: 1 })
    const second = await opened.board.add({ title: 'second' })
    await opened.clock.advance({ seconds: 1 })
    expect(await waitsFor(opened, second.id)).toEqual(['resting'])
    isDown = false
    await opened.clock.advance({ minutes: 5 })
    const statuses = await Promise.all([id, second.id].map((each) => opened.board.get(each)))
    const waiting = statuses.find(({ column }) => column === 'TODO')
    expect(await waitsFor(opened, waiting?.id ?? '')).toEqual([])
    const { json } = await opened.call('/v2/agents')
    expect(json['agents']).toMatchObject([{ status: 'busy', current_workload: 1 }])
  })
})

describe('a task that waits for its turn', () => {
  it('is behind the bound of its agent, and behind tasks with a higher score', async () => {
    const { taskboard, board, call, workspaceId } = await openBoard()
    const agent = await taskboard.agents.create(workspaceId, { name: 'A', type: 'general', maxConcurrent: 1 })
    const low = await board.add({ title: 'low', priority: 'low' })
    const urgent = await board.add({ title: 'urgent', priority: 'urgent' })
    const scores = await Promise.all([low, urgent].map(({ id }) => call(`/v2/tasks/${id}/score`)))
    const [ofLow = 0, ofUrgent = 0] = scores.map(({ json }) => Number(json['score']))
    expect(ofUrgent).toBeGreaterThan(ofLow)
    expect((await board.claim({ agentId: agent.id }))?.id).toBe(urgent.id)
    expect(await board.claim({ agentId: agent.id })).toBeNull()
    const { json } = await call('/v2/agents')
    expect(json['agents']).toMatchObject([{ current_workload: 1, max_concurrent: 1 }])
  })
})

describe('a task that is stuck in Doing', () => {
  it('was moved there by a person, and has no agent', async () => {
    const { board, call } = await openBoard()
    const { id } = await board.add({ title: 'mine' })
    await board.move(id, 'DOING')
    expect((await call(`/v2/tasks/${id}`)).json).toMatchObject({ status: 'in_progress', agent: null })
  })

  it('has a run that hangs, which a move ends', async () => {
    let isAborted = false
    const hanging = defineAgent({
      type: 'general',
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            isAborted = true
            reject(new Error('aborted'))
          })
        }),
    })
    const { taskboard, board, call, clock, workspaceId } = await openBoard({ agents: [hanging] })
    await taskboard.start()
    const { id } = await board.add({ title: 'endless' })
    await clock.advance({ hours: 2 })
    const { json } = await call(`/v2/tasks/${id}/attempts`)
    expect(json['attempts']).toEqual([])
    expect((await call(`/v2/tasks/${id}`)).json).toMatchObject({ status: 'in_progress', attempts: 1 })
    const [agent] = await taskboard.agents.list(workspaceId)
    await taskboard.agents.update(workspaceId, agent?.id ?? '', { paused: true })
    await board.move(id, 'TODO')
    await clock.advance({ seconds: 2 })
    expect([isAborted, (await board.get(id)).column]).toEqual([true, 'TODO'])
  })

  it('is claimed by workers that die, whose attempts expire', async () => {
    const { taskboard, board, call, clock, workspaceId } = await openBoard()
    const agent = await taskboard.agents.create(workspaceId, { name: 'A', type: 'general' })
    await taskboard.start()
    const { id } = await board.add({ title: 'lost' })
    for (let times = 0; times < 2; times++) {
      await call('/v2/tasks/claim', { body: { agent_id: agent.id } })
      await clock.advance({ minutes: 2 })
    }
    const { json } = await call(`/v2/tasks/${id}/attempts`)
    expect(json['attempts']).toMatchObject([{ outcome: 'expired' }, { outcome: 'expired' }])
  })
})

describe('a webhook that does not arrive', () => {
  async function openWebhook(other?: string) {
    const resolver = { resolve: () => Promise.resolve([{ address: '10.0.0.1', family: 4 as const }]) }
    const opened = await openBoard({ webhooks: { allow: ['127.0.0.0/8'], retryJitter: 0, resolver } })
    const receiver = await webhookReceiver({ clock: opened.clock })
    closing.push(() => receiver.close())
    const url = other ?? receiver.url
    const webhook = await opened.taskboard.webhooks.register(opened.workspaceId, {
      url,
      events: ['task.created'],
      secret: 'sixteen characters',
    })
    async function deliveries() {
      const { json } = await opened.call(`/v2/webhooks/${webhook.id}/deliveries`)
      return json['deliveries'] as readonly {
        readonly status: string
        readonly attempts: readonly { readonly status: number | null; readonly error: string | null }[]
      }[]
    }
    return { ...opened, receiver, webhook, deliveries }
  }

  it('has no delivery of another event, and a pending one while no board is started', async () => {
    const { board, deliveries, taskboard, clock, receiver } = await openWebhook()
    const { id } = await board.add({ title: 'one' })
    await board.move(id, 'DONE')
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: [] }])
    await taskboard.start()
    await clock.advance({ seconds: 1 })
    expect(receiver.deliveries).toHaveLength(1)
  })

  it('is disabled', async () => {
    const { board, deliveries, taskboard, webhook, workspaceId } = await openWebhook()
    await taskboard.webhooks.update(workspaceId, webhook.id, { enabled: false })
    await board.add({ title: 'one' })
    expect(await deliveries()).toMatchObject([{ status: 'skipped' }])
  })

  it.each([
    [302, { status: 302 }],
    [401, { status: 401 }],
    [500, { status: 500 }],
  ])('has an attempt that shows %s of the receiver', async (status, attempt) => {
    const { board, deliveries, taskboard, clock, receiver } = await openWebhook()
    receiver.respond(status)
    await taskboard.start()
    await board.add({ title: 'one' })
    await clock.advance({ seconds: 1 })
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: [attempt] }])
  })

  it('has an attempt that shows a receiver that hangs, and an address that is not public', async () => {
    for (const [other, error] of [
      [undefined, /^timeout/],
      ['https://internal.example/hook', /^refused_address/],
    ] as const) {
      const { board, deliveries, taskboard, clock, receiver } = await openWebhook(other)
      receiver.hang()
      await taskboard.start()
      await board.add({ title: 'one' })
      await clock.advance({ seconds: 31 })
      expect(await deliveries()).toMatchObject([
        { attempts: [{ error: expect.stringMatching(error) as string }] },
      ])
    }
  })

  it('is rejected by a receiver that verifies a body it has written again', async () => {
    const { board, taskboard, clock, receiver } = await openWebhook()
    await taskboard.start()
    await board.add({ title: 'one' })
    await clock.advance({ seconds: 1 })
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.deliveries
    const asSent = Buffer.from(body)
    const again = Buffer.from(JSON.stringify(JSON.parse(String(asSent)), null, 1))
    const verify = (bytes: Uint8Array) =>
      verifyDelivery('sixteen characters', { headers, body: bytes, now: clock.now() })
    expect([verify(asSent), verify(again)]).toEqual([true, false])
  })
})

describe('the realtime channel behind a proxy', () => {
  async function openServer(isStarted = true) {
    const { taskboard } = await openBoard()
    const server = createServer(toNodeHandler(taskboard)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    attachRealtime(server, taskboard)
    if (isStarted) await taskboard.start()
    closing.unshift(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    })
    const { port } = server.address() as AddressInfo
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' }
    const key = { 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' }
    return async (headers: Readonly<Record<string, string>> = upgrade): Promise<number | undefined> => {
      const request = httpRequest({ port, path: '/v2/realtime', headers: { ...key, ...headers } }).end()
      return new Promise((resolve, reject) => {
        request.on('upgrade', () => resolve(101))
        request.on('response', (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        request.on('error', reject)
      })
    }
  }

  it('responds as the page says', async () => {
    const send = await openServer()
    expect([await send(), await send({})]).toEqual([101, 404])
    for (let place = 2; place <= 20; place++) expect(await send()).toBe(101)
    expect(await send()).toBe(429)
    expect(await (await openServer(false))()).toBe(503)
  })
})

describe('a request that gets 429', () => {
  it('shows which limit it was', async () => {
    const tiers = { professional: { burstPerMinute: 2, quota: { agents: 0 } } }
    const { call } = await openBoard({ limits: { boardPerMinute: 1 }, tiers, createDefaultAgent: false })
    await call('/api/board?action=todo')
    const ofKey = await call('/api/board?action=todo')
    expect([ofKey.status, ofKey.json['code']]).toEqual([429, 'RATE_LIMITED'])
    const ofQuota = await call('/v2/agents', { body: { name: 'A', type: 'general' } })
    expect([ofQuota.status, ofQuota.json['error']]).toMatchObject([402, { details: { field: 'agents' } }])
    await call('/v2/tasks')
    const ofTier = await call('/v2/tasks')
    expect([ofTier.status, ofTier.json['error']]).toMatchObject([429, { code: 'RATE_LIMIT_EXCEEDED' }])
    expect(ofTier.headers.get('x-ratelimit-burst-remaining')).toBe('0')
    for (const response of [ofKey, ofTier])
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('is one of logins from one address', async () => {
    const tokens = { secret: 'a secret of at least thirty-two bytes' }
    const { call } = await openBoard({ tokens, limits: { failedCredentialsPerMinute: 1 } })
    const body = { email: 'ada@acme.example', password: 'wrong' }
    expect((await call('/v2/auth/login', { body })).status).toBe(401)
    const { status, json } = await call('/v2/auth/login', { body })
    expect([status, json['error']]).toMatchObject([429, { code: 'RATE_LIMIT_EXCEEDED' }])
  })

  it('is a 401 with Retry-After for wrong credentials of one address', async () => {
    const { call } = await openBoard({ limits: { failedCredentialsPerMinute: 2 } })
    const seen = []
    for (let times = 0; times < 3; times++) seen.push(await call('/v2/tasks', { credential: 'tb_wrong' }))
    expect(seen.map(({ status, headers }) => [status, headers.has('retry-after')])).toEqual([
      [401, false],
      [401, false],
      [401, true],
    ])
  })
})
