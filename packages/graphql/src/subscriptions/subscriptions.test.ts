import { memoryStorage } from '@taskboard/memory'
import { afterEach, describe, expect, it } from 'vitest'
import {
  bearer,
  connectClient,
  listen,
  TASK_EVENTS,
  WORKSPACE_EVENTS,
  type SocketClient,
  type Received,
  type ToldEvent,
} from '@taskboard/kit/graphql/socket-client'
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
  for (const client of clients.splice(0)) await client.dispose()
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
  it('send the events of a workspace, with the current tasks and agents', async () => {
    const host = await serve({ listen: listenOn })
    const { taskboard, workspaceId } = host
    const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'worker' })
    const board = taskboard.board(workspaceId)
    const received = listen(connect(host), WORKSPACE_EVENTS, { workspaceId })
    await received.until(({ __typename }) => __typename === 'EventsBegin')
    const { id } = await board.add({ title: 'followed', type: 'label' })
    const claim = await board.claim({ agentId: agent.id })
    const fencingToken = claim?.fencingToken ?? 0
    await board.progress(id, { progress: 40, fencingToken })
    await board.complete(id, { result: 'the result', fencingToken })
    await board.move(id, 'TODO')
    await received.until(({ type }) => type === 'TASK_MOVED')
    // Where between them the agent's status is announced depends on the time.
    const ofAgent = received.events.filter(({ type }) => type === 'AGENT_STATUS')
    for (const event of ofAgent) expect(event).toMatchObject({ __typename: 'AgentEvent', agentId: agent.id })
    expect(received.events.map(({ seq }) => seq)).toEqual([...received.events.keys()])
    const others = received.events.filter(({ type }) => type !== 'AGENT_STATUS')
    expect(others.map(({ __typename, type }) => [__typename, type])).toEqual([
      ['EventsBegin', undefined],
      ['TaskEvent', 'TASK_CREATED'],
      ['TaskEvent', 'TASK_STARTED'],
      ['TaskEvent', 'TASK_PROGRESS'],
      ['TaskEvent', 'TASK_COMPLETED'],
      ['TaskEvent', 'TASK_MOVED'],
    ])
    const [begin, created, started, progress, completed, moved] = others
    expect(begin).toEqual({ __typename: 'EventsBegin', workspaceId, seq: 0 })
    expect(created).toMatchObject({
      workspaceId,
      taskId: id,
      title: 'followed',
      timestamp: expect.stringMatching(/Z$/),
    })
    expect(started).toMatchObject({ byAgentId: agent.id, task: { id, title: 'followed' } })
    expect(progress).toMatchObject({ title: null, progress: 40, task: { id } })
    expect(completed).toMatchObject({ result: 'the result', progress: null })
    expect(moved).toMatchObject({ fromColumn: 'DONE', toColumn: 'TODO', task: { column: 'TODO' } })
  })
})

const isEvent = ({ __typename }: ToldEvent): boolean => __typename !== 'EventsBegin'
const begun = (received: Received) => received.until((event) => !isEvent(event))

describe('the events', () => {
  it('are of all workspaces within reach, including those created later', async () => {
    const host = await serve()
    const { taskboard, accountId, workspaceId } = host
    const received = listen(connect(host), TASK_EVENTS)
    await begun(received)
    const later = await taskboard.accounts.createWorkspace(accountId, { name: 'later' })
    await taskboard.board(later.id).add({ title: 'one' })
    await taskboard.board(workspaceId).add({ title: 'two' })
    await received.until((event) => isEvent(event) && event.workspaceId === later.id)
    await received.until((event) => isEvent(event) && event.workspaceId === workspaceId)
    expect(received.events.map((event) => [isEvent(event), event.workspaceId, event.seq])).toEqual([
      [false, workspaceId, 0],
      [true, later.id, 1],
      [true, workspaceId, 1],
    ])
  })

  it('include agents’ statuses, for callers who may read agents', async () => {
    const storage = memoryStorage()
    const host = await serve({ storage })
    const { taskboard, workspaceId } = host
    const { id } = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'worker' })
    const narrowKey = (await host.makeKey(['tasks:read'])).key
    const full = listen(connect(host), WORKSPACE_EVENTS, { workspaceId })
    const narrow = listen(connect(host, narrowKey), WORKSPACE_EVENTS, { workspaceId })
    await Promise.all([begun(full), begun(narrow)])
    const draft = { type: 'agent.status', data: { agentId: id, status: 'busy' } } as const
    await storage.events.appendEvent({ workspaceId, event: draft }, { now: null })
    await taskboard.board(workspaceId).add({ title: 'next' })
    await Promise.all([full, narrow].map((received) => received.until(({ type }) => type === 'TASK_CREATED')))
    const about = { __typename: 'AgentEvent', type: 'AGENT_STATUS', workspaceId, agentId: id }
    expect(full.events.slice(1)).toMatchObject([
      { ...about, seq: 1, status: 'BUSY', agent: { name: 'Ada', currentWorkload: 0 } },
      { type: 'TASK_CREATED', seq: 2 },
    ])
    expect(narrow.events.slice(1)).toMatchObject([{ type: 'TASK_CREATED', seq: 2 }])
  })

  it('are only those that were requested', async () => {
    const host = await serve()
    const { taskboard, workspaceId } = host
    const board = taskboard.board(workspaceId)
    const { id } = await board.add({ title: 'followed' })
    const client = connect(host)
    const ofTask = listen(client, WORKSPACE_EVENTS, { workspaceId, taskId: id })
    const moves = listen(client, TASK_EVENTS, { types: ['TASK_MOVED', 'TASK_FAILED'] })
    await Promise.all([begun(ofTask), begun(moves)])
    await board.add({ title: 'not followed' })
    await board.move(id, 'DONE')
    await Promise.all([ofTask, moves].map((received) => received.until(({ type }) => type === 'TASK_MOVED')))
    for (const { events } of [ofTask, moves]) expect(events.map(({ seq }) => seq)).toEqual([1, 3])
  })

  it('have each task in its current state, and deleted tasks as null', async () => {
    const host = await serve()
    const { taskboard, workspaceId } = host
    const board = taskboard.board(workspaceId)
    const { id } = await board.add({ title: 'before' })
    const received = listen(connect(host), WORKSPACE_EVENTS, { workspaceId, since: 0 })
    await received.until(({ seq }) => seq === 1)
    await board.update(id, { title: 'after' })
    await board.move(id, 'DONE')
    const moved = await received.until(({ seq }) => seq === 2)
    expect(moved).toMatchObject({ title: 'after', task: { title: 'after', column: 'DONE' } })
    await board.delete(id)
    const late = listen(connect(host), WORKSPACE_EVENTS, { workspaceId, since: 0 })
    await late.until(({ seq }) => seq === 2)
    expect(late.results[1]).toEqual({ data: { workspaceEvents: late.events[1] } })
    expect(late.events[1]).toMatchObject({ taskId: id, title: 'before', task: null })
  })

  it('begin with a gap, where since lies further back than is replayed', async () => {
    const host = await serve({ bounds: { replayLimit: 2 } })
    const { taskboard, workspaceId } = host
    for (let n = 0; n < 5; n++) await taskboard.board(workspaceId).add({ title: `${n}` })
    const received = listen(connect(host), WORKSPACE_EVENTS, { workspaceId, since: 1, types: ['TASK_MOVED'] })
    const gap = await received.until(({ __typename }) => __typename === 'EventGap')
    expect(received.events[0]).toMatchObject({ __typename: 'EventsBegin', seq: 1 })
    expect(gap).toEqual({ __typename: 'EventGap', workspaceId, firstSeq: 2, seq: 3 })
  })

  it('stop once a subscription is completed, and so does the work for it', async () => {
    const host = await serve()
    const { taskboard, workspaceId } = host
    const client = connect(host)
    const [stopped, stays] = [0, 1].map(() => listen(client, WORKSPACE_EVENTS, { workspaceId })) as [
      Received,
      Received,
    ]
    await Promise.all([begun(stopped), begun(stays)])
    stopped.stop()
    // Answered after the server has handled the other's end.
    const asked = listen(client, '{ __typename }')
    await asked.ended
    let looked = 0
    const { tasks } = taskboard.services
    Object.assign(taskboard.services, {
      tasks: { ...tasks, find: (...args: Parameters<typeof tasks.find>) => (looked++, tasks.find(...args)) },
    })
    await taskboard.board(workspaceId).add({ title: 'sent once' })
    await stays.until(({ seq }) => seq === 1)
    expect(looked).toBe(1)
    expect(stopped.events).toHaveLength(1)
  })
})
