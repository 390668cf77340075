import { createTaskboard, scopes, type Taskboard } from '@taskboard/core'
import type { HttpRequest, Route } from '@taskboard/core/transport'
import { virtualClock } from '@taskboard/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskboardGraphql } from '@taskboard/graphql'
import { createTestDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { migrate } from '../src/migrations/migrate.js'
import { postgresStorage } from '../src/postgres-storage.js'

let database: TestDatabase
let taskboard: Taskboard
let route: Route
let statements = 0
let credential = ''

beforeAll(async () => {
  database = await createTestDatabase()
  const { pool } = database
  // Every statement uses a client of the pool.
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...values: unknown[]) => unknown
    client.query = ((...values: unknown[]) => {
      statements += 1
      return query(...values)
    }) as typeof client.query
  })
  await migrate(pool)
  taskboard = createTaskboard({
    logger: false,
    storage: postgresStorage({ pool }),
    // The clock stands still, so that a cached credential stays valid however long a request takes.
    clock: virtualClock(),
    secrets: { encryptionKey: '0'.repeat(64) },
  })
  route = taskboardGraphql(taskboard, { limits: { cost: 100_000 } })
})
afterAll(async () => {
  await taskboard.close()
  await database.drop()
})

/** A workspace with `count` agents, and one task for each: some waiting, some in progress, some done. */
async function makeWorkspace(count: number): Promise<string> {
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const made = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'all',
    scopes: [...scopes],
  })
  credential = made.key
  const board = taskboard.board(workspace.id)
  for (let index = 0; index < count; index++) {
    const agent = await taskboard.services.agents.create(workspace.id, {
      name: `Agent ${index}`,
      type: 'research',
    })
    await board.add({ title: `Task ${index}`, assignedTo: agent.id })
    if (index % 3 === 0) continue
    const claimed = await board.claim({ agentId: agent.id })
    const fencingToken = claimed?.lease?.fencingToken ?? 0
    if (index % 3 === 1) await board.complete(claimed?.id ?? '', { fencingToken, result: 'ok' })
  }
  return workspace.id
}

async function statementsOf(query: string, variables: object): Promise<{ count: number; data: unknown }> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    authorization: `Bearer ${credential}`,
  }
  const request: HttpRequest = {
    method: 'POST',
    path: '/v2/graphql',
    params: {},
    query: '',
    header: (name) => headers[name],
    clientAddress: '192.0.2.1',
    body: { kind: 'parsed', value: { query, variables } },
  }
  // The credential is cached, and all statements are prepared.
  await route.handle(request)
  statements = 0
  const { body } = await route.handle(request)
  const { data, errors } = JSON.parse(String(body)) as { data: unknown; errors?: unknown }
  expect(errors).toBeUndefined()
  return { count: statements, data }
}

const EVERYTHING = /* GraphQL */ `
  query ($id: ID!) {
    workspace(id: $id) {
      name
      tasks(first: 100) {
        edges {
          node {
            id
            title
            progress
            agent {
              id
              name
              type
              currentWorkload
              successRate
              capabilities
            }
            estimatedCompletion
            logs {
              message
            }
            outputs {
              url
            }
          }
        }
      }
      agents(first: 100) {
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

describe('the statements of a GraphQL query', () => {
  it('have the same number for six nodes as for sixty', async () => {
    const few = await statementsOf(EVERYTHING, { id: await makeWorkspace(6) })
    const many = await statementsOf(EVERYTHING, { id: await makeWorkspace(60) })
    const nodesOf = ({ data }: { data: unknown }) =>
      (data as { workspace: { tasks: { edges: unknown[] } } }).workspace.tasks.edges.length
    expect([nodesOf(few), nodesOf(many)]).toEqual([6, 60])
    expect(many.count).toBe(few.count)
    // Workspace, tasks, agents, figures; agents by their ids, estimates, and one to three for details, depending on timing.
    for (const { count } of [few, many]) {
      expect(count).toBeGreaterThanOrEqual(7)
      expect(count).toBeLessThanOrEqual(9)
    }
  })
})
