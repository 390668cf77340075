import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'
import { createLeaseSweep, createRunner, defineAgent } from '../agents/index.js'
import { parseNewTask } from '../board/index.js'
import { createEnvironment, createNewId, silentLogger, type Clock } from '../environment/index.js'
import { createNotifier } from '../events/index.js'
import { defaultScoring } from '../priority/index.js'
import { createRetentionSweep, defaultRetention } from './retention.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const AT = { now: null }
const ACTOR = { kind: 'user', id: 'u' } as const

const skews: [string, number][] = [
  ['an hour ahead of', HOUR_MS],
  ['an hour behind', -HOUR_MS],
]

/** A storage with its own clock, and the environment of a process whose clock is `aheadMs` ahead of it. */
async function setUp(aheadMs: number) {
  const clock = virtualClock()
  const storage = memoryStorage()
  const newId = createNewId(clock)
  storage.bind({ scoring: defaultScoring, newId, clock, logLimit: 10, outputLimit: 10, logger: silentLogger })
  const own: Clock = { ...clock, now: () => clock.now() + aheadMs }
  const environment = { ...createEnvironment({ clock: own, logger: silentLogger }), storageNow: () => null }
  const account = {
    name: 'a',
    tier: 'custom',
    workspaceName: 'w',
    agent: { name: 'a', type: 'bot' },
    owner: null,
  } as const
  const { workspace } = await storage.access.insertAccount(account, AT)
  const add = async (notBefore: number | null = null) => {
    const task = parseNewTask({ title: 't', notBefore }, workspace.id, 3)
    return (await storage.tasks.insertTask({ task, actor: ACTOR, idempotency: null }, AT)).value
  }
  const claim = async () => {
    const { tasks } = await storage.tasks.claimTasks(
      { target: { agentType: 'bot', leaseMs: MINUTE_MS }, limit: 1 },
      AT,
    )
    expect(tasks).toHaveLength(1)
  }
  return { clock, storage, environment, workspaceId: workspace.id, add, claim, start: clock.now() }
}

it.each(skews)(
  'a clock %s the storage’s starts a planned task when it is due, without constant polling',
  async (_, aheadMs) => {
    const { clock, storage, environment, add, start } = await setUp(aheadMs)
    const began: number[] = []
    let looks = 0
    const claimTasks: typeof storage.tasks.claimTasks = (...given) => {
      looks += 1
      return storage.tasks.claimTasks(...given)
    }
    await add(start + 10 * MINUTE_MS)
    const run = () => void began.push(clock.now() - start)
    const { tasks, agents, access, events } = { ...storage, tasks: { ...storage.tasks, claimTasks } }
    const runner = createRunner({
      environment,
      tasks,
      agents,
      access,
      events,
      boardFor: () => {
        throw new Error('no run asks for a board')
      },
      runtimes: [defineAgent({ type: 'bot', run })],
      longestOutageMs: DAY_MS,
      pollIntervalMs: DAY_MS,
    })
    runner.start()
    await clock.advance({ minutes: 9 })
    // One at its start, and one after each report that its agents are working.
    expect(looks).toBeLessThan(30)
    await clock.advance({ minutes: 2 })
    expect(began).toEqual([10 * MINUTE_MS])
    await runner.stop()
  },
)

it.each(skews)('a clock %s the storage’s ends leases when they expire', async (_, aheadMs) => {
  const { clock, storage, environment, add, claim, workspaceId } = await setUp(aheadMs)
  const { id } = await add()
  await claim()
  const sweep = createLeaseSweep({ environment, ...storage, pollIntervalMs: DAY_MS })
  sweep.start()
  await clock.advance({ ms: MINUTE_MS - 1 })
  const column = async () =>
    (await storage.tasks.getTask({ within: workspaceId, taskId: id, parts: ['task'] }, AT)).task.column
  expect(await column()).toBe('DOING')
  await clock.advance({ ms: 1 })
  expect(await column()).toBe('TODO')
  await sweep.stop()
})

it.each(skews)('a clock %s the storage’s does not move the retries of notifications', async (_, aheadMs) => {
  const { clock, storage, environment, add, workspaceId, start } = await setUp(aheadMs)
  await storage.notifications.setTarget({ workspaceId, channel: 'mail', settings: {} }, AT)
  const tries: number[] = []
  const send = () => {
    tries.push(clock.now() - start)
    return Promise.reject(new Error('no'))
  }
  const notifier = createNotifier({
    linkOf: () => null,
    environment,
    store: storage.notifications,
    channels: [{ name: 'mail', send }],
    pollIntervalMs: DAY_MS,
  })
  await add()
  notifier.start()
  await clock.advance({ seconds: 10 })
  expect(tries).toEqual([0, 1_000, 3_000, 7_000])
  await notifier.stop()
})

it.each(skews)(
  'a clock %s the storage’s keeps idempotency records for a day, and no longer',
  async (_, aheadMs) => {
    const { clock, storage, environment, workspaceId } = await setUp(aheadMs)
    const make = async (key: string) => {
      const task = parseNewTask({ title: key }, workspaceId, 3)
      return storage.tasks.insertTask(
        { task, actor: ACTOR, idempotency: { scope: 's', key, fingerprint: key } },
        AT,
      )
    }
    await make('old')
    await clock.advance({ hours: 1 })
    await make('young')
    await clock.advance({ ms: DAY_MS - HOUR_MS / 2 })
    const sweep = createRetentionSweep(environment, storage, defaultRetention)
    sweep.start()
    await clock.settle()
    await sweep.stop()
    expect([(await make('young')).replayed, (await make('old')).replayed]).toEqual([true, false])
    expect(await storage.prune({ rows: 'idempotency', olderThanMs: 0, limit: 10 }, { now: null })).toBe(1)
  },
)
