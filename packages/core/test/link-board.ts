import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher } from '@taskboard/testing'
import type { HttpRequest } from '../src/http/http.js'
import { v2Routes } from '../src/http/v2/v2-routes.js'
import { createTaskboard } from '../src/wiring/taskboard.js'
import type { TaskboardOptions } from '../src/wiring/taskboard-options.js'

const PUBLIC = 'https://app.example'

/** A board with the page of its links, as a browser opens it and sends its form. */
export async function linkBoard(options: Partial<TaskboardOptions> = {}) {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    logger: false,
    passwordHasher: plainPasswordHasher,
    publicUrl: PUBLIC,
    ...options,
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const [accountId, workspaceId] = [account.id, workspace.id]
  const agent = await taskboard.agents.create(workspaceId, { name: 'Clerk', type: 'clerk' })
  const board = taskboard.board(workspaceId)
  const route = v2Routes(taskboard).find(({ path }) => path === '/v2/decide/:token')

  async function ask(userId: string, question = 'Which color?') {
    const { id: taskId } = await board.add({ title: 'Paint the door' })
    const fencingToken = (await board.claim({ agentId: agent.id, taskId }))?.fencingToken ?? 0
    await board.ask(taskId, { fencingToken, question })
    const { url } = await taskboard.links.create({ workspaceId, taskId, userId })
    return { taskId, token: url.split('/').at(-1) ?? '' }
  }

  function send(
    token: string,
    form?: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ) {
    const all: Readonly<Record<string, string>> = {
      origin: PUBLIC,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    }
    const request: HttpRequest = {
      method: form === undefined ? 'GET' : 'POST',
      path: `/v2/decide/${token}`,
      params: { token },
      query: '',
      clientAddress: '203.0.113.9',
      header: (name) => all[name],
      body: form === undefined ? { kind: 'none' } : { kind: 'parsed', value: form },
    }
    if (route === undefined) throw new Error('there is no page of links')
    return route.handle(request)
  }
  return { taskboard, accountId, workspaceId, agentId: agent.id, board, ask, send, route }
}
