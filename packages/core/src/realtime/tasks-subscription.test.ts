import { expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import { currentPayloadVersion, type LoggedEvent } from '../events/index.js'
import { tasksTopic } from './topics.js'
import { createHub } from './hub.js'
import type { LogEnd } from './realtime-store.js'
import type { EncodedFrames } from './encoded-frames.js'
import type { SubscriptionRequest } from './subscription.js'
import { TasksSubscription } from './subscribe.js'

function progress(workspaceId: string, seq: number): LoggedEvent {
  const data = { taskId: 'task_1', progress: seq }
  const place = { id: `log_${workspaceId}_${seq}`, workspaceId, seq, at: 0 }
  return { ...place, type: 'task.progress', data, payloadVersion: currentPayloadVersion }
}

it('misses nothing of a workspace created while the ends of the logs were read', async () => {
  const log: LoggedEvent[] = [progress('ws_1', 1)]
  const hub = createHub()
  const received: [string | undefined, number | undefined][] = []
  const hear = ({ texts }: EncodedFrames): void => {
    for (const text of texts) {
      const { workspace_id: workspaceId, seq } = JSON.parse(text) as { workspace_id?: string; seq?: number }
      received.push([workspaceId, seq])
    }
  }
  const subscriber = {
    broadcast: hear,
    failed: (error: unknown) => expect.fail(String(error)),
    sendAlone: async (messages: EncodedFrames) => hear(messages),
  }
  const publish = (event: LoggedEvent): void => {
    log.push(event)
    hub.publish(event)
    hub.flush()
  }

  const request: SubscriptionRequest = {
    topic: tasksTopic,
    principal: {
      id: 'user_1',
      kind: 'user',
      accountId: 'account_1',
      tier: 'professional',
      scopes: ['tasks:read'],
      workspaceIds: 'all',
      defaultWorkspaceId: 'ws_1',
    },
    subscriber,
    since: undefined,
    confirm: () => undefined,
  }
  let reads = 0
  const subscription: TasksSubscription = new TasksSubscription(request, {
    environment: createEnvironment({}),
    hub,
    discovery: {
      add: () => undefined,
      delete: () => undefined,
      addKnown: () => undefined,
      seen: () => undefined,
      start: () => undefined,
      stop: async () => undefined,
    },
    store: { readLogEnds: async ({ workspaceId }) => endsOf(workspaceId) },
    events: {
      readEvents: async ({ workspaceId, afterSeq: after, limit }) =>
        log.filter((event) => event.workspaceId === workspaceId && event.seq > after).slice(0, limit),
    },
    replayLimit: 1_000,
  })

  function endsOf(workspaceId: string | null): LogEnd[] {
    const ends = ['ws_1', 'ws_2']
      .map((id) => ({ workspaceId: id, seq: log.filter((event) => event.workspaceId === id).length }))
      .filter(({ workspaceId: id, seq }) => seq > 0 && (workspaceId === null || workspaceId === id))
    reads += 1
    // The workspace is created, written to and found after the storage answers and before the answer arrives.
    if (reads === 2) {
      publish(progress('ws_2', 1))
      subscription.found('ws_2')
    }
    return ends
  }

  await subscription.begin(request)
  await new Promise((resolve) => setImmediate(resolve))
  publish(progress('ws_2', 2))
  expect(received).toEqual([
    ['ws_2', 1],
    ['ws_2', 2],
  ])
})
