import { createTaskboard, type Principal, scopes } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { mountOnExpress } from '@taskboard/kit/mcp/mcp-host'
import { mcpRoutes } from '../src/http/mcp-route.js'
import { taskboardMcp } from '../src/index.js'
import { fixtureServer } from './fixture-server.js'

/**
 * The endpoint for the public conformance suite, which has no credential: the host answers for its caller. `/mcp` has the board's own
 * tools, `/fixtures` those that the suite calls. It prints its URL.
 */
let principal: Principal | null = null
const taskboard = createTaskboard({
  storage: memoryStorage(),
  logger: false,
  authenticate: async () => principal,
})
const { account, workspace } = await taskboard.accounts.create({ name: 'Suite', tier: 'custom' })
principal = {
  id: 'suite',
  kind: 'user',
  accountId: account.id,
  tier: 'custom',
  scopes,
  workspaceIds: 'all',
  defaultWorkspaceId: workspace.id,
}
await taskboard.start()
const { url } = await mountOnExpress(taskboard, [
  taskboardMcp(taskboard, { tools: ['worker', 'planner'] }),
  mcpRoutes(taskboard, { path: '/fixtures' }, () => fixtureServer),
])
process.stdout.write(`${url}\n`)
