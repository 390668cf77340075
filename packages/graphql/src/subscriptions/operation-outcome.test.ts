import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { bearer } from '@taskboard/kit/graphql/socket-client'
import { openSocketHost, type SocketHost } from '../../test/socket-host.js'

let host: SocketHost
let socket: WebSocket
afterEach(async () => {
  socket.terminate()
  await host.close()
})

interface Message {
  readonly type: string
  readonly id?: string
  readonly payload?: { readonly data?: { readonly event?: { readonly seq: number } } }
}

/** A client that sends any messages, all at once. */
async function connect() {
  host = await openSocketHost()
  socket = new WebSocket(host.url, 'graphql-transport-ws')
  const received: Message[] = []
  let wake = (): void => undefined
  socket.on('message', (data: Buffer) => {
    received.push(JSON.parse(data.toString()) as Message)
    wake()
  })
  await once(socket, 'open')
  const say = (...messages: readonly object[]): void => {
    for (const message of messages) socket.send(JSON.stringify(message))
  }
  const until = async (isSo: (message: Message) => boolean): Promise<void> => {
    while (!received.some(isSo)) await new Promise<void>((resolve) => (wake = resolve))
  }
  say({ type: 'connection_init', payload: bearer(host.key) })
  await until(({ type }) => type === 'connection_ack')
  let asked = 0
  /** What the operations of an id received, once the server has handled all earlier messages. */
  const toldOf = async (id: string) => {
    const last = `last ${++asked}`
    say({ id: last, type: 'subscribe', payload: { query: '{ __typename }' } })
    await until((message) => message.id === last && message.type === 'complete')
    return received
      .filter((message) => message.id === id)
      .map(({ type, payload }) => payload?.data?.event?.seq ?? type)
  }
  return { say, until, toldOf }
}

function follow(id: string): object {
  const query =
    'subscription ($workspaceId: ID!) { event: workspaceEvents(workspaceId: $workspaceId) { seq } }'
  return { id, type: 'subscribe', payload: { query, variables: { workspaceId: host.workspaceId } } }
}

const complete = (id: string): object => ({ id, type: 'complete' })
const isSeq =
  (seq: number) =>
  ({ payload }: Message): boolean =>
    payload?.data?.event?.seq === seq

describe('a reused id', () => {
  it('belongs to the last operation, when the earlier ones were completed before they began', async () => {
    const { say, until, toldOf } = await connect()
    say(follow('1'), complete('1'), follow('1'), complete('1'), follow('1'))
    await until(isSeq(0))
    await host.taskboard.board(host.workspaceId).add({ title: 'first' })
    await host.taskboard.board(host.workspaceId).add({ title: 'second' })
    await until(isSeq(2))
    say(complete('1'))
    await toldOf('1')
    await host.taskboard.board(host.workspaceId).add({ title: 'third' })
    expect(await toldOf('1')).toEqual([0, 1, 2])
  })

  it('belongs to the later operation, when the earlier has already sent a result', async () => {
    const { say, until, toldOf } = await connect()
    say(follow('1'))
    await until(isSeq(0))
    await host.taskboard.board(host.workspaceId).add({ title: 'first' })
    await until(isSeq(1))
    say(complete('1'), follow('1'))
    await toldOf('1')
    await host.taskboard.board(host.workspaceId).add({ title: 'second' })
    await until(isSeq(2))
    say(complete('1'))
    await toldOf('1')
    await host.taskboard.board(host.workspaceId).add({ title: 'third' })
    expect(await toldOf('1')).toEqual([0, 1, 1, 2])
  })
})
