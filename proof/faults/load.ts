import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TaskboardClient } from '@taskboard/client'
import type { Randomness } from '../simulation/randomness.js'
import { createCaller, type CallerParts } from './api-caller.js'
import { HOUSE_TYPE, type Script } from './messages.js'

/** Something that goes on until it is stopped. */
export interface Running {
  /** Resolves when nothing of it is left. */
  stop(): Promise<void>
}

/** Calls `turn` again and again, one after another. A turn that throws is a fault of the harness, and ends the run. */
export function repeat(turn: () => Promise<unknown>, pauseMs: () => number): Running {
  const stopping = new AbortController()
  const { signal } = stopping
  const ended = (async () => {
    while (!signal.aborted) {
      await turn()
      await sleep(pauseMs(), undefined, { signal }).catch(() => undefined)
    }
  })()
  ended.catch(() => stopping.abort())
  return {
    async stop() {
      stopping.abort()
      await ended
    },
  }
}

const BATCH = 3
/** How many of its tasks a client still changes. */
const MOST_REMEMBERED = 200

function drawScript(draw: Randomness): Script {
  return {
    // Some outlast their lease, and need heartbeats.
    workMs: draw.chance(0.05) ? 2_500 : draw.below(80),
    failures: draw.chance(0.1) ? 1 : 0,
    logs: draw.chance(0.5),
    uses: draw.chance(0.3),
    asks: draw.chance(0.08),
    needsApproval: draw.chance(0.08),
    completes: draw.chance(0.3),
  }
}

interface OwnTask {
  readonly id: string
  value: number
}

/** A client that adds tasks and changes them. `isFull`: enough are waiting. */
export function startClient(name: string, parts: CallerParts, isFull: () => boolean): Running {
  const { draw, journal } = parts
  const caller = createCaller(parts)
  const own: OwnTask[] = []
  let made = 0

  async function create(): Promise<void> {
    const count = draw.chance(0.15) ? BATCH : 1
    const key = `${name}-${(made += 1)}`
    const tasks = Array.from({ length: count }, (_, n) => ({
      title: `${key} #${n}`,
      type: draw.pick([HOUSE_TYPE, 'remote', 'remote', null]),
      metadata: { script: JSON.stringify(drawScript(draw)) },
      ...(n === 0 ? {} : { depends_on: [n - 1] }),
    }))
    const send = async (client: TaskboardClient) => {
      const [only] = tasks
      if (count > 1 || only === undefined)
        return (await client.tasks.createMany({ tasks }, { idempotencyKey: key })).tasks
      const { depends_on: _, ...task } = only as typeof only & { depends_on?: unknown }
      return [await client.tasks.create(task, { idempotencyKey: key })]
    }
    journal.record({ kind: 'creating', key, count })
    for (let times = draw.chance(0.2) ? 2 : 1; times > 0; times -= 1) {
      const created = await caller.call('create', [], send)
      if (created === null) continue
      journal.record({ kind: 'created', key, taskIds: created.map(({ id }) => id) })
      if (count === 1) remember(created[0]?.id ?? '')
    }
  }

  function remember(id: string): void {
    if (own.some((task) => task.id === id)) return
    if (own.length < MOST_REMEMBERED) own.push({ id, value: 0 })
    else own[draw.below(MOST_REMEMBERED)] = { id, value: 0 }
  }

  /** One that makes no tasks. */
  async function schedule(): Promise<void> {
    const title = `${name}-schedule-${(made += 1)}`
    journal.record({ kind: 'scheduling', title })
    const scheduled = await caller.call('schedule', [], (client) =>
      client.schedules.create(
        { cron: '0 0 1 1 *', enabled: false, task: { title } },
        { idempotencyKey: title },
      ),
    )
    if (scheduled !== null) journal.record({ kind: 'scheduled', title })
  }

  async function update(task: OwnTask): Promise<void> {
    const value = (task.value += 1)
    const updated = await caller.call('update', [], (client) =>
      client.tasks.update(task.id, { description: `value ${value}` }),
    )
    const isAcknowledged = updated !== null
    journal.record({
      kind: 'updated',
      taskId: task.id,
      value,
      isAcknowledged,
      isCertain: caller.wasCertain(),
    })
  }

  async function cancel({ id: taskId }: OwnTask): Promise<void> {
    // A task that is done cannot be cancelled.
    const cancelled = await caller.call('cancel', ['CONFLICT'], (client) => client.tasks.cancel(taskId, {}))
    if (cancelled !== null) journal.record({ kind: 'cancelled', taskId })
  }

  async function comment({ id: taskId }: OwnTask): Promise<void> {
    const body = `${name}-says-${(made += 1)}`
    journal.record({ kind: 'commenting', taskId, body })
    const written = await caller.call('comment', [], (client) =>
      client.tasks.comment(taskId, { body }, { idempotencyKey: body }),
    )
    if (written !== null) journal.record({ kind: 'commented', taskId, body })
  }

  async function turn(): Promise<void> {
    const chance = draw.below(100)
    const task = own[draw.below(own.length)]
    if (task === undefined || (chance < 55 && !isFull())) return create()
    if (chance < 75) return update(task)
    if (chance < 87) return comment(task)
    if (chance < 95) return cancel(task)
    if (chance < 97) return schedule()
    await caller.call('list', [], (client) => client.tasks.list({ limit: 50 }))
  }

  const running = repeat(turn, () => 5 + draw.below(55))
  return {
    async stop() {
      await running.stop()
      caller.end()
    },
  }
}

interface People extends Running {
  /** From now on. Call it when nobody cancels tasks any more: a release would undo that. */
  releaseFailed(): void
}

/** People who answer what agents ask, and decide what they want to do. */
export function startPeople(parts: CallerParts): People {
  const { draw, journal } = parts
  const caller = createCaller(parts)
  let said = 0
  let isReleasing = false

  async function answer(taskId: string): Promise<void> {
    const body = `that-one-${(said += 1)}`
    journal.record({ kind: 'answering', taskId, body })
    const answered = await caller.call('answer', ['CONFLICT'], (client) =>
      client.tasks.answer(taskId, { body }, { idempotencyKey: body }),
    )
    if (answered !== null) journal.record({ kind: 'answered', taskId, body })
  }

  async function decide(approvalId: string): Promise<void> {
    const decision = draw.chance(0.8) ? 'approved' : 'rejected'
    journal.record({ kind: 'deciding', approvalId, decision })
    const decided = await caller.call('decide', ['CONFLICT'], (client) =>
      client.approvals.decide(approvalId, { decision }),
    )
    if (decided !== null) journal.record({ kind: 'decided', approvalId, decision })
  }

  async function turn(): Promise<void> {
    const asking = await caller.call('list', [], (client) => client.tasks.list({ hold: 'needs_input' }))
    for (const { id } of asking?.tasks ?? []) await answer(id)
    const pending = await caller.call('approvals', [], (client) =>
      client.approvals.list({ status: 'pending' }),
    )
    for (const { id } of pending?.approvals ?? []) await decide(id)
    if (isReleasing) await releaseFailed()
  }

  /** Seconds of work can lose their lease to a fault in each of the attempts that a task may have: then it waits for a person. */
  async function releaseFailed(): Promise<void> {
    const failed = await caller.call('failed', [], (client) => client.tasks.list({ hold: 'failed' }))
    for (const { id } of failed?.tasks ?? []) {
      await caller.call('release', ['CONFLICT'], (client) => client.tasks.release(id))
    }
  }

  const running = repeat(turn, () => 200)
  return {
    releaseFailed: () => (isReleasing = true),
    async stop() {
      await running.stop()
      caller.end()
    },
  }
}

const ASK_EVERY_MS = 150

/** Asks for more than a key may have, of both processes. */
export function startLimited(keyName: string, parts: CallerParts): Running {
  const { journal } = parts
  const caller = createCaller(parts)
  const running = repeat(
    async () => {
      const sentMs = performance.now()
      const list = await caller.call('limited list', ['RATE_LIMITED'], (client) =>
        client.board.todo({}, { retry: false }),
      )
      if (list !== null)
        journal.record({ kind: 'admitted', key: keyName, sentMs, answeredMs: performance.now() })
    },
    () => ASK_EVERY_MS,
  )
  return {
    async stop() {
      await running.stop()
      caller.end()
    },
  }
}
