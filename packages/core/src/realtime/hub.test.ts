import { describe, expect, it } from 'vitest'
import { currentPayloadVersion, type LoggedEvent } from '../events/index.js'
import { tasksTopic, workspaceTopic } from './topics.js'
import { LogSubscription, type Audience } from './log-subscription.js'
import { createHub } from './hub.js'
import type { EncodedFrames } from './encoded-frames.js'

function event(seq: number, workspaceId = 'ws_1', payloadVersion = currentPayloadVersion): LoggedEvent {
  const data = { taskId: 'task_1', progress: seq }
  return { type: 'task.progress', data, id: `log_${seq}`, workspaceId, seq, at: 0, payloadVersion }
}

/** As another process may log it during an upgrade. */
function ofLaterRelease(type: string, seq: number): LoggedEvent {
  return { ...event(seq), type } as unknown as LoggedEvent
}

function setUp() {
  const hub = createHub()
  const receiver = () => {
    const writes: EncodedFrames[] = []
    return { writes, broadcast: (messages: EncodedFrames) => void writes.push(messages) }
  }
  const join = (
    to: ReturnType<typeof receiver>,
    workspaceId: string,
    audience: Audience,
  ): LogSubscription => {
    const topic = audience === 'tasks' ? tasksTopic : workspaceTopic(workspaceId)
    const logSubscription = new LogSubscription(to, { workspaceId, audience, topic })
    logSubscription.state = 'live'
    hub.join(logSubscription)
    return logSubscription
  }
  const seqs = ({ writes }: ReturnType<typeof receiver>) =>
    writes.map(({ texts }) => texts.map((text) => (JSON.parse(text) as { seq: number }).seq))
  return { hub, receiver, join, seqs }
}

describe('the hub', () => {
  it('writes once per tick, and shares the write among all who receive the same messages', () => {
    const { hub, receiver, join, seqs } = setUp()
    const [one, two, both, alsoBoth] = [receiver(), receiver(), receiver(), receiver()]
    join(one, 'ws_1', 'workspace')
    join(two, 'ws_2', 'tasks')
    for (const each of [both, alsoBoth]) {
      join(each, 'ws_1', 'workspace')
      join(each, 'ws_2', 'tasks')
    }
    for (let seq = 1; seq <= 3; seq++) hub.publish(event(seq))
    hub.publish(event(9, 'ws_2'))
    hub.flush()
    expect([seqs(one), seqs(two), seqs(both)]).toEqual([[[1, 2, 3]], [[9]], [[1, 2, 3, 9]]])
    expect(both.writes[0]).toBe(alsoBoth.writes[0])
    expect(both.writes[0]?.frames).toBe(alsoBoth.writes[0]?.frames)
  })

  it('sends a logSubscription only what is beyond its position, and nothing while it catches up', () => {
    const { hub, receiver, join, seqs } = setUp()
    const [behind, ahead, catching] = [receiver(), receiver(), receiver()]
    join(behind, 'ws_1', 'workspace')
    join(ahead, 'ws_1', 'workspace').position = 2
    const logSubscription = join(catching, 'ws_1', 'workspace')
    logSubscription.state = 'catching-up'
    for (let seq = 1; seq <= 3; seq++) hub.publish(event(seq))
    hub.flush()
    hub.publish(event(2))
    hub.flush()
    expect([seqs(behind), seqs(ahead), seqs(catching)]).toEqual([[[1, 2, 3]], [[3]], []])
    expect(logSubscription.seen).toBeGreaterThan(0)
  })

  it('sends an event that it cannot render as a gap, and nothing to logSubscriptions that have left', () => {
    const { hub, receiver, join } = setUp()
    const [stays, leaves] = [receiver(), receiver()]
    join(stays, 'ws_1', 'tasks')
    hub.leave(join(leaves, 'ws_1', 'tasks'))
    hub.publish(event(4, 'ws_1', 99))
    hub.flush()
    expect(stays.writes[0]?.texts).toEqual([
      '{"type":"gap","channel":"tasks","workspace_id":"ws_1","from":4,"to":4}',
    ])
    expect(leaves.writes).toEqual([])
  })

  it('sends an event of tasks of a later release as a gap, and leaves out its other events', () => {
    const { hub, receiver, join } = setUp()
    const to = receiver()
    join(to, 'ws_1', 'tasks')
    hub.publish(ofLaterRelease('invoice.new', 3))
    hub.publish(ofLaterRelease('task.archived', 4))
    hub.publish(event(5))
    hub.flush()
    expect(to.writes.flatMap(({ texts }) => texts.map((text) => JSON.parse(text) as object))).toEqual([
      { type: 'gap', channel: 'tasks', workspace_id: 'ws_1', from: 4, to: 4 },
      expect.objectContaining({ type: 'task.progress', seq: 5 }),
    ])
  })
})

describe('lines of logs', () => {
  const line = (message: string, workspaceId = 'ws_1') =>
    ({ workspaceId, taskId: 'task_1', at: 0, level: 'info', message }) as const

  it('go to live subscriptions of their workspace on each channel, after the events of the turn', () => {
    const { hub, receiver, join } = setUp()
    const [one, all, other, catching] = [receiver(), receiver(), receiver(), receiver()]
    join(one, 'ws_1', 'workspace')
    join(all, 'ws_1', 'tasks')
    join(other, 'ws_2', 'workspace')
    join(catching, 'ws_1', 'workspace').state = 'catching-up'
    hub.publishLine(line('begun'))
    hub.publish(event(1))
    hub.publishLine(line('read'))
    hub.flush()
    const read = ({ writes }: ReturnType<typeof receiver>) =>
      writes.flatMap(({ texts }) => texts.map((text) => JSON.parse(text) as Record<string, unknown>))
    const sent = { type: 'task.log', workspace_id: 'ws_1', task_id: 'task_1', level: 'info' }
    const timestamp = '1970-01-01T00:00:00.000Z'
    expect(read(one).slice(1)).toEqual(
      ['begun', 'read'].map((message) => ({ ...sent, channel: 'workspace.ws_1', message, timestamp })),
    )
    expect(read(one)[0]).toMatchObject({ type: 'task.progress', seq: 1 })
    expect(
      read(all)
        .slice(1)
        .map(({ channel }) => channel),
    ).toEqual(['tasks', 'tasks'])
    expect([read(other), read(catching)]).toEqual([[], []])
  })

  it('are cut to 1,000 characters, and to 1,000 in a turn', () => {
    const { hub, receiver, join } = setUp()
    const one = receiver()
    join(one, 'ws_1', 'workspace')
    hub.publishLine(line('𝒳'.repeat(1_200)))
    for (let n = 0; n < 1_500; n++) hub.publishLine(line('x'))
    hub.flush()
    const texts = one.writes.flatMap((write) => write.texts)
    expect(texts).toHaveLength(1_000)
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ message: '𝒳'.repeat(1_000) })
  })
})
