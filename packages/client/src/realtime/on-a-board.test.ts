import { randomBytes } from 'node:crypto'
import type { WebhookEventType, WebhookPayload } from '@taskboard/core'
import type { realtimeEventTypes } from '@taskboard/core/transport'
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { WebSocket } from 'ws'
import { serveBoard } from '@taskboard/kit/hosts/board-host'
import { createClient, type RealtimeEventData, type RealtimeMessage } from '../index.js'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function serve(options: Parameters<typeof serveBoard>[0] = {}) {
  const host = await serveBoard(options)
  cleanUps.push(host.close)
  const realtime = { firstDelayMs: 5, longestDelayMs: 10 }
  const client = createClient({ baseUrl: host.url, key: host.key, WebSocket, realtime })
  return { ...host, client, channel: `workspace.${host.workspaceId}` }
}

type DataOf<T extends keyof RealtimeEventData> = WebhookPayload<T>['data']

describe('client.realtime', () => {
  it('has the types of the payloads of core', () => {
    expectTypeOf<{ [T in keyof RealtimeEventData]: RealtimeEventData[T] }>().toExtend<{
      [T in keyof RealtimeEventData]: Readonly<DataOf<T>> extends infer Data ? ReadonlyLists<Data> : never
    }>()
    expectTypeOf<{ [T in keyof RealtimeEventData]: DataOf<T> }>().toExtend<RealtimeEventData>()
    expectTypeOf<keyof RealtimeEventData>().toEqualTypeOf<
      (typeof realtimeEventTypes)[number] & WebhookEventType
    >()
  })

  it('follows a task, its log and its agent from the present on', async () => {
    const { client, channel, board } = await serve()
    await board.add({ title: 'before' })
    const messages = client.realtime.subscribe([channel, 'tasks'])
    const first = [await messages.next(), await messages.next()].map(({ value }) => value)
    expect(first).toMatchObject([
      { type: 'subscribed', channel, seq: 1, resumed: false },
      { type: 'subscribed', channel: 'tasks', resumed: false },
    ])
    const { id } = await client.tasks.create({ title: 'Plan' })
    const events: RealtimeMessage[] = []
    for await (const message of messages) {
      events.push(message)
      if (events.length === 2) break
    }
    expect(events).toMatchObject([
      { type: 'task.created', data: { task_id: id, title: 'Plan' } },
      { type: 'task.created', data: { task_id: id, title: 'Plan' } },
    ])
    expect(await messages.next()).toEqual({ done: true, value: undefined })
  })

  it('yields a gap for what is no longer available, and resumes after it', async () => {
    const { client, channel, board, workspaceId } = await serve({ bounds: { replayLimit: 2 } })
    for (let n = 1; n <= 5; n++) await board.add({ title: `${n}` })
    const messages = client.realtime.subscribe(channel, { since: { [channel]: 1 } })
    const found: unknown[] = []
    for await (const message of messages) {
      found.push(message)
      if (found.length === 4) break
    }
    expect(found).toMatchObject([
      { type: 'subscribed', seq: 1, resumed: true },
      { type: 'gap', channel, workspace_id: workspaceId, from: 2, to: 3 },
      { type: 'task.created', seq: 4 },
      { type: 'task.created', seq: 5 },
    ])
  })

  it('begins with the present when its place is ahead of the log', async () => {
    const { client, channel, board } = await serve()
    await board.add({ title: 'restored' })
    const messages = client.realtime.subscribe(channel, { since: { [channel]: 7 } })
    expect((await messages.next()).value).toMatchObject({ type: 'subscribed', seq: 1, resumed: false })
    await messages.return()
  })

  it('rejects for a workspace out of reach, and the other subscriptions go on', async () => {
    const { client, channel } = await serve()
    const wrong = 'workspace.ws_00000000000000000000000000'
    const other = client.realtime.subscribe(channel)
    await other.next()
    const messages = client.realtime.subscribe(wrong)
    await expect(messages.next()).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      channel: wrong,
      closeCode: null,
    })
    await client.tasks.create({ title: 'heard' })
    expect((await other.next()).value).toMatchObject({ data: { title: 'heard' } })
    await other.return()
  })

  it('stays connected over the ends of its access tokens', async () => {
    const owner = { email: 'ada@acme.example', password: 'correct horse battery' }
    const host = await serveBoard({ tokens: { secret: randomBytes(32), accessTokenTtlMs: 2_000 } })
    cleanUps.push(host.close)
    const { workspace } = await host.taskboard.accounts.create({ name: 'A', tier: 'professional', owner })
    const client = createClient({ baseUrl: host.url, login: owner, WebSocket })
    const states: string[] = []
    const channel = `workspace.${workspace.id}`
    const messages = client.realtime.subscribe(channel, {
      onState: (state, reason) => states.push(reason?.message ?? state),
    })
    await messages.next()
    const endsAt = Date.now() + 3_300
    for (let n = 0; Date.now() < endsAt; n++) {
      await host.taskboard.board(workspace.id).add({ title: `${n}` })
      expect((await messages.next()).value).toMatchObject({ type: 'task.created', data: { title: `${n}` } })
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await messages.return()
    expect(states).toEqual(['connecting', 'open', 'closed'])
  })

  it('ends when its key is revoked', async () => {
    const { channel, taskboard, accountId, createKey, url } = await serve()
    const other = await createKey(['tasks:read'])
    const revoked = createClient({ baseUrl: url, key: other.key, WebSocket }).realtime.subscribe(channel)
    await revoked.next()
    await taskboard.accounts.revokeKey(accountId, other.id)
    await expect(revoked.next()).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED', closeCode: 4401 })
  })
})

/** Lists and objects as they are declared here. */
type ReadonlyLists<T> = T extends readonly (infer Entry)[]
  ? readonly ReadonlyLists<Entry>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadonlyLists<T[K]> }
    : T
