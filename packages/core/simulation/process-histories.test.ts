import { createTaskboard, defineAgent, TaskboardError, type Storage, type Taskboard } from '@taskboard/core'
import type { LoggedEvent, Sender } from '@taskboard/core/storage'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock, type VirtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { seededDice, type Dice } from './dice.js'

const HISTORIES = 60
const TASKS = 25

/** A storage as a process sees it that can be cut off from it at any instant, in the middle of whatever it does. */
function cuttable(storage: Storage): { storage: Storage; cut(): void } {
  let isCut = false
  const guard = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name)
        if (typeof value === 'object' && value !== null) return guard(value)
        if (typeof value !== 'function') return value
        return (...args: unknown[]): unknown => {
          if (isCut && name !== 'close') {
            return Promise.reject(new TaskboardError('SERVICE_UNAVAILABLE', 'the process is dead'))
          }
          return Reflect.apply(value, object, args)
        }
      },
    })
  return { storage: guard(storage), cut: () => void (isCut = true) }
}

/** Receivers that fail half of the time, and remember what they got. */
function unreliableSender(dice: Dice, received: Map<string, Set<string>>): Sender {
  return {
    async send({ headers, body }) {
      const id =
        Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-service-delivery')?.[1] ?? ''
      received.set(id, (received.get(id) ?? new Set()).add(Buffer.from(body).toString()))
      return { kind: 'answered', status: dice.chance(0.5) ? 204 : dice.pick([400, 500, 503]), excerpt: '' }
    },
    close: () => Promise.resolve(),
  }
}

interface Process {
  readonly taskboard: Taskboard
  /** Cuts it off from the storage first, so that nothing it still does comes to anything. Resolves when it is silent. */
  kill(): Promise<void>
}

interface History {
  readonly clock: VirtualClock
  readonly storage: Storage
  readonly dice: Dice
  readonly received: Map<string, Set<string>>
  /** Runs that returned a result, by task. */
  readonly finished: Map<string, number>
}

function startProcess(history: History): Process {
  const { clock, dice } = history
  const { storage, cut } = cuttable(history.storage)
  let dead = false
  const agent = defineAgent({
    type: 'worker',
    concurrency: 3,
    async run(task, { progress, signal }) {
      for (let step = 0; step < dice.below(4); step++) {
        await clock.sleep(dice.below(90_000), signal)
        await progress(step * 20)
        if (dice.chance(0.15)) throw new Error('a fault of the agent')
      }
      if (!dead && !signal.aborted) history.finished.set(task.id, (history.finished.get(task.id) ?? 0) + 1)
      return `result of ${task.title}`
    },
  })
  const webhooks = { sender: unreliableSender(dice, history.received) }
  const secrets = { encryptionKey: '07'.repeat(32) }
  const taskboard = createTaskboard({
    logger: false,
    storage,
    clock,
    agents: [agent],
    webhooks,
    secrets,
    attempts: { max: 4 },
  })
  return {
    taskboard,
    kill() {
      dead = true
      cut()
      return taskboard.close({ drainTimeoutMs: 0 })
    },
  }
}

async function runHistory(seed: number): Promise<History & { workspaceId: string }> {
  const dice = seededDice(seed)
  const clock = virtualClock(Date.UTC(2026, 0, 1), { patienceMs: 20 })
  const history: History = { clock, storage: memoryStorage(), dice, received: new Map(), finished: new Map() }
  const survivor = startProcess(history)
  const { workspace } = await survivor.taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  await survivor.taskboard.webhooks.register(workspace.id, {
    url: 'https://example.com/hook',
    events: ['task.created', 'task.started', 'task.completed', 'task.failed', 'task.moved'],
    secret: 'correct horse battery staple',
  })
  const board = survivor.taskboard.board(workspace.id)
  const victims = [startProcess(history), startProcess(history)]
  for (const { taskboard } of [survivor, ...victims]) await taskboard.start()
  const ids: string[] = []
  const ended: (Promise<void> | undefined)[] = []
  for (let i = 0; i < TASKS; i++) {
    const dependsOn = ids.length > 0 && dice.chance(0.3) ? [dice.pick(ids)] : []
    ids.push((await board.add({ title: `task ${i}`, dependsOn })).id)
    if (dice.chance(0.4)) await clock.advance(dice.below(60_000))
    if (i === 8 || i === 16) ended.push(victims[i / 8 - 1]?.kill())
  }
  await clock.advance({ hours: 30 })
  await Promise.all([survivor.taskboard.close({ drainTimeoutMs: 0 }), ...ended])
  return { ...history, workspaceId: workspace.id }
}

/** What the histories came to, so that a run in which nothing went wrong does not pass for one that was survived. */
interface Tally {
  expired: number
  retried: number
  undelivered: number
}

async function check(
  tally: Tally,
  { storage, clock, received, finished, workspaceId }: History & { workspaceId: string },
) {
  const at = { now: clock.now() }
  const all = (column: 'TODO' | 'DOING' | 'DONE') =>
    storage.tasks.listTasks({ workspaceId, column, limit: 1_000, after: null }, at).then((page) => page.tasks)
  const [todo, doing, done] = [await all('TODO'), await all('DOING'), await all('DONE')]
  expect(doing).toEqual([])
  expect(todo.every((task) => task.hold?.reason === 'failed' || task.openDependencies > 0)).toBe(true)
  expect(todo.length + done.length).toBe(TASKS)
  for (const task of done) {
    const { attempts } = await storage.tasks.getTask(
      { within: workspaceId, taskId: task.id, parts: ['attempts'] },
      at,
    )
    expect(attempts.filter((attempt) => attempt.outcome === 'completed')).toHaveLength(1)
    expect(attempts.every((attempt) => attempt.endedAt !== null)).toBe(true)
    tally.expired += attempts.filter((attempt) => attempt.outcome === 'expired').length
    tally.retried += attempts.filter((attempt) => attempt.outcome === 'retried').length
    expect(finished.get(task.id)).toBeGreaterThanOrEqual(1)
  }
  const events = await storage.events.readEvents({ workspaceId, afterSeq: 0, limit: 100_000 }, { now: null })
  tally.undelivered += await checkDeliveries(storage, workspaceId, events, received, at.now)
}

async function checkDeliveries(
  storage: Storage,
  workspaceId: string,
  events: readonly LoggedEvent[],
  received: History['received'],
  now: number,
) {
  const [webhook] = await storage.webhooks.listWebhooks({ within: workspaceId }, { now })
  const query = { workspaceId, webhookId: webhook?.id ?? '', status: null, limit: 10_000, afterId: null }
  const deliveries = await storage.webhooks.listDeliveries(query, { now })
  const delivered = events.filter((event) => event.type.startsWith('task.') && event.type !== 'task.progress')
  expect(deliveries).toHaveLength(delivered.length)
  expect(deliveries.filter((delivery) => delivery.status === 'pending')).toEqual([])
  for (const delivery of deliveries) expect(received.get(delivery.id)?.size).toBe(1)
  return deliveries.filter((delivery) => delivery.status === 'failed').length
}

describe(`${HISTORIES} random histories of three processes, two of which die`, () => {
  it(
    'lose no task, finish none twice, and deliver every event or list it as failed',
    { timeout: 120_000 },
    async () => {
      const tally: Tally = { expired: 0, retried: 0, undelivered: 0 }
      for (let seed = 1; seed <= HISTORIES; seed++) await check(tally, await runHistory(seed))
      for (const count of Object.values(tally)) expect(count).toBeGreaterThan(HISTORIES / 2)
    },
  )
})
