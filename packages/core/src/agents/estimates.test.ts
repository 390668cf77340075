import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard, defineAgent, silentLogger, TaskboardError } from '../index.js'
import { toFetchHandler } from '../http/fetch-handler.js'
import { estimateCompletion } from './estimates.js'

const NOW = 1_000_000
const waiting = { column: 'TODO', startedAt: null, notBefore: null } as const
const known = { typicalMs: 60_000, ahead: 0, agents: 1, asOf: NOW }

describe('an estimate', () => {
  it('is a typical length from now for the first in the queue', () => {
    expect(estimateCompletion(waiting, known)).toBe(NOW + 60_000)
  })

  it('counts the rounds of earlier tasks, with the agents in parallel', () => {
    expect(estimateCompletion(waiting, { ...known, ahead: 5, agents: 2 })).toBe(NOW + 3 * 60_000)
    expect(estimateCompletion(waiting, { ...known, ahead: 6, agents: 2 })).toBe(NOW + 4 * 60_000)
  })

  it('begins when the task may', () => {
    expect(estimateCompletion({ ...waiting, notBefore: NOW + 5 }, known)).toBe(NOW + 60_005)
    expect(estimateCompletion({ ...waiting, notBefore: NOW - 5 }, known)).toBe(NOW + 60_000)
  })

  it('counts from the start of work in progress, and never lies in the past', () => {
    const doing = { ...waiting, column: 'DOING' } as const
    expect(estimateCompletion({ ...doing, startedAt: NOW - 10_000 }, known)).toBe(NOW + 50_000)
    expect(estimateCompletion({ ...doing, startedAt: NOW - 90_000 }, known)).toBe(NOW)
  })

  it('is null when nothing was ever completed', () => {
    expect(estimateCompletion(waiting, { ...known, typicalMs: null })).toBeNull()
  })
})

describe('estimates', () => {
  it('follow what the agent has done, and are null for tasks that wait for people or other tasks', async () => {
    const clock = virtualClock()
    const worker = defineAgent({
      type: 'worker',
      run: (_, { sleep }) => sleep(90_000),
    })
    const taskboard = createTaskboard({ storage: memoryStorage(), clock, agents: [worker] })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
    const board = taskboard.board(workspace.id)
    const { estimates } = taskboard.services
    const first = await board.add({ title: 'first' })
    expect(await estimates.forTasks([first])).toEqual([null])
    await taskboard.start()
    await clock.advance({ minutes: 10 })
    const now = clock.now()
    const done = await board.get(first.id)
    const doing = await board.add({ title: 'doing' })
    await clock.advance({ seconds: 30 })
    const next = await board.add({ title: 'next' })
    const held = await board.hold((await board.add({ title: 'held' })).id, { reason: 'approval' })
    const blocked = await board.add({ title: 'blocked', dependsOn: [next.id] })
    const all = [done, await board.get(doing.id), next, held, blocked]
    expect(await estimates.forTasks(all)).toEqual([
      done.completedAt,
      now + 90_000,
      clock.now() + 180_000,
      null,
      null,
    ])
    await taskboard.close()
  })

  it('are null with a warning when the storage fails, except in a transaction of the host', async () => {
    const storage = memoryStorage()
    const warnings: string[] = []
    const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) }
    const failed = new TaskboardError('SERVICE_UNAVAILABLE', 'the database cannot be reached')
    const agents = { ...storage.agents, readForecasts: () => Promise.reject(failed) }
    const taskboard = createTaskboard({ storage: { ...storage, agents }, logger })
    const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
    const task = await taskboard.board(workspace.id).add({ title: 'a task' })
    const { estimates } = taskboard.services
    expect(await estimates.forTasks([task])).toEqual([null])
    expect(warnings).toEqual(['could not estimate when tasks will be done'])
    const within = taskboard.transaction((tx) => estimates.forTasks([task], { tx }))
    await expect(within).rejects.toBe(failed)

    const { key } = await taskboard.accounts.createKey({
      accountId: account.id,
      name: 'a key',
      scopes: ['tasks:write'],
    })
    const created = await toFetchHandler(taskboard)(
      new Request('http://localhost/v2/tasks', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'committed' }),
      }),
    )
    expect(created.status).toBe(201)
    expect(await created.json()).toMatchObject({ title: 'committed', estimated_completion: null })
    await taskboard.close()
  })
})
