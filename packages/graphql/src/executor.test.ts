import { createTaskboard, type Principal } from '@taskboard/core'
import { createOperationCaller } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { createExecutor } from './executor.js'
import { createContext } from './graphql-context.js'
import { taskboardSchema } from './schema/schema.js'

const schema = taskboardSchema()

const queries: Readonly<Record<string, readonly [text: string, variables?: Record<string, unknown>]>> = {
  'lists with agents, estimates and logs': [
    `query ($id: ID!) { workspace(id: $id) { name tasks(first: 5) { edges { cursor node { ...F agent { name type capabilities } estimatedCompletion logs { message } tags metadata } } pageInfo { hasNextPage endCursor } } agents { id status } } }
     fragment F on Task { id status priority createdAt column hold { reason since } }`,
  ],
  'aliases, and fields left out': [
    'query ($id: ID!, $yes: Boolean = true) { a: workspace(id: $id) { id @skip(if: $yes) name @include(if: $yes) ...on Workspace @skip(if: $yes) { createdAt } } b: workspace(id: "ws_none") { id } __typename }',
  ],
  'a fragment that is left out at one place and not at another': [
    'query ($id: ID!, $yes: Boolean = true) { workspace(id: $id) { ...F @skip(if: $yes) ...F } } fragment F on Workspace { name createdAt }',
  ],
  'a fragment that is wanted at the second place alone': [
    'query ($id: ID!, $no: Boolean = false) { workspace(id: $id) { ...F @include(if: $no) ...G } } fragment F on Workspace { name } fragment G on Workspace { id ...F }',
  ],
  'scopes that are missing': ['{ webhooks: webhook(id: "x") { id } account { id } workspaces { id } }'],
  'what is not there': [
    '{ task(id: "x") { id } tasks(agentId: "agent_none") { nodes { id } } agent(id: "x") { id } }',
  ],
  'arguments that are refused': ['{ tasks(first: 1000) { nodes { id } } }'],
  'variables that are wrong': [
    'query ($status: TaskStatus, $first: Int) { tasks(status: $status, first: $first) { nodes { id } } }',
    { status: 'NO', first: 'x' },
  ],
  'variables that are enums': [
    'query ($status: TaskStatus = PENDING) { tasks(status: $status) { nodes { title status } } }',
    { status: 'IN_PROGRESS' },
  ],
  'variables that are missing': ['query ($none: ID!) { task(id: $none) { id } }', {}],
  figures: [
    'query ($id: ID!) { workspace(id: $id) { analytics(period: LAST_7_DAYS) { tasksCompleted timesSaved from daily { date } } } }',
  ],
  'the schema': ['{ __schema { queryType { name } } __type(name: "TaskStatus") { enumValues { name } } }'],
}

describe('a plan gives what graphql gives', () => {
  it.each(Object.entries(queries))('%s', async (_, [text, variables]) => {
    const clock = virtualClock()
    const taskboard = createTaskboard({ storage: memoryStorage(), clock })
    const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
    const { services } = taskboard
    const board = taskboard.board(workspace.id)
    for (let index = 0; index < 7; index++) {
      const agent = await services.agents.create(workspace.id, { name: `Agent ${index}`, type: 'research' })
      await board.add({ title: `Task ${index}`, assignedTo: agent.id, tags: ['a'], metadata: { b: ['c'] } })
      if (index > 2) await board.claim({ agentId: agent.id })
    }
    const principal: Principal = {
      id: 'user_1',
      kind: 'user',
      accountId: account.id,
      tier: 'custom',
      scopes: ['tasks:read', 'agents:read', 'analytics:read'],
      workspaceIds: 'all',
      defaultWorkspaceId: workspace.id,
    }
    const document = parse(text)
    expect(validate(schema, document)).toEqual([])
    const caller = createOperationCaller(taskboard)
    const run = async (planFromUse: number) => {
      const result = await createExecutor(planFromUse)({
        schema,
        document,
        contextValue: createContext({ services, principal, request: {} as never }, caller),
        variableValues: variables ?? { id: workspace.id },
      })
      const errors = result.errors?.map(({ message, path, originalError }) => {
        return JSON.stringify({ message, path, code: (originalError as { code?: string } | undefined)?.code })
      })
      return { ...(JSON.parse(JSON.stringify(result)) as object), errors: errors?.toSorted() }
    }
    expect(await run(1)).toEqual(await run(Number.POSITIVE_INFINITY))
    await taskboard.close()
  })

  it('runs mutations in series, without a plan', async () => {
    const executor = createExecutor(1)
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const document = parse('mutation { a: deleteTask(id: "a") b: deleteTask(id: "b") }')
    const order: string[] = []
    const write = async (_: string, { params }: { params: { taskId: string } }) => {
      order.push(`begin ${params.taskId}`)
      await Promise.resolve()
      order.push(`end ${params.taskId}`)
      return {}
    }
    await executor({ schema, document, contextValue: { write } })
    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b'])
    await taskboard.close()
  })
})
