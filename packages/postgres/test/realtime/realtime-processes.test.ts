import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { attachRealtime } from '@taskboard/ws'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { bearer, connectClient, listen, WORKSPACE_EVENTS } from '@taskboard/kit/graphql/socket-client'
import { cutAndResume } from '@taskboard/kit/realtime/cut-and-resume'
import { openAuthenticated, openSubscribed } from '@taskboard/kit/realtime/client'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

const ADDED = 150
const CUTS = 25

let board: SharedBoard
const children: ChildProcess[] = []
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await ended
  }
  await board.database.drop()
})

/** Starts a process; resolves to the address of its channel. */
async function startProcess(): Promise<{ child: ChildProcess; url: string }> {
  const { database, workspaceId } = board
  const program = fileURLToPath(new URL('realtime-process.js', inject('programs')))
  const child = fork(program, [JSON.stringify({ databaseUrl: database.url, workspaceId })], { execArgv: [] })
  children.push(child)
  const [url] = (await once(child, 'message')) as [string]
  return { child, url }
}

async function createKey(): Promise<string> {
  const { accountId, taskboard } = board
  return (await taskboard.accounts.createKey({ accountId, name: 'k', scopes: ['tasks:read'] })).key
}

describe('the realtime channel across processes', () => {
  it('sends all messages of a channel in order on both, whichever process caused them', async () => {
    const { workspaceId, taskboard } = board
    const processes = await Promise.all([startProcess(), startProcess()])
    const key = await createKey()
    const channel = `workspace.${workspaceId}`
    const clients = await Promise.all(processes.map(({ url }) => openSubscribed(url, key, [channel])))
    const heard = clients.map((client) => client.heard(({ seq }) => seq === 2 * ADDED + 1))
    const added = processes.map(({ child }) => once(child, 'message'))
    for (const { child } of processes) child.send(ADDED)
    await Promise.all(added)
    await taskboard.board(workspaceId).add({ title: 'the last one' })
    await Promise.all(heard)
    const expected = Array.from({ length: 2 * ADDED + 1 }, (_, n) => n + 1)
    for (const { messages } of clients) expect(messages.slice(2).map(({ seq }) => seq)).toEqual(expected)
    clients.forEach((client) => client.cut())
  })

  it('sends GraphQL subscribers all changes of other processes in order', async () => {
    const { workspaceId, taskboard } = board
    const [serving, writing] = await Promise.all([startProcess(), startProcess()])
    const client = connectClient(serving.url.replace('realtime', 'graphql'), bearer(await createKey()))
    const subscription = listen(client, WORKSPACE_EVENTS, { workspaceId })
    await subscription.until(({ __typename }) => __typename === 'EventsBegin')
    const added = once(writing.child, 'message')
    writing.child.send(ADDED)
    await added
    const { id } = await taskboard.board(workspaceId).add({ title: 'the last one' })
    const last = await subscription.until(({ seq }) => seq === ADDED + 1)
    expect(last).toMatchObject({ type: 'TASK_CREATED', taskId: id, task: { id, title: 'the last one' } })
    const expected = Array.from({ length: ADDED + 2 }, (_, n) => n)
    expect(subscription.events.map(({ seq }) => seq)).toEqual(expected)
    await client.dispose()
  })

  it('frees the slots of a killed process when its lease ends, and not before', async () => {
    const [killed, other] = await Promise.all([startProcess(), startProcess()])
    const key = await createKey()
    const held = await Promise.all(Array.from({ length: 25 }, () => openAuthenticated(killed.url, key)))
    expect(held.map(({ messages }) => messages[0]?.type)).toEqual(held.map(() => 'auth.ok'))
    const refused = await openAuthenticated(other.url, key)
    expect((await refused.closed).code).toBe(4429)

    const gone = once(killed.child, 'exit')
    killed.child.kill('SIGKILL')
    await gone
    const stillFull = await openAuthenticated(other.url, key)
    expect((await stillFull.closed).code).toBe(4429)
    // Ends the lease of thirty seconds at once.
    await board.rows(`update taskboard.realtime_holder h set expires_at = expires_at - 30000
      where exists (select from taskboard.realtime_slot s where s.holder_id = h.id)`)
    const admitted = await Promise.all(Array.from({ length: 26 }, () => openAuthenticated(other.url, key)))
    const isAdmitted = admitted.filter(({ messages }) => messages[0]?.type === 'auth.ok')
    expect(isAdmitted).toHaveLength(25)
    admitted.forEach((client) => client.cut())
  })

  it('resumes without gaps or duplicates after cuts, while another process writes', async () => {
    const { taskboard, workspaceId, rows } = board
    const { child } = await startProcess()
    const server = createServer()
    attachRealtime(server, taskboard)
    await taskboard.start()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v2/realtime`
    const seqsOf = async (): Promise<readonly number[]> =>
      (
        await rows<{ seq: number }>(`select seq::float8 as seq from taskboard.event
          where type like 'task.%' order by seq`)
      ).map(({ seq }) => seq)
    const writer = { isOn: true }
    let writing: Promise<void> | undefined
    async function write(): Promise<void> {
      while (writer.isOn) {
        const added = once(child, 'message')
        child.send(5)
        await taskboard.board(workspaceId).add({ title: 'here' })
        await added
      }
    }
    let state = 3
    const received = await cutAndResume({
      url,
      key: await createKey(),
      workspaceId,
      cuts: CUTS,
      random(bound) {
        writing ??= write()
        state = (state * 16_807) % 2_147_483_647
        return state % (bound * 10)
      },
      async isComplete(so) {
        // However slow the writers are compared to the cuts.
        if ((await seqsOf()).length <= CUTS) return false
        writer.isOn = false
        await writing
        await sleep(20)
        const last = (await seqsOf()).at(-1)
        return [...so.values()].filter((list) => list.at(-1) === last).length === 2
      },
    })
    const expected = await seqsOf()
    expect(expected.length).toBeGreaterThan(CUTS)
    expect(received.get(`tasks ${workspaceId}`)).toEqual(expected)
    expect(received.get(`workspace.${workspaceId} ${workspaceId}`)).toEqual(expected)
    await taskboard.close()
    server.close()
  })
})
