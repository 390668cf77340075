import type { Duplex } from 'node:stream'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { memoryStorage } from '@taskboard/memory'
import { createClient } from 'graphql-ws'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { bearer, WORKSPACE_EVENTS, type ToldEvent } from '@taskboard/kit/graphql/socket-client'
import { cutAndResume } from '../../test/cut-and-resubscribe.js'
import { openSocketHost, type SocketHost } from '../../test/socket-host.js'

let host: SocketHost
afterEach(() => host.close())

const CUTS = 50

/** Numbers below a bound that are the same in each run. */
function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

describe('a client that is cut off and resumes with since', () => {
  it('receives all events, in order and once, over fifty cuts at random moments', async () => {
    const storage = memoryStorage()
    host = await openSocketHost({
      storage,
      bounds: { replayLimit: 1_000_000 },
      tiers: { professional: { requestsPerHour: null, burstPerMinute: null, webSocketConnections: null } },
    })
    const { taskboard, accountId, workspaceId, url, key } = host
    const random = numbers(11)
    const workspaceIds = [workspaceId]
    const writer = { isOn: true }
    async function write(): Promise<void> {
      for (let n = 0; writer.isOn; n++) {
        if (n % 100 === 50) {
          workspaceIds.push((await taskboard.accounts.createWorkspace(accountId, { name: `${n}` })).id)
        }
        const board = taskboard.board(workspaceIds[random(workspaceIds.length)] ?? '')
        const { id } = await board.add({ title: `${n}` })
        if (random(2) === 0) await board.move(id, 'DONE')
        for (let turns = random(10); turns > 0; turns--) await yieldToEventLoop()
      }
    }
    const seqsOf = async (id: string): Promise<number[]> =>
      (
        await storage.events.readEvents({ workspaceId: id, afterSeq: 0, limit: 1_000_000 }, { now: null })
      ).map(({ seq }) => seq)

    let writing: Promise<void> | undefined
    const received = await cutAndResume({
      url,
      key,
      workspaceId,
      cuts: CUTS,
      random(bound) {
        writing ??= write()
        return random(bound)
      },
      async isComplete(so) {
        writer.isOn = false
        await writing
        for (const id of workspaceIds) {
          if (so.get(`taskEvents ${id}`)?.at(-1) !== (await seqsOf(id)).at(-1)) return false
        }
        const last = (await seqsOf(workspaceId)).at(-1)
        return so.get(`workspaceEvents ${workspaceId}`)?.at(-1) === last
      },
    })
    expect(workspaceIds.length).toBeGreaterThan(2)
    for (const id of workspaceIds) expect(received.get(`taskEvents ${id}`) ?? []).toEqual(await seqsOf(id))
    expect(received.get(`workspaceEvents ${workspaceId}`)).toEqual(await seqsOf(workspaceId))
    expect((await seqsOf(workspaceId)).length).toBeGreaterThan(CUTS)
  })

  it('may leave reconnecting to the library, when it keeps since in its variables', async () => {
    host = await openSocketHost()
    const { taskboard, workspaceId, url, key, server } = host
    const sockets = new Set<Duplex>()
    server.on('connection', (socket: Duplex) => sockets.add(socket))
    const client = createClient({
      url,
      webSocketImpl: WebSocket,
      connectionParams: bearer(key),
      retryAttempts: Infinity,
      retryWait: () => yieldToEventLoop(),
    })
    const variables: Record<string, unknown> = { workspaceId }
    const seqs: number[] = []
    const board = taskboard.board(workspaceId)
    const stop = client.subscribe<{ workspaceEvents: ToldEvent }>(
      { query: WORKSPACE_EVENTS, variables },
      {
        next({ data }) {
          const { __typename: type, seq } = data?.workspaceEvents ?? { seq: -1 }
          variables['since'] = seq
          if (type === 'TaskEvent') seqs.push(seq)
        },
        error: (error) => expect.fail(String(error)),
        complete: () => undefined,
      },
    )
    await expect.poll(() => variables['since']).toBe(0)
    for (let cut = 1; cut <= 10; cut++) {
      const adding = Array.from({ length: 3 }, (_, n) => board.add({ title: `${cut} ${n}` }))
      for (let turns = cut; turns > 0; turns--) await yieldToEventLoop()
      for (const socket of sockets) socket.destroy()
      await Promise.all(adding)
      await expect.poll(() => sockets.size).toBeGreaterThan(cut)
    }
    await expect.poll(() => seqs.length).toBeGreaterThanOrEqual(30)
    expect(seqs).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
    stop()
    await client.dispose()
  })
})
