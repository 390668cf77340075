import { describe, expect, it } from 'vitest'
import { agentsWorld, newGate } from '../../test/agents-world.js'
import type { Task } from '../index.js'

type World = Awaited<ReturnType<typeof agentsWorld>>
const PERSON = { actor: { kind: 'user', id: 'user_1' } } as const

const takings: readonly (readonly [string, (world: World, task: Task) => Promise<unknown>])[] = [
  ['cancels', ({ board }, { id }) => board.cancel(id, PERSON)],
  ['holds', ({ board }, { id }) => board.hold(id, { reason: 'approval' }, PERSON)],
  ['moves to TODO', ({ board }, { id }) => board.move(id, 'TODO', PERSON)],
  ['moves to DONE', ({ board }, { id }) => board.move(id, 'DONE', PERSON)],
  ['deletes', ({ board }, { id }) => board.delete(id)],
  [
    'assigns to another agent',
    async ({ storage, board, workspaceId }, { id }) => {
      const other = { workspaceId, name: 'other', type: 'other' }
      const { value } = await storage.agents.insertAgent({ agent: other, idempotency: null }, { now: null })
      return board.update(id, { assignedTo: value.id }, PERSON)
    },
  ],
  [
    'cancels within a transaction',
    ({ storage, board }, { id }) => storage.transaction((tx) => board.cancel(id, { ...PERSON, tx })),
  ],
]

/** A runner with one slot, taken by a run that obeys its signal or, with the gate, does not. */
async function busyWorld(obeysSignal: boolean) {
  const gate = newGate()
  const reasons: unknown[] = []
  const began: string[] = []
  const world = await agentsWorld({
    agents: [
      {
        type: 'bot',
        async run({ title, fencingToken }, { sleep, signal }) {
          began.push(title)
          if (title !== 'taken') return 'done'
          signal.addEventListener('abort', () => reasons.push(signal.reason))
          await (obeysSignal ? sleep(3_600_000) : gate.promise)
          return `dropped ${fencingToken}`
        },
      },
    ],
  })
  const task = await world.add({ title: 'taken' })
  const runner = world.newRunner()
  runner.start()
  await world.clock.settle()
  return { ...world, gate, reasons, began, task, runner }
}

describe('a task that a person takes away from its run', () => {
  it.each(takings)('by one who %s: the signal aborts at once, and the slot is free', async (name, take) => {
    for (const obeysSignal of [true, false]) {
      const world = await busyWorld(obeysSignal)
      const { clock, task, runner, began, reasons } = world
      const start = clock.now()
      await take(world, task)
      await clock.settle()
      expect(reasons).toEqual([expect.objectContaining({ code: 'CONFLICT' })])
      await world.add({ title: 'urgent', priority: 'urgent' })
      await clock.settle()
      // A task that was moved to TODO is claimed again.
      expect(began[1]).toBe(name === 'moves to TODO' ? 'taken' : 'urgent')
      expect(clock.now()).toBe(start)
      world.gate.open()
      await clock.settle()
      const done = (await world.eventsOf('task.completed')).map(({ data }) => 'result' in data && data.result)
      expect(done).not.toContain('dropped 1')
      await runner.stop()
    }
  })

  it('lets a waiting task begin at once, and reports the status of the agent', async () => {
    const world = await busyWorld(false)
    await world.add({ title: 'urgent', priority: 'urgent' })
    const begin = (await world.eventTypes()).length
    await world.board.cancel(world.task.id, PERSON)
    await world.clock.settle()
    expect(world.began).toEqual(['taken', 'urgent'])
    const events = await world.storage.events.readEvents(
      { workspaceId: world.workspaceId, afterSeq: begin, limit: 100 },
      { now: null },
    )
    const statuses = events.flatMap((event) => (event.type === 'agent.status' ? [event.data.status] : []))
    expect(statuses).toEqual(['available', 'busy', 'available'])
    world.gate.open()
    await world.runner.stop()
  })

  it('is noticed while the runner stops', async () => {
    const world = await busyWorld(true)
    const stopped = world.runner.stop({ drainTimeoutMs: 3_000_000 })
    await world.board.cancel(world.task.id, PERSON)
    await stopped
    expect(world.reasons).toHaveLength(1)
  })
})

describe('the claims of runs', () => {
  it('are not checked after commits that take no task away, nor after a rollback', async () => {
    const world = await busyWorld(true)
    world.faults.forgetCalls()
    const other = await world.add({ priority: 'low' })
    await world.board.move(other.id, 'DONE', PERSON)
    await world.board.update(world.task.id, { title: 'renamed', assignedTo: null }, PERSON)
    const undone = world.storage.transaction(async (tx) => {
      await world.board.cancel(other.id, { ...PERSON, tx }).catch(() => undefined)
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await world.clock.settle()
    expect(world.faults.countCalls('checkClaims')).toBe(0)
    await world.runner.stop({ drainTimeoutMs: 0 })
  })

  it('are checked at each poll of a storage that other processes write to, while there are runs', async () => {
    const world = await busyWorld(true)
    await world.runner.stop({ drainTimeoutMs: 0 })
    const polling = world.newRunner({ pollIntervalMs: 1_000, events: { onCommit: () => () => undefined } })
    polling.start()
    await world.clock.settle()
    world.faults.forgetCalls()
    await world.clock.advance({ seconds: 5 })
    expect(world.faults.countCalls('checkClaims')).toBe(5)
    await world.board.cancel(world.task.id, PERSON)
    await world.clock.advance(999)
    expect(world.reasons).toHaveLength(1)
    await world.clock.advance(1)
    expect(world.reasons).toHaveLength(2)
    world.faults.forgetCalls()
    await world.clock.advance({ seconds: 5 })
    expect(world.faults.countCalls('checkClaims')).toBe(0)
    await polling.stop()
  })

  it('are checked again after a storage error', async () => {
    const world = await busyWorld(true)
    world.faults.breakVerb('checkClaims', { left: 1 })
    await world.board.cancel(world.task.id, PERSON)
    await world.clock.advance({ seconds: 1 })
    expect(world.reasons).toHaveLength(1)
    await world.runner.stop()
  })
})
