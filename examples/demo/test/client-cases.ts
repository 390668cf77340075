import { isDeepStrictEqual } from 'node:util'
import {
  openCuttingProxy,
  openDeafClient,
  openSubscriber,
  startFollower,
  type Follower,
  type GraphqlSubscriber,
} from '@taskboard/example-clients/testing'
import { askGraphql, type RealtimeMessage } from '@taskboard/example-clients'
import { expect } from 'vitest'
import { TASKS_AT_ONCE } from '../src/checklist-agent.js'
import type { ServerProcess } from './server-process.js'
import { runInShell, startInShell } from './shell.js'

/** As in the contract. */
const DOCUMENTED_QUERY = /* GraphQL */ `
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

const workspaceOf = (server: ServerProcess): string =>
  /^Workspace: (ws_[0-9a-z]+)/m.exec(server.output())?.[1] ?? ''

/** A command of the server's page that runs a client. */
const clientLine = async (server: ServerProcess, script: string): Promise<string> =>
  new RegExp(`^(TASKBOARD_URL=.* npm run ${script} .*)$`, 'm').exec(await server.commands())?.[1] ?? ''

const isCompleted =
  (title: string) =>
  ({ type, data }: RealtimeMessage): boolean =>
    type === 'task.completed' && data?.title === title

const eventsUpTo = ({ messages }: Follower, last: number): readonly RealtimeMessage[] =>
  messages.filter(({ type, seq = 0 }) => type !== 'subscribed' && seq <= last)

/** An external agent takes its own task, and reaches 40 %. The demo's agent, which serves every type, is kept busy meanwhile. */
async function beginWork(server: ServerProcess) {
  const waiting: string[] = []
  for (let place = 1; place <= TASKS_AT_ONCE; place++) {
    const { json } = await server.call('add', {
      title: `Keeps the demo busy ${place}`,
      description: 'wait 30s',
    })
    waiting.push((json as { readonly task: { readonly id: string } }).task.id)
    await server.printed(new RegExp(`task\\.started +Started: Keeps the demo busy ${place}`))
  }
  const { createAgent: agent } = await askGraphql<{ createAgent: { readonly id: string } }>(
    server,
    'mutation { createAgent(input: { name: "Ada", type: "custom" }) { id } }',
  )
  const { createTask: task } = await askGraphql<{ createTask: { readonly id: string } }>(
    server,
    'mutation ($agent: ID!) { createTask(input: { title: "Long", assignedTo: $agent }) { id } }',
    { agent: agent.id },
  )
  const { claimTask: claim } = await askGraphql<{ claimTask: { readonly fencingToken: number } }>(
    server,
    'mutation ($agent: ID!) { claimTask(input: { agentId: $agent, leaseSeconds: 600 }) { fencingToken } }',
    { agent: agent.id },
  )
  const written = { id: task.id, token: claim.fencingToken }
  const write = (field: string) =>
    askGraphql(server, `mutation ($id: ID!, $token: Int!) { ${field} { status } }`, written)
  await write('reportTaskProgress(id: $id, input: { fencingToken: $token, progress: 40 })')
  return {
    agentId: agent.id,
    taskId: task.id,
    end: async (): Promise<void> => {
      await write('completeTask(id: $id, input: { fencingToken: $token, result: "done" })')
      for (const id of waiting) {
        await askGraphql(server, 'mutation ($id: ID!) { cancelTask(id: $id) { status } }', { id })
      }
    },
  }
}

/** While an agent is at work. */
export async function assertDocumentedQuery(server: ServerProcess): Promise<void> {
  const { agentId, taskId, end } = await beginWork(server)
  const answer = await fetch(`${server.url}/v2/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: DOCUMENTED_QUERY, variables: { id: workspaceOf(server) } }),
  })
  expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
  const agent = { name: 'Ada', type: 'custom' }
  const estimatedCompletion = expect.stringMatching(/Z$/) as string
  const node = { id: taskId, title: 'Long', progress: 40, agent, estimatedCompletion }
  const number = expect.any(Number) as number
  expect(await answer.json()).toEqual({
    data: {
      workspace: {
        name: expect.any(String) as string,
        tasks: { edges: expect.arrayContaining([{ node }]) as unknown },
        agents: expect.arrayContaining([
          { id: agentId, name: 'Ada', status: 'BUSY', currentWorkload: 1 },
          expect.objectContaining({ name: 'Checklist agent' }),
        ]) as unknown,
        analytics: { tasksCompleted: number, timesSaved: number, successRate: 1 },
      },
    },
  })
  const drawn = await runInShell(await clientLine(server, 'graphql'), server.key)
  expect(drawn).toContain(`  In progress\n    Long (${taskId}), 40 %, Ada (custom), until `)
  expect(drawn).toContain('    Ada: busy, 1 to do\n')
  await end()
}

/** By the line of the page. */
export async function assertFollowed(server: ServerProcess): Promise<void> {
  const client = startInShell(await clientLine(server, 'realtime'), server.key)
  await client.printed(/subscribed workspace\./)
  const { json } = await server.call('add', { title: 'Watched', description: '- one\n- two' })
  const { id } = (json as { readonly task: { readonly id: string } }).task
  await client.printed(/task\.completed Watched\n/)
  await client.interrupt()
  const received = client.output().match(/(?<=#\d+ )(task\.\S+ .*)$/gm)
  expect(received).toEqual([
    'task.created Watched',
    'task.started Watched',
    `task.progress ${id} 50 %`,
    `task.progress ${id} 100 %`,
    'task.completed Watched',
  ])
}

/** With work in the meantime. */
export async function assertResumed(server: ServerProcess): Promise<void> {
  const proxy = await openCuttingProxy(server.url)
  const workspaceId = workspaceOf(server)
  const follower = startFollower({ url: proxy.url, key: server.key }, workspaceId)
  const { seq = 0 } = await follower.heard(({ type }) => type === 'subscribed')
  await server.call('add', { title: 'Seen' })
  await follower.heard(({ type }) => type === 'task.started')
  proxy.cut()
  await follower.cut()
  await server.call('add', { title: 'Unseen', description: '- one\n- two' })
  await server.printed(/Completed: Unseen/)
  proxy.mend()
  const { seq: last = 0 } = await follower.heard(isCompleted('Unseen'))

  const unbroken = startFollower(server, workspaceId, seq)
  await unbroken.heard(isCompleted('Unseen'))
  const received = eventsUpTo(follower, last)
  expect(received).toEqual(eventsUpTo(unbroken, last))
  expect(received.some(isCompleted('Seen'))).toBe(true)
  expect(proxy.passed).toBe(2)
  await Promise.all([follower.stop(), unbroken.stop()])
  await proxy.close()
}

const EVENTS_QUERY = /* GraphQL */ `
  subscription ($id: ID!) {
    workspaceEvents(workspaceId: $id) {
      __typename
      ... on TaskEvent {
        type
        title
      }
    }
  }
`

/** Subscribes to a workspace with GraphQL. */
async function subscribeByGraphql(server: ServerProcess): Promise<GraphqlSubscriber> {
  const subscriber = await openSubscriber(server, EVENTS_QUERY, { id: workspaceOf(server) })
  await subscriber.received((payload) => isEvent(payload, { __typename: 'EventsBegin' }))
  return subscriber
}

function isEvent(payload: { readonly data?: object } | undefined, event: object): boolean {
  return isDeepStrictEqual(payload, { data: { workspaceEvents: event } })
}

/** Clients that are connected when the server gets its signal: two that listen, and one that does not read. */
export async function connectClients(server: ServerProcess) {
  const workspaceId = workspaceOf(server)
  const follower = startFollower(server, workspaceId)
  await follower.heard(({ type }) => type === 'subscribed')
  const subscriber = await subscribeByGraphql(server)
  const leave = await openDeafClient(server, workspaceId)
  return {
    /** Asserts that the listeners received the last task's events before their connections were closed. */
    async assertSentAway(title: string): Promise<void> {
      expect(await follower.cut()).toMatchObject({ code: 1001, error: null })
      await follower.heard(isCompleted(title))
      await follower.stop()
      const lastEvent = { __typename: 'TaskEvent', type: 'TASK_COMPLETED', title }
      await subscriber.received((payload) => isEvent(payload, lastEvent))
      expect(await subscriber.closed).toBe(1001)
      leave()
    },
  }
}
