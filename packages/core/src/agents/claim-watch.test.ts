import { agentFields } from './agent.js'
import { describe, expect, it } from 'vitest'
import { agentsFixture, newGate } from '../../test/agents-fixture.js'
import type { Task } from '../index.js'

type Fixture = Awaited<ReturnType<typeof agentsFixture>>
const PERSON = { actor: { kind: 'user', id: 'user_1' } } as const

const takings: readonly (readonly [string, (fixture: Fixture, task: Task) => Promise<unknown>])[] = [
  ['cancels', ({ board }, { id }) => board.cancel(id, PERSON)],
  ['holds', ({ board }, { id }) => board.hold(id, { reason: 'approval' }, PERSON)],
  ['moves to TODO', ({ board }, { id }) => board.move(id, 'TODO', PERSON)],
  ['moves to DONE', ({ board }, { id }) => board.move(id, 'DONE', PERSON)],
  ['completes', ({ board }, { id }) => board.complete(id, { result: 'by hand', takeOver: true }, PERSON)],
  ['deletes', ({ board }, { id }) => board.delete(id)],
  [
    'assigns to another agent',
    async ({ storage, board, workspaceId }, { id }) => {
      const other = { ...agentFields.empty, workspaceId, name: 'other', type: 'other' }
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
async function busyFixture(obeysSignal: boolean) {
  const gate = newGate()
  const reasons: unknown[] = []
  const began: string[] = []
  const fixture = await agentsFixture({
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
  const task = await fixture.add({ title: 'taken' })
  const runner = fixture.newRunner()
  runner.start()
  await fixture.clock.settle()
  return { ...fixture, gate, reasons, began, task, runner }
}

describe('a task that a person takes away from its run', () => {
  it.each(takings)('by one who %s: the signal aborts at once, and the slot is free', async (name, take) => {
    for (const obeysSignal of [true, false]) {
      const fixture = await busyFixture(obeysSignal)
      const { clock, task, runner, began, reasons } = fixture
      const start = clock.now()
      await take(fixture, task)
      await clock.settle()
      expect(reasons).toEqual([expect.objectContaining({ code: 'CONFLICT' })])
      await fixture.add({ title: 'urgent', priority: 'urgent' })
      await clock.settle()
      // A task that was moved to TODO is claimed again.
      expect(began[1]).toBe(name === 'moves to TODO' ? 'taken' : 'urgent')
      expect(clock.now()).toBe(start)
      fixture.gate.open()
      await clock.settle()
      const done = (await fixture.eventsOf('task.completed')).map(
        ({ data }) => 'result' in data && data.result,
      )
      expect(done).not.toContain('dropped 1')
      await runner.stop()
    }
  })

  it('lets a waiting task begin at once, and reports the status of the agent', async () => {
    const fixture = await busyFixture(false)
    await fixture.add({ title: 'urgent', priority: 'urgent' })
    const begin = (await fixture.eventTypes()).length
    await fixture.board.cancel(fixture.task.id, PERSON)
    await fixture.clock.settle()
    expect(fixture.began).toEqual(['taken', 'urgent'])
    const events = await fixture.storage.events.readEvents(
      { workspaceId: fixture.workspaceId, afterSeq: begin, limit: 100 },
      { now: null },
    )
    const statuses = events.flatMap((event) => (event.type === 'agent.status' ? [event.data.status] : []))
    expect(statuses).toEqual(['available', 'busy', 'available'])
    fixture.gate.open()
    await fixture.runner.stop()
  })

  it('is noticed while the runner stops', async () => {
    const fixture = await busyFixture(true)
    const stopped = fixture.runner.stop({ drainTimeoutMs: 3_000_000 })
    await fixture.board.cancel(fixture.task.id, PERSON)
    await stopped
    expect(fixture.reasons).toHaveLength(1)
  })
})

describe('the claims of runs', () => {
  it('are not checked after commits that take no task away, nor after a rollback', async () => {
    const fixture = await busyFixture(true)
    fixture.faults.forgetCalls()
    const other = await fixture.add({ priority: 'low' })
    await fixture.board.move(other.id, 'DONE', PERSON)
    await fixture.board.update(fixture.task.id, { title: 'renamed', assignedTo: null }, PERSON)
    const undone = fixture.storage.transaction(async (tx) => {
      await fixture.board.cancel(other.id, { ...PERSON, tx }).catch(() => undefined)
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await fixture.clock.settle()
    expect(fixture.faults.countCalls('checkClaims')).toBe(0)
    await fixture.runner.stop({ drainTimeoutMs: 0 })
  })

  it('are checked at each poll of a storage that other processes write to, while there are runs', async () => {
    const fixture = await busyFixture(true)
    await fixture.runner.stop({ drainTimeoutMs: 0 })
    const polling = fixture.newRunner({ pollIntervalMs: 1_000, events: { onCommit: () => () => undefined } })
    polling.start()
    await fixture.clock.settle()
    fixture.faults.forgetCalls()
    await fixture.clock.advance({ seconds: 5 })
    expect(fixture.faults.countCalls('checkClaims')).toBe(5)
    await fixture.board.cancel(fixture.task.id, PERSON)
    await fixture.clock.advance(999)
    expect(fixture.reasons).toHaveLength(1)
    await fixture.clock.advance(1)
    expect(fixture.reasons).toHaveLength(2)
    fixture.faults.forgetCalls()
    await fixture.clock.advance({ seconds: 5 })
    expect(fixture.faults.countCalls('checkClaims')).toBe(0)
    await polling.stop()
  })

  it('are checked again after a storage error', async () => {
    const fixture = await busyFixture(true)
    fixture.faults.breakVerb('checkClaims', { left: 1 })
    await fixture.board.cancel(fixture.task.id, PERSON)
    await fixture.clock.advance({ seconds: 1 })
    expect(fixture.reasons).toHaveLength(1)
    await fixture.runner.stop()
  })
})
