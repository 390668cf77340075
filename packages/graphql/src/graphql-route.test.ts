import { scopes } from '@taskboard/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ask,
  codesOf,
  mountOnExpress,
  mountOnFastify,
  openHost,
  type GraphqlHost,
} from '../test/graphql-host.js'

let host: GraphqlHost
beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

const DOCUMENTED = /* GraphQL */ `
  query Overview($id: ID!) {
    workspace(id: $id) {
      name
      tasks(first: 10, status: IN_PROGRESS) {
        edges {
          node {
            id
            title
            progress
            agent {
              name
              type
            }
            estimatedCompletion
          }
        }
      }
      agents {
        id
        name
        status
        currentWorkload
      }
      analytics(period: LAST_7_DAYS) {
        tasksCompleted
        timesSaved
        successRate
      }
    }
  }
`

interface TaskPage {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[]
  readonly pageInfo: object
}

describe.each([
  ['Express', mountOnExpress],
  ['Fastify', mountOnFastify],
])('a malformed address on %s', (_, mount) => {
  it('is answered in an envelope', async () => {
    const { url, key, close } = await openHost(mount)
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json' }
    try {
      const below = await fetch(`${url}/%E0%A4%A`, { headers })
      expect([below.status, await below.json()]).toMatchObject([
        404,
        { error: { code: 'RESOURCE_NOT_FOUND' } },
      ])
      const query = await fetch(`${url}?query=%E0%A4%A`, { headers })
      expect(await query.json()).toMatchObject({
        errors: [{ message: expect.stringContaining('Syntax Error') }],
      })
    } finally {
      await close()
    }
  })
})

describe('the OpenAPI document', () => {
  it('has the endpoint', async () => {
    const answer = await fetch(host.url.replace('/graphql', '/openapi.json'))
    const { paths } = (await answer.json()) as { paths: Record<string, object> }
    expect(Object.keys(paths['/v2/graphql'] ?? {})).toEqual(['get', 'post'])
  })
})

describe('the documented query', () => {
  it('returns tasks, agents and figures of a workspace', async () => {
    const { taskboard, clock, query } = host
    const { account, workspace } = await taskboard.accounts.create({ name: 'Own', tier: 'enterprise' })
    const { key } = await taskboard.accounts.createKey({
      accountId: account.id,
      name: 'documented',
      scopes: ['tasks:read', 'agents:read', 'analytics:read'],
    })
    const agent = await taskboard.services.agents.create(workspace.id, { name: 'Ada', type: 'research' })
    const board = taskboard.board(workspace.id)
    const done = await board.add({ title: 'Done before' })
    const first = await board.claim({ agentId: agent.id })
    await clock.advance({ seconds: 36 })
    const { fencingToken = 0 } = first?.lease ?? {}
    await board.complete(done.id, { fencingToken, result: 'ok' })
    const next = await board.add({ title: 'Under way' })
    const second = await board.claim({ agentId: agent.id })
    await board.progress(next.id, { fencingToken: second?.lease?.fencingToken ?? 0, progress: 40 })

    const answer = await query(DOCUMENTED, { id: workspace.id }, key)
    expect(answer.errors).toEqual([])
    const node = {
      id: next.id,
      title: 'Under way',
      progress: 40,
      agent: { name: 'Ada', type: 'research' },
      estimatedCompletion: new Date(clock.now() + 36_000).toISOString(),
    }
    expect(answer.data).toEqual({
      workspace: {
        name: 'Own',
        tasks: { edges: [{ node }] },
        agents: [{ id: agent.id, name: 'Ada', status: 'BUSY', currentWorkload: 1 }],
        // A person's half an hour, less 36 seconds.
        analytics: { tasksCompleted: 1, timesSaved: 0.49, successRate: 1 },
      },
    })
  })

  it('pages through a list', async () => {
    const { taskboard, query } = host
    const board = taskboard.board(host.workspaceId)
    const ids = []
    for (let index = 0; index < 5; index++) ids.unshift((await board.add({ title: `Page ${index}` })).id)
    const text = `query ($after: String) { tasks(first: 2, after: $after) {
      edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
    const seen: string[] = []
    let after: string | null = null
    for (let page = 0; page < 3; page++) {
      const { data } = await query(text, { after })
      const { edges, pageInfo } = (data as { tasks: TaskPage }).tasks
      expect(pageInfo).toEqual({
        hasNextPage: page < 2,
        hasPreviousPage: page > 0,
        startCursor: edges[0]?.cursor,
        endCursor: edges.at(-1)?.cursor,
      })
      seen.push(...edges.map(({ node }) => node.id))
      after = edges.at(-1)?.cursor ?? null
    }
    expect(seen).toEqual(ids)
    const wrong = await query(text, { after: 'no cursor' })
    expect(wrong.errors[0]).toMatchObject({
      extensions: { code: 'INVALID_REQUEST', details: { field: 'after' } },
    })
  })
})

describe('who may see what', () => {
  it('answers for a stranger’s workspace as for a missing one', async () => {
    const { taskboard, query } = host
    const { workspace } = await taskboard.accounts.create({ name: 'Stranger', tier: 'enterprise' })
    const theirs = await query(DOCUMENTED, { id: workspace.id })
    const nobodys = await query(DOCUMENTED, { id: 'ws_01jzzzzzzzzzzzzzzzzzzzzzzz' })
    expect(theirs.data).toEqual({ workspace: null })
    expect({ ...theirs, headers: null }).toEqual({ ...nobodys, headers: null })
  })

  it('answers a write to a stranger’s task as to a missing one', async () => {
    const { taskboard, query } = host
    const { workspace } = await taskboard.accounts.create({ name: 'Stranger', tier: 'enterprise' })
    const task = await taskboard.board(workspace.id).add({ title: 'Theirs' })
    const text = 'mutation ($id: ID!) { moveTask(id: $id, to: DONE) { id } }'
    const strip = ({ errors }: Awaited<ReturnType<typeof query>>) =>
      errors.map(({ message, extensions: { code, details } }) => ({ message, code, details }))
    const theirs = strip(await query(text, { id: task.id }))
    expect(theirs).toEqual(strip(await query(text, { id: 'task_01jzzzzzzzzzzzzzzzzzzzzzzz' })))
    expect(theirs).toMatchObject([{ code: 'RESOURCE_NOT_FOUND' }])
  })

  it('refuses the fields whose scope the credential lacks, and answers the others', async () => {
    const key = await host.makeKey(['tasks:read'])
    const answer = await host.query(DOCUMENTED, { id: host.workspaceId }, key)
    expect(answer.status).toBe(200)
    expect(answer.data).toMatchObject({
      workspace: { name: 'Acme', tasks: { edges: [] }, agents: null, analytics: null },
    })
    expect(codesOf(answer)).toEqual(['AUTHORIZATION_FAILED', 'AUTHORIZATION_FAILED'])
    expect(
      answer.errors.map(({ path }) => path?.join('.') ?? '').toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['workspace.agents', 'workspace.analytics'])
  })

  it.each(scopes.filter((scope) => scope.endsWith(':write') && scope !== 'chat:write'))(
    'refuses every write that needs %s to a credential with all other scopes',
    async (scope) => {
      const key = await host.makeKey(scopes.filter((other) => other !== scope))
      const documents: Record<string, readonly string[]> = {
        'tasks:write': [
          'createTask(input: {title: "a"}) { id }',
          'updateTask(id: "x", input: {}) { id }',
          'deleteTask(id: "x")',
          'claimTask(input: {agentId: "x"}) { fencingToken }',
          'failTask(id: "x", input: {fencingToken: 1, reason: "r"}) { id }',
        ],
        'approvals:write': ['decideApproval(id: "x", decision: APPROVED) { id }'],
        'agents:write': ['createAgent(input: {name: "a", type: "b"}) { id }', 'deleteAgent(id: "x")'],
        'webhooks:write': [
          'createWebhook(input: {url: "https://a.example", events: []}) { id }',
          'testWebhook(id: "x") { id }',
        ],
        'account:write': ['createWorkspace(input: {name: "a"}) { id }', 'revokeApiKey(id: "x")'],
      }
      for (const field of documents[scope] ?? []) {
        const answer = await host.query(`mutation { ${field} }`, {}, key)
        expect({ field, codes: codesOf(answer) }).toEqual({ field, codes: ['AUTHORIZATION_FAILED'] })
      }
    },
  )

  it('requires a credential, with the code and headers of REST', async () => {
    const answer = await ask(host.url, { query: '{ __typename }' }, 'nobody', { 'x-request-id': 'mine' })
    expect(answer).toMatchObject({ status: 401, data: undefined })
    expect(answer.errors).toMatchObject([
      { extensions: { code: 'AUTHENTICATION_FAILED', request_id: 'mine' } },
    ])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.headers.get('x-request-id')).toBe('mine')
  })

  it('counts against the limits of the account', async () => {
    const limited = await openHost(undefined, {}, { tiers: { enterprise: { burstPerMinute: 2 } } })
    try {
      const first = await limited.query('{ __typename }')
      expect(first.headers.get('x-ratelimit-burst-remaining')).toBe('1')
      await limited.query('{ __typename }')
      const refused = await limited.query('{ __typename }')
      expect(refused.status).toBe(429)
      expect(codesOf(refused)).toEqual(['RATE_LIMIT_EXCEEDED'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await limited.close()
    }
  })
})

describe('requests', () => {
  it('refuses a batch', async () => {
    const answer = await ask(host.url, [{ query: '{ __typename }' }, { query: '{ __typename }' }], host.key)
    expect(answer.status).toBe(400)
    expect(codesOf(answer)).toEqual(['INVALID_REQUEST'])
  })

  it('refuses a larger body than the host allows', async () => {
    const answer = await ask(host.url, { query: `{ __typename } # ${'x'.repeat(2 ** 20)}` }, host.key)
    expect(answer.status).toBe(413)
    expect(codesOf(answer)).toEqual(['PAYLOAD_TOO_LARGE'])
  })

  it('does not write by GET', async () => {
    const query = encodeURIComponent('mutation { createTask(input: {title: "a"}) { id } }')
    const response = await fetch(`${host.url}?query=${query}`, {
      headers: { authorization: `Bearer ${host.key}` },
    })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }] })
  })

  it('names an invalid field as the schema does', async () => {
    const answer = await host.query(
      'mutation { createTask(input: {title: "a", assignedTo: "agent_x"}) { id } }',
    )
    expect(answer.errors[0]).toMatchObject({
      message: 'assignedTo must be an agent of the workspace',
      extensions: { code: 'INVALID_REQUEST', details: { field: 'assignedTo' } },
    })
  })

  it('repeats a create under the same Idempotency-Key, and no other', async () => {
    const create = (title: string) => ({
      query: `mutation { createTask(input: {title: "${title}"}) { id } }`,
    })
    const headers = { 'idempotency-key': 'once' }
    const first = await ask(host.url, create('one'), host.key, headers)
    expect((await ask(host.url, create('one'), host.key, headers)).data).toEqual(first.data)
    expect(codesOf(await ask(host.url, create('two'), host.key, headers))).toEqual(['CONFLICT'])
  })
})

describe('what a host may hide', () => {
  const INTROSPECTION = '{ __schema { queryType { name } } }'
  it('describes the schema and suggests names where introspection is on', async () => {
    const open = await openHost(undefined, { introspection: true })
    try {
      expect((await open.query(INTROSPECTION)).data).toEqual({ __schema: { queryType: { name: 'Query' } } })
      expect((await open.query('{ workspaceX }')).errors[0]?.message).toContain('Did you mean')
    } finally {
      await open.close()
    }
  })

  it('does neither where it is off', async () => {
    const closed = await openHost(undefined, { introspection: false })
    try {
      const asked = await closed.query(INTROSPECTION)
      expect(asked).toMatchObject({ status: 400, data: undefined })
      const texts = [
        '{ workspaceX }',
        '{ task(idd: "x") { id } }',
        '{ tasks(status: PENDIN) { nodes { id } } }',
        'mutation { createTask(input: {titel: "a"}) { id } }',
        '{ task(id: "x") { ...on Tas { id } } }',
      ]
      for (const text of texts) {
        const { errors } = await closed.query(text)
        expect(errors.length).toBeGreaterThan(0)
        expect(JSON.stringify(errors)).not.toContain('Did you mean')
      }
      const variables = { status: 'PENDIN' }
      const { errors } = await closed.query(
        'query ($status: TaskStatus) { tasks(status: $status) { nodes { id } } }',
        variables,
      )
      expect(codesOf({ errors })).toEqual(['INVALID_REQUEST'])
      expect(JSON.stringify(errors)).not.toContain('Did you mean')
    } finally {
      await closed.close()
    }
  })
})

describe('a host with its own login', () => {
  it('refuses a request with its cookie from a page of another origin', async () => {
    const asked: string[] = []
    const own = await openHost(
      undefined,
      {},
      {
        authenticate(request) {
          asked.push(request.method)
          return request.header('cookie') === 'session=1' ? principal : null
        },
      },
    )
    const { accountId, workspaceId } = own
    const reach = { accountId, workspaceIds: 'all', defaultWorkspaceId: workspaceId } as const
    const principal = { id: 'user_1', kind: 'user', tier: 'enterprise', scopes, ...reach } as const
    const query = '{ workspaces { id } }'
    const send = async (init: RequestInit, suffix = '') => {
      const answer = await fetch(own.url + suffix, init)
      return { status: answer.status, text: await answer.text() }
    }
    const foreign = { cookie: 'session=1', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const post = { method: 'POST', body: JSON.stringify({ query }) }
    for (const type of ['application/json', 'text/plain']) {
      const refused = await send({ ...post, headers: { ...foreign, 'content-type': type } })
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('AUTHORIZATION_FAILED')])
    }
    expect(asked).toEqual([])
    const headers = { cookie: 'session=1', origin: new URL(own.url).origin }
    const accepted = await send({ ...post, headers: { ...headers, 'content-type': 'application/json' } })
    expect([accepted.status, accepted.text]).toEqual([200, expect.stringContaining(workspaceId)])
    // What a GET asks for is unreadable for the page, and it changes nothing.
    const read = await send({ headers: foreign }, `?query=${encodeURIComponent(query)}`)
    expect(read.status).toBe(200)
    const mutation = 'mutation { createWorkspace(input: { name: "theirs" }) { id } }'
    expect((await send({ headers: foreign }, `?query=${encodeURIComponent(mutation)}`)).status).toBe(405)
    expect(await own.taskboard.accounts.listWorkspaces(accountId)).toHaveLength(1)
    await own.close()
  })

  it('does not let a principal into a workspace of another account that it names', async () => {
    const own = await openHost(undefined, {}, { authenticate: () => principal })
    const { taskboard, accountId, url } = own
    const { workspace } = await taskboard.accounts.create({ name: 'Stranger', tier: 'enterprise' })
    await taskboard.board(workspace.id).add({ title: 'theirs' })
    const rights = { tier: 'enterprise', scopes, defaultWorkspaceId: workspace.id } as const
    const principal = {
      id: 'user_1',
      kind: 'user',
      accountId,
      workspaceIds: [workspace.id],
      ...rights,
    } as const
    const send = (query: string) => ask(url, { query, variables: { id: workspace.id } }, 'of-the-host')
    const read = await send('query ($id: ID!) { workspace(id: $id) { tasks { nodes { title } } } }')
    expect(read.data).toEqual({ workspace: null })
    const listed = await send('{ workspaces { id } tasks { nodes { title } } }')
    expect(listed.data).toEqual({ workspaces: [], tasks: { nodes: [] } })
    const created = await send('mutation { createTask(input: { title: "x" }) { id } }')
    expect(codesOf(created)).toEqual(['RESOURCE_NOT_FOUND'])
    const { tasks } = await taskboard.board(workspace.id).list('TODO')
    expect(tasks.map(({ title }) => title)).toEqual(['theirs'])
    await own.close()
  })
})
