import { createTaskboard, defineAgent, scopes, type Principal } from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'

/** A board whose agent waits in a chat until `goOn` is called, and then adds a task. The host says who calls. */
async function setUp() {
  const clock = virtualClock()
  let goOn = (): void => undefined
  let callers = 0
  let principal: Principal | null = null
  const bot = defineAgent({
    type: 'bot',
    run: () => '',
    async chat(_, { board }) {
      await new Promise<void>((resolve) => (goOn = resolve))
      await board.add({ title: 'late' })
      return (await board.list('TODO')).tasks.map(({ title }) => title).join()
    },
  })
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    agents: [bot],
    authenticate() {
      callers += 1
      return principal
    },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const ada: Principal = {
    id: 'ada',
    kind: 'user',
    accountId: account.id,
    tier: 'custom',
    scopes,
    workspaceIds: [workspace.id],
    defaultWorkspaceId: workspace.id,
  }
  const handle = toFetchHandler(taskboard)
  const headers = { authorization: 'Basic x', 'content-type': 'application/json' }
  const body = JSON.stringify({ message: 'please' })

  /** The answer to a chat whose caller is somebody else from its tenth second on, how often the caller was looked up, and the tasks. */
  async function chat(path: string, later: Principal | null, seconds = 10) {
    principal = ada
    const answer = handle(new Request(`http://localhost${path}`, { method: 'POST', headers, body }))
    await clock.advance({ seconds })
    const before = callers
    principal = later
    goOn()
    const { status } = await answer
    const { tasks } = await taskboard.board(workspace.id).list('TODO')
    return { status, lookedUp: callers - before, tasks: tasks.map(({ title }) => title) }
  }
  return { ada, chat }
}

describe.each(['/v2/chat', '/api/board?action=chat'])('a chat by %s that takes a while', (path) => {
  it('goes on for a caller that still may, who is looked up once', async () => {
    const { ada, chat } = await setUp()
    expect(await chat(path, ada)).toEqual({ status: 200, lookedUp: 1, tasks: ['late'] })
  })

  it.each<[string, (ada: Principal) => Principal | null]>([
    ['whose credential ended', () => null],
    ['who lost the scope', (ada) => ({ ...ada, scopes: ['chat:write'] })],
    ['who lost the workspace', (ada) => ({ ...ada, workspaceIds: [] })],
    ['who is somebody else', (ada) => ({ ...ada, id: 'eve' })],
  ])('does nothing for a caller %s', async (_, laterOf) => {
    const { ada, chat } = await setUp()
    expect(await chat(path, laterOf(ada))).toEqual({ status: 403, lookedUp: 1, tasks: [] })
  })
})

it('a chat trusts a look-up for a second', async () => {
  const { chat } = await setUp()
  expect(await chat('/v2/chat', null, 0.5)).toEqual({ status: 200, lookedUp: 0, tasks: ['late'] })
})
