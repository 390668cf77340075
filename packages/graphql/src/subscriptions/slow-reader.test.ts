import { afterEach, describe, expect, it } from 'vitest'
import { bearer, connectClient, listen } from '@taskboard/kit/graphql/socket-client'
import { openSocketHost, type SocketHost } from '../../test/socket-host.js'

let host: SocketHost
afterEach(() => host.close())

const BUFFER_BYTES = 262_144
const READERS = 4
const MESSAGES = 500
const MESSAGE_BYTES = 20_000

const FOLLOW = /* GraphQL */ `
  subscription ($workspaceId: ID!) {
    workspaceEvents(workspaceId: $workspaceId) {
      __typename
      seq
      ... on TaskEvent {
        task {
          description
        }
      }
    }
  }
`

describe('a subscriber that never reads', () => {
  it('is closed at the cap, holds no growing memory, and delays no other client', async () => {
    host = await openSocketHost({ bounds: { bufferLimitBytes: BUFFER_BYTES } })
    const { taskboard, url, key, workspaceId, server } = host
    const serverSides: { readonly writableLength: number }[] = []
    server.on('connection', (socket) => serverSides.push(socket))
    const clients = Array.from({ length: READERS + 1 }, () => connectClient(url, bearer(key)))
    const subscriptions = []
    for (const client of clients) {
      const received = listen(client, FOLLOW, { workspaceId })
      await received.until(({ __typename }) => __typename === 'EventsBegin')
      subscriptions.push(received)
    }
    const reading = subscriptions.at(-1)
    for (const client of clients.slice(0, READERS)) client.socket().pause()

    const description = 'x'.repeat(MESSAGE_BYTES)
    let mostBuffered = 0
    for (let n = 1; n <= MESSAGES; n++) {
      await taskboard.board(workspaceId).add({ title: `${n}`, description })
      await reading?.until(({ seq }) => seq === n)
      const buffered = serverSides.slice(0, READERS).map(({ writableLength }) => writableLength)
      mostBuffered = Math.max(mostBuffered, ...buffered)
    }
    expect(MESSAGES * MESSAGE_BYTES).toBeGreaterThan(20 * BUFFER_BYTES)
    // Events wait, shared by all subscribers; only one answer at a time is built.
    expect(mostBuffered).toBeGreaterThan(MESSAGE_BYTES)
    expect(mostBuffered).toBeLessThan(3 * MESSAGE_BYTES)

    for (const client of clients.slice(0, READERS)) {
      client.socket().resume()
      expect((await client.closed).code).toBe(4410)
    }
    for (const client of clients) await client.dispose()
  })
})

describe('a subscriber that reads', () => {
  it('receives from each of many subscriptions, though the answers to one event exceed the cap', async () => {
    host = await openSocketHost()
    const { taskboard, url, key, workspaceId } = host
    const board = taskboard.board(workspaceId)
    const { id } = await board.add({ title: 'long', description: 'x'.repeat(MESSAGE_BYTES) })
    const long = Array.from({ length: 10 }, (_, n) => `d${n}: description`).join(' ')
    const follow = `subscription ($id: ID!) { workspaceEvents(workspaceId: $id) { __typename seq ... on TaskEvent { task { ${long} } } } }`
    const client = connectClient(url, bearer(key))
    const all = Array.from({ length: 80 }, () => listen(client, follow, { id: workspaceId }))
    for (const received of all) await received.until(({ __typename }) => __typename === 'EventsBegin')
    await board.move(id, 'DONE')
    for (const received of all) await received.until(({ seq }) => seq > 1)
    expect(all.map(({ results }) => results.some(({ errors }) => errors))).not.toContain(true)
    await client.dispose()
  })

  it('still receives events after it completes subscriptions whose answers wait for others', async () => {
    host = await openSocketHost()
    const { taskboard, url, key, workspaceId } = host
    const client = connectClient(url, bearer(key))
    const all = Array.from({ length: 20 }, () => listen(client, FOLLOW, { workspaceId }))
    for (const received of all) await received.until(({ __typename }) => __typename === 'EventsBegin')
    const add = (title: string) => taskboard.board(workspaceId).add({ title })
    await add('first')
    const last = all.pop()
    for (const received of all) received.stop()
    await add('second')
    await last?.until(({ seq }) => seq === 2)
    expect(last?.events.map(({ seq }) => seq)).toEqual([0, 1, 2])
    await client.dispose()
  })
})
