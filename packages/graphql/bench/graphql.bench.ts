import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import {
  createTaskboard,
  scopes,
  type Principal,
  type Taskboard,
  type TaskboardOptions,
} from '@taskboard/core'
import { createOperationCaller, type HttpRequest } from '@taskboard/core/transport'
import { taskboardPlugin } from '@taskboard/fastify'
import { memoryStorage } from '@taskboard/memory'
import { fastify } from 'fastify'
import { mercurius } from 'mercurius'
import { announce, compare } from '@taskboard/kit/bench/http-load'
import { createContext } from '../src/graphql-context.js'
import { taskboardGraphql, taskboardSchema } from '../src/index.js'

/**
 * Requests per second of the endpoint and of other GraphQL servers with the same schema, resolvers and storage, without credentials
 * and limits; and of ours with both.
 */
const TASKS = 20
const LIST = `query ($id: ID!) {
  workspace(id: $id) {
    name
    tasks(first: ${TASKS}, status: IN_PROGRESS) {
      edges { node { id title progress status createdAt agent { id name status } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`
const DOCUMENTED = `query ($id: ID!) {
  workspace(id: $id) {
    name
    tasks(first: ${TASKS}, status: IN_PROGRESS) {
      edges { node { id title progress agent { name type } estimatedCompletion } }
    }
    agents { id name status currentWorkload }
    analytics(period: LAST_7_DAYS) { tasksCompleted timesSaved successRate }
  }
}`
interface Board {
  readonly taskboard: Taskboard
  readonly principal: Principal
  readonly keys: readonly string[]
}

/** With `isOpen` every request has the same caller, of a tier without limits. */
async function makeBoard(isOpen: boolean): Promise<Board> {
  let principal: Principal | undefined
  const options: Partial<TaskboardOptions> = isOpen ? { authenticate: () => principal ?? null } : {}
  const most = 1_000_000_000
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    tiers: { enterprise: { requestsPerHour: most, burstPerMinute: most } },
    ...options,
  })
  const tier = isOpen ? 'custom' : 'enterprise'
  const { account, workspace } = await taskboard.accounts.create({ name: 'bench', tier })
  const board = taskboard.board(workspace.id)
  for (let index = 0; index < TASKS; index++) {
    const agent = await taskboard.services.agents.create(workspace.id, {
      name: `Agent ${index}`,
      type: 'research',
    })
    await board.add({ title: `Summarise the figures of quarter ${index}`, assignedTo: agent.id })
    await board.claim({ agentId: agent.id, leaseMs: 3_600_000 })
  }
  const accountId = account.id
  const made = await taskboard.accounts.createKey({ accountId, name: 'bench', scopes: [...scopes] })
  principal = {
    id: made.id,
    kind: 'api_key',
    accountId,
    tier,
    scopes,
    workspaceIds: 'all',
    defaultWorkspaceId: workspace.id,
  }
  return { taskboard, principal, keys: [made.key] }
}

const PATH = '/v2/graphql'
/** Not by a literal: its types bring those of browsers along, for all files. */
const YOGA: string = 'graphql-yoga'

async function serveOurs(isOpen: boolean): Promise<void> {
  const { taskboard, principal, keys } = await makeBoard(isOpen)
  const app = fastify()
  await app.register(taskboardPlugin, { taskboard, routes: [taskboardGraphql(taskboard)] })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  announce({ url, keys, workspaceId: principal.defaultWorkspaceId })
}

/** The context that our endpoint creates for the resolvers of each request. */
function contextOf({ taskboard, principal }: Board): () => object {
  const { services } = taskboard
  const caller = createOperationCaller(taskboard)
  const request: HttpRequest = {
    method: 'POST',
    path: PATH,
    params: {},
    query: '',
    header: () => undefined,
    clientAddress: '127.0.0.1',
    body: { kind: 'none' },
  }
  return () => createContext({ services, principal, request }, caller)
}

async function serveYoga(): Promise<void> {
  const board = await makeBoard(true)
  const { createYoga } = (await import(YOGA)) as {
    readonly createYoga: (options: object) => RequestListener
  }
  const yoga = createYoga({
    schema: taskboardSchema(),
    context: contextOf(board),
    graphqlEndpoint: PATH,
    graphiql: false,
    landingPage: false,
    logging: false,
  })
  const server = createServer(yoga)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const workspaceId = board.principal.defaultWorkspaceId
  announce({ url: `http://127.0.0.1:${port}`, keys: board.keys, workspaceId })
}

async function serveMercurius(jit: number): Promise<void> {
  const board = await makeBoard(true)
  const app = fastify()
  const context = contextOf(board)
  await app.register(mercurius, { schema: taskboardSchema(), path: PATH, jit, context })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  announce({ url, keys: board.keys, workspaceId: board.principal.defaultWorkspaceId })
}

const subjects: Record<string, () => Promise<void>> = {
  ours: () => serveOurs(true),
  guarded: () => serveOurs(false),
  yoga: serveYoga,
  mercurius: () => serveMercurius(0),
  jit: () => serveMercurius(1),
}
const serve = subjects[process.argv[2] ?? '']
if (serve !== undefined) await serve()
else {
  const bodyOf = (query: string) => JSON.stringify({ query, variables: { id: 'WORKSPACE' } })
  await compare(
    fileURLToPath(import.meta.url),
    { name: 'GraphQL on Fastify', serve: 'ours' },
    [
      { name: 'graphql-yoga', serve: 'yoga', goal: 2 },
      { name: 'mercurius', serve: 'mercurius', goal: 1 },
      { name: 'mercurius with its JIT', serve: 'jit', goal: null },
      { name: 'ours with a credential and limits', serve: 'guarded', goal: null },
    ],
    [
      { name: `list of ${TASKS} tasks`, path: PATH, body: bodyOf(LIST), goal: 1 },
      { name: 'documented query', path: PATH, body: bodyOf(DOCUMENTED), goal: 1 },
    ],
  )
}
