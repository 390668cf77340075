import { scopes } from '@taskboard/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, codesOf, openHost, type GraphqlHost } from '../test/graphql-host.js'

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

describe('the documented query', () => {
  it('tells of tasks, agents and figures of a workspace', async () => {
    const { taskboard, clock, query } = host
    const { account, workspace } = await taskboard.accounts.create({ name: 'Own', tier: 'enterprise' })
    const { key } = await taskboard.accounts.createKey({
      accountId: account.id,
      name: 'documented',
      scopes: ['tasks:read', 'agents:read', 'analytics:read'],
    })
    const agent = await taskboard.surface.agents.create(workspace.id, { name: 'Ada', type: 'research' })
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
        // Half an hour of a person, less 36 seconds.
        analytics: { tasksCompleted: 1, timesSaved: 0.49, successRate: 1 },
      },
    })
  })

  it('goes on from page to page', async () => {
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
  it('answers for a stranger’s workspace as for one that there is not', async () => {
    const { taskboard, query } = host
    const { workspace } = await taskboard.accounts.create({ name: 'Stranger', tier: 'enterprise' })
    const theirs = await query(DOCUMENTED, { id: workspace.id })
    const nobodys = await query(DOCUMENTED, { id: 'ws_01jzzzzzzzzzzzzzzzzzzzzzzz' })
    expect(theirs.data).toEqual({ workspace: null })
    expect({ ...theirs, headers: null }).toEqual({ ...nobodys, headers: null })
  })

  it('answers a write to a stranger’s task as one to none', async () => {
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

  it('asks for a credential, with the code and headers of REST', async () => {
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
  it('takes no batch', async () => {
    const answer = await ask(host.url, [{ query: '{ __typename }' }, { query: '{ __typename }' }], host.key)
    expect(answer.status).toBe(400)
    expect(codesOf(answer)).toEqual(['INVALID_REQUEST'])
  })

  it('takes no larger body than the host allows', async () => {
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

  it('names a field that is wrong as the schema does', async () => {
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
