import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { memoryStorage } from '@taskboard/memory'
import { afterEach, describe, expect, it } from 'vitest'
import { cutAndResume } from '@taskboard/kit/realtime/cut-and-resume'
import { openSubscribed } from '@taskboard/kit/realtime/client'
import { serveRealtime, type RealtimeHost, type RealtimeHostOptions } from '../test/realtime-host.js'

const hosts: RealtimeHost[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function serve(options: RealtimeHostOptions = {}) {
  const storage = memoryStorage()
  const host = await serveRealtime({ storage, ...options })
  hosts.push(host)
  const seqsOf = async (workspaceId: string): Promise<number[]> => {
    const events = await storage.events.readEvents(
      { workspaceId, afterSeq: 0, limit: 1_000_000 },
      { now: null },
    )
    return events.filter(({ type }) => type.startsWith('task.')).map(({ seq }) => seq)
  }
  return { ...host, storage, seqsOf }
}

/** Numbers below a bound that are the same in each run. */
function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

describe('a client that is cut off and comes back', () => {
  it('misses nothing and sees nothing twice, over 200 cuts at random moments', async () => {
    const { taskboard, accountId, workspaceId, url, key, seqsOf } = await serve({
      bounds: { replayLimit: 1_000_000 },
    })
    const random = numbers(7)
    const workspaceIds = [workspaceId]
    const writer = { isOn: true }
    async function write(): Promise<void> {
      for (let n = 0; writer.isOn; n++) {
        if (n % 200 === 100) {
          workspaceIds.push((await taskboard.accounts.createWorkspace(accountId, { name: `${n}` })).id)
        }
        const board = taskboard.board(workspaceIds[random(workspaceIds.length)] ?? '')
        const { id } = await board.add({ title: `${n}` })
        if (random(2) === 0) await board.move(id, 'DONE')
        if (random(8) === 0) await taskboard.publish(workspaceId, 'order.new', { n })
        for (let turns = random(6); turns > 0; turns--) await yieldToEventLoop()
      }
    }
    let writing: Promise<void> | undefined
    let cutsLeft = 200
    const received = await cutAndResume({
      url,
      key,
      workspaceId,
      cuts: 200,
      random(bound) {
        writing ??= write()
        cutsLeft -= 1
        return random(bound)
      },
      async isComplete(so) {
        writer.isOn = false
        await writing
        for (const id of workspaceIds) {
          const last = (await seqsOf(id)).at(-1)
          if (so.get(`tasks ${id}`)?.at(-1) !== last) return false
        }
        return (
          so.get(`workspace.${workspaceId} ${workspaceId}`)?.at(-1) === (await seqsOf(workspaceId)).at(-1)
        )
      },
    })
    expect(cutsLeft).toBe(0)
    expect(workspaceIds.length).toBeGreaterThan(2)
    for (const id of workspaceIds) expect(received.get(`tasks ${id}`) ?? []).toEqual(await seqsOf(id))
    expect(received.get(`workspace.${workspaceId} ${workspaceId}`)).toEqual(await seqsOf(workspaceId))
    expect((await seqsOf(workspaceId)).length).toBeGreaterThan(200)
  })

  it('receives a gap where events were pruned, and the events that are left', async () => {
    const { taskboard, storage, workspaceId, url, key } = await serve()
    const board = taskboard.board(workspaceId)
    for (let n = 0; n < 5; n++) await board.add({ title: `${n}` })
    // Only events that analytics have counted are pruned.
    await storage.analytics.rollUp({ limit: 100 }, { now: null })
    await storage.prune({ rows: 'events', olderThanMs: 0, limit: 3 }, { now: Number.MAX_SAFE_INTEGER })
    const channel = `workspace.${workspaceId}`
    const client = await openSubscribed(url, key, [channel], { [channel]: 1 })
    await client.heard(({ seq, type }) => seq === 5 && type === 'task.created')
    const place = { channel, workspace_id: workspaceId }
    expect(client.messages.slice(1)).toMatchObject([
      { type: 'subscribed', channel, seq: 1 },
      { type: 'gap', ...place, from: 2, to: 3 },
      { type: 'task.created', ...place, seq: 4 },
      { type: 'task.created', ...place, seq: 5 },
    ])
    await storage.prune({ rows: 'events', olderThanMs: 0, limit: 3 }, { now: Number.MAX_SAFE_INTEGER })
    const late = await openSubscribed(url, key, [channel], { [channel]: 1 })
    await late.heard(({ type }) => type === 'gap')
    await board.add({ title: 'live' })
    await late.heard(({ seq }) => seq === 6)
    expect(late.messages.slice(2)).toMatchObject([{ type: 'gap', from: 2, to: 5 }, { seq: 6 }])
  })

  it('receives a gap for what lies further back than is replayed, over all workspaces together', async () => {
    const { taskboard, accountId, workspaceId, url, key } = await serve({ bounds: { replayLimit: 4 } })
    const second = (await taskboard.accounts.createWorkspace(accountId, { name: 'second' })).id
    const [early, late] = [workspaceId, second].toSorted() as [string, string]
    for (const id of [early, early, early, late, late, late]) await taskboard.board(id).add({ title: 'x' })
    const client = await openSubscribed(url, key, ['tasks'], { tasks: { [early]: 0 } })
    await client.heard(({ workspace_id: of, seq }) => of === late && seq === 3)
    expect(
      client.messages.slice(2).map(({ type, workspace_id: of, seq, to }) => [type, of, seq ?? to]),
    ).toEqual([
      ['task.created', early, 1],
      ['task.created', early, 2],
      ['task.created', early, 3],
      ['gap', late, 2],
      ['task.created', late, 3],
    ])
  })
})
