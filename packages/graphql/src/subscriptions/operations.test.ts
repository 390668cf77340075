import { afterEach, describe, expect, it } from 'vitest'
import fc from 'fast-check'
import {
  bearer,
  connectClient,
  listen,
  TASK_EVENTS,
  WORKSPACE_EVENTS,
  type SocketClient,
  type Received,
} from '@taskboard/kit/graphql/socket-client'
import { abusiveDocument } from '../../test/abusive-document.js'
import { ask } from '../../test/graphql-host.js'
import { openSocketHost, type SocketHost, type SocketHostOptions } from '../../test/socket-host.js'

const hosts: SocketHost[] = []
const clients: SocketClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose()
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function serve(options?: SocketHostOptions): Promise<SocketHost & { readonly client: SocketClient }> {
  const host = await openSocketHost(options)
  hosts.push(host)
  return { ...host, client: connect(host) }
}

function connect({ url, key }: SocketHost, as = key): SocketClient {
  const client = connectClient(url, bearer(as))
  clients.push(client)
  return client
}

interface WireError {
  readonly message: string
  readonly extensions: Readonly<Record<string, unknown>>
}

/** The errors of a refused operation, in either form of the protocol. */
async function errorsOf({ ended, results }: Received): Promise<readonly WireError[]> {
  const cause = await ended
  return Array.isArray(cause) ? (cause as WireError[]) : results.flatMap(({ errors = [] }) => errors)
}

const begun = (received: Received) => received.until(({ __typename }) => __typename === 'EventsBegin')

describe('a subscription is refused', () => {
  it.each([
    ['@skip', 'subscription ($w: ID!) { workspaceEvents(workspaceId: $w) @skip(if: true) { __typename } }'],
    [
      '@include',
      `subscription ($w: ID!) { ...F }
       fragment F on Subscription { ... @include(if: false) { workspaceEvents(workspaceId: $w) { __typename } } }`,
    ],
  ])('with %s at its root, and the connection stays open', async (directive, query) => {
    const { client, workspaceId } = await serve()
    const received = listen(client, query, { w: workspaceId })
    expect(await errorsOf(received)).toMatchObject([
      { message: `${directive} must not be used on the root field of a subscription` },
    ])
    const asked = listen(client, '{ __typename }')
    expect(await asked.ended).toBe(null)
  })

  it('without its scope', async () => {
    const host = await serve()
    const client = connect(host, (await host.makeKey(['agents:read'])).key)
    const { workspaceId } = host
    const received = listen(client, WORKSPACE_EVENTS, { workspaceId })
    expect(await errorsOf(received)).toMatchObject([{ extensions: { code: 'AUTHORIZATION_FAILED' } }])
    // The connection stays open.
    const asked = listen(client, '{ __typename }')
    expect(await asked.ended).toBe(null)
    expect(asked.results).toEqual([{ data: { __typename: 'Query' } }])
  })

  it('for a workspace of another account exactly as for a missing one', async () => {
    const { taskboard, client } = await serve()
    const other = await taskboard.accounts.create({ name: 'other', tier: 'custom' })
    const errors = []
    for (const workspaceId of [other.workspace.id, 'ws_00000000000000000000000000', 'no id at all']) {
      const [error] = await errorsOf(listen(client, WORKSPACE_EVENTS, { workspaceId }))
      errors.push({ ...error, extensions: { ...error?.extensions, request_id: '', timestamp: '' } })
    }
    expect(errors[0]).toMatchObject({
      message: 'no such workspace',
      extensions: { code: 'RESOURCE_NOT_FOUND', details: { field: 'workspaceId' } },
    })
    expect(errors).toEqual([errors[0], errors[0], errors[0]])
  })

  it.each([
    ['ahead of the log', 1],
    ['that is negative', -1],
  ])('for a place %s', async (_, since) => {
    const { workspaceId, client } = await serve()
    const refused = { extensions: { code: 'INVALID_REQUEST', details: { field: 'since' } } }
    const one = listen(client, WORKSPACE_EVENTS, { workspaceId, since })
    expect(await errorsOf(one)).toMatchObject([refused])
    const all = listen(client, TASK_EVENTS, { since: [{ workspaceId, seq: since }] })
    expect(await errorsOf(all)).toMatchObject([refused])
  })

  it('for variables that do not fit, and for a document that costs too much per event', async () => {
    const { workspaceId, client } = await serve()
    const unfit = await errorsOf(listen(client, WORKSPACE_EVENTS, {}))
    expect(unfit).toMatchObject([{ extensions: { code: 'INVALID_REQUEST' } }])
    const tasks = Array.from({ length: 3 }, (_, n) => `t${n}: task { logs { level } outputs { url } }`)
    const costly = `subscription ($id: ID!) { workspaceEvents(workspaceId: $id) { ... on TaskEvent { ${tasks.join(' ')} } } }`
    expect(await errorsOf(listen(client, costly, { id: workspaceId }))).toEqual([
      { message: 'the document may cost too much: at most 5000', extensions: { code: 'INVALID_REQUEST' } },
    ])
  })

  it('over HTTP', async () => {
    const { url, key, workspaceId } = await serve()
    const answer = await ask(
      url.replace('ws:', 'http:'),
      { query: WORKSPACE_EVENTS, variables: { workspaceId } },
      key,
    )
    expect(answer.status).toBe(400)
    expect(answer.errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST' } }])
  })

  it('beyond as many as a connection may have, until one is completed', async () => {
    const { client } = await serve({ bounds: { subscriptionsPerConnection: 2 } })
    const [first, second] = [listen(client, TASK_EVENTS), listen(client, TASK_EVENTS)]
    await Promise.all([begun(first), begun(second)])
    expect(await errorsOf(listen(client, TASK_EVENTS))).toMatchObject([
      { extensions: { code: 'QUOTA_EXCEEDED' } },
    ])
    first.stop()
    await begun(listen(client, TASK_EVENTS))
  })

  it('by the limits of the account, where an operation counts as one request, however many events it sends', async () => {
    const host = await serve({ tiers: { enterprise: { requestsPerHour: 100, burstPerMinute: 4 } } })
    const { taskboard } = host
    const { account, workspace } = await taskboard.accounts.create({ name: 'limited', tier: 'enterprise' })
    const { key } = await taskboard.accounts.createKey({
      accountId: account.id,
      name: 'k',
      scopes: ['tasks:read', 'account:read'],
    })
    const client = connect(host, key)
    const received = listen(client, WORKSPACE_EVENTS, { workspaceId: workspace.id })
    await begun(received)
    for (let n = 0; n < 10; n++) await taskboard.board(workspace.id).add({ title: `${n}` })
    await received.until(({ seq }) => seq === 10)
    const http = host.url.replace('ws:', 'http:')
    expect((await ask(http, { query: '{ __typename }' }, key)).status).toBe(200)
    for (let n = 0; n < 2; n++) expect(await errorsOf(listen(client, '{ __typename }'))).toEqual([])
    const [refused] = await errorsOf(listen(client, TASK_EVENTS))
    expect(refused).toMatchObject({
      message: expect.stringMatching(/^too many requests; the next one passes in \d+ s$/) as string,
      extensions: { code: 'RATE_LIMIT_EXCEEDED' },
    })
    expect((await ask(http, { query: '{ __typename }' }, key)).status).toBe(429)
  })
})

describe('queries and mutations', () => {
  it('are served as by HTTP', async () => {
    const { client, workspaceId, makeKey, url, key } = await serve()
    const create = 'mutation ($title: String!) { createTask(input: { title: $title }) { id title } }'
    const made = listen(client, create, { title: 'by socket' })
    expect(await made.ended).toBe(null)
    const query = '{ tasks { nodes { title workspaceId } } nobody: task(id: "task_none") { id } }'
    const expected = { tasks: { nodes: [{ title: 'by socket', workspaceId }] }, nobody: null }
    // The third use is answered by a plan.
    for (let n = 0; n < 4; n++) {
      const asked = listen(client, query)
      expect(await asked.ended).toBe(null)
      expect(asked.results).toEqual([{ data: expected }])
    }
    const { data } = await ask(url.replace('ws:', 'http:'), { query }, key)
    expect(data).toEqual(expected)
    const narrow = connectClient(url, bearer((await makeKey(['tasks:read'])).key))
    clients.push(narrow)
    const refused = listen(narrow, create, { title: 'no' })
    await refused.ended
    expect(refused.results).toMatchObject([
      { data: { createTask: null }, errors: [{ extensions: { code: 'AUTHORIZATION_FAILED' } }] },
    ])
  })

  it('run a create once per idempotency key', async () => {
    const { client } = await serve()
    const query = 'mutation { createTask(input: { title: "once" }) { id } }'
    const ids = new Set<unknown>()
    for (let n = 0; n < 2; n++) {
      const answer = await new Promise((resolve, reject) => {
        client.subscribe(
          { query, extensions: { idempotencyKey: 'the-same' } },
          { next: resolve, error: reject, complete: () => undefined },
        )
      })
      ids.add((answer as { data: { createTask: { id: string } } }).data.createTask.id)
    }
    expect(ids.size).toBe(1)
  })

  it('may introspect only where that is allowed', async () => {
    const open = await serve({ graphql: { introspection: true } })
    const closed = await serve({ graphql: { introspection: false } })
    const query = '{ __schema { subscriptionType { name } } }'
    const shown = listen(open.client, query)
    await shown.ended
    expect(shown.results).toEqual([{ data: { __schema: { subscriptionType: { name: 'Subscription' } } } }])
    const [hidden] = await errorsOf(listen(closed.client, query))
    expect(hidden?.message).toMatch('introspection has been disabled')
    const [mistaken] = await errorsOf(listen(closed.client, 'subscription { taskEvent { seq } }'))
    expect(mistaken?.message).toBe('Cannot query field "taskEvent" on type "Subscription".')
  })

  it('are refused where they are abusive, each of two hundred at random', async () => {
    const host = await serve({
      tiers: { professional: { requestsPerHour: null, burstPerMinute: null } },
      bounds: { messagesPerMinute: 1_000, messageLimitBytes: 1_000_000 },
    })
    const trap = new Proxy({}, { get: () => expect.fail('a resolver ran') })
    for (const name of ['agents', 'tasks', 'webhooks', 'analytics', 'keys'] as const)
      Object.assign(host.taskboard.services, { [name]: trap })
    await fc.assert(
      fc.asyncProperty(abusiveDocument, fc.boolean(), async (text, isSubscription) => {
        const document = isSubscription ? text.replace(/^(query Named|query|mutation)/, 'subscription') : text
        const received = listen(host.client, document)
        const errors = await errorsOf(received)
        expect(errors[0]?.extensions['code']).toBe('INVALID_REQUEST')
        // What was executed has data, be it null.
        expect(received.results.filter((result) => 'data' in result)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
