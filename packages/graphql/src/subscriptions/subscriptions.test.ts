import { afterEach, describe, expect, it } from 'vitest'
import {
  bearer,
  connectClient,
  listen,
  TASK_EVENTS,
  WORKSPACE_EVENTS,
  type SocketClient,
} from '../../test/socket-client.js'
import {
  listenOnExpress,
  listenOnFastify,
  openSocketHost,
  type SocketHost,
  type SocketHostOptions,
} from '../../test/socket-host.js'

const hosts: SocketHost[] = []
const clients: SocketClient[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()))
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function serve(options?: SocketHostOptions): Promise<SocketHost> {
  const host = await openSocketHost(options)
  hosts.push(host)
  return host
}

function connect({ url, key }: SocketHost, as = key): SocketClient {
  const client = connectClient(url, bearer(as))
  clients.push(client)
  return client
}

describe.each([
  ['Express', listenOnExpress],
  ['Fastify', listenOnFastify],
])('subscriptions on %s', (_, listenOn) => {
  it('tell what happens in a workspace, with the tasks and agents as they are', async () => {
    const host = await serve({ listen: listenOn })
    const { taskboard, workspaceId } = host
    const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'worker' })
    const board = taskboard.board(workspaceId)
    const told = listen(connect(host), WORKSPACE_EVENTS, { workspaceId })
    await told.until(({ __typename }) => __typename === 'EventsBegin')
    const { id } = await board.add({ title: 'told', type: 'label' })
    const claim = await board.claim({ agentId: agent.id })
    const fencingToken = claim?.fencingToken ?? 0
    await board.progress(id, { progress: 40, fencingToken })
    await board.complete(id, { result: 'the result', fencingToken })
    await board.move(id, 'TODO')
    await told.until(({ type }) => type === 'TASK_MOVED')
    expect(told.events.map(({ __typename, type, seq }) => [__typename, type, seq])).toEqual([
      ['EventsBegin', undefined, 0],
      ['TaskEvent', 'TASK_CREATED', 1],
      ['TaskEvent', 'TASK_STARTED', 2],
      ['TaskEvent', 'TASK_PROGRESS', 3],
      ['TaskEvent', 'TASK_COMPLETED', 4],
      ['TaskEvent', 'TASK_MOVED', 5],
    ])
    const [begin, created, started, progress, completed, moved] = told.events
    expect(begin).toEqual({ __typename: 'EventsBegin', workspaceId, seq: 0 })
    expect(created).toMatchObject({
      workspaceId,
      taskId: id,
      title: 'told',
      timestamp: expect.stringMatching(/Z$/),
    })
    expect(started).toMatchObject({ byAgentId: agent.id, task: { id, title: 'told' } })
    expect(progress).toMatchObject({ title: null, progress: 40, task: { id } })
    expect(completed).toMatchObject({ result: 'the result', progress: null })
    expect(moved).toMatchObject({ fromColumn: 'DONE', toColumn: 'TODO', task: { column: 'TODO' } })
  })
})

describe('what is told', () => {
  it('is of all workspaces within reach, those that are made later too', async () => {
    const host = await serve()
    const { taskboard, accountId, workspaceId } = host
    const told = listen(connect(host), TASK_EVENTS)
    await told.until(({ __typename }) => __typename === 'EventsBegin')
    const later = await taskboard.accounts.createWorkspace(accountId, { name: 'later' })
    await taskboard.board(later.id).add({ title: 'one' })
    await taskboard.board(workspaceId).add({ title: 'two' })
    await told.until((event) => event.workspaceId === later.id)
    await told.until((event) => event.workspaceId === workspaceId && event.seq === 1)
    expect(told.events.filter(({ type }) => type === 'TASK_CREATED')).toHaveLength(2)
  })
})
