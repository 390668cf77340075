import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { withBug } from '../simulation/planted-bugs.mjs'
import { allChecks, tableOf, verdictsOn } from './all-checks.js'
import { createJournal, type Observation } from './observations.js'
import { plantedBugs } from './planted-bugs.mjs'
import { wholeRun } from './whole-run.js'

type Run = ReturnType<typeof wholeRun>

function brokenIn({ observations, rows }: Run): readonly string[] {
  return verdictsOn(createJournal(observations), rows)
    .filter(({ broken }) => broken.length > 0)
    .map(({ promise }) => promise)
}

/** Leaves out what `is` finds; there must be something. */
function without<T>(values: readonly T[], is: (value: T) => boolean): T[] {
  const left = values.filter((value) => !is(value))
  expect(left.length).toBeLessThan(values.length)
  return left
}

function changed<T>(values: readonly T[], is: (value: T) => boolean, change: Partial<T>): T[] {
  expect(values.some(is)).toBe(true)
  return values.map((value) => (is(value) ? { ...value, ...change } : value))
}

const unseen = (run: Run, is: (observation: Observation) => boolean): void => {
  run.observations = without(run.observations, is)
}
const see = (run: Run, ...observations: Observation[]): void => void run.observations.push(...observations)

/** Each breaks one thing, and names a promise that it breaks. */
const planted: readonly [promise: string, what: string, plant: (run: Run) => void][] = [
  [
    'an acknowledged task is there',
    'a task is deleted by SQL',
    ({ rows }) => {
      rows.tasks = without(rows.tasks, ({ id }) => id === 'c')
    },
  ],
  [
    'an idempotency key creates once',
    'a repeat makes another task',
    (run) => {
      const [task] = run.rows.tasks.filter(({ id }) => id === 'c')
      if (task !== undefined) run.rows.tasks = [...run.rows.tasks, { ...task, id: 'c2' }]
    },
  ],
  [
    'an idempotency key creates once',
    'a batch is there by half',
    ({ rows }) => {
      rows.tasks = without(rows.tasks, ({ id }) => id === 'b')
    },
  ],
  [
    'an idempotency key creates once',
    'a schedule is there twice',
    ({ rows }) => {
      rows.schedules = [...rows.schedules, { id: 'sched2', title: 'schedule 1' }]
    },
  ],
  [
    'an acknowledged update stays',
    'an update is lost',
    ({ rows }) => {
      rows.tasks = changed(rows.tasks, ({ id }) => id === 'a', { description: null })
    },
  ],
  [
    'an acknowledged cancellation stays',
    'an agent takes a cancelled task',
    ({ rows }) => {
      rows.tasks = changed(rows.tasks, ({ id }) => id === 'c', { column: 'DONE', hold: null })
    },
  ],
  [
    'an acknowledged comment or answer',
    'a comment is there twice',
    ({ rows }) => {
      rows.comments = [...rows.comments, ...rows.comments]
    },
  ],
  [
    'no lease is granted twice',
    'two processes get one claim',
    (run) => see(run, { kind: 'claimed', taskId: 'a', token: 1, by: 'worker-1.1' }),
  ],
  [
    'no lease is granted twice',
    'an attempt begins before the one before ends',
    ({ rows }) => {
      rows.attempts = [
        ...rows.attempts.slice(0, 1),
        { agentId: 'agent', taskId: 'a', token: 2, startedAt: 5_900, endedAt: 9_000, outcome: 'expired' },
        ...rows.attempts.slice(1),
      ]
    },
  ],
  [
    'every claim is an attempt',
    'an attempt is deleted',
    ({ rows }) => {
      rows.attempts = without(rows.attempts, ({ taskId }) => taskId === 'd')
    },
  ],
  [
    'no agent has more tasks at a time',
    'an agent has two tasks',
    ({ rows }) => {
      rows.attempts = changed(rows.attempts, ({ taskId }) => taskId === 'b', { endedAt: 10_500 })
    },
  ],
  [
    'a completed task is completed once',
    'an acknowledged completion expires',
    ({ rows }) => {
      rows.attempts = changed(rows.attempts, ({ taskId }) => taskId === 'b', { outcome: 'expired' })
    },
  ],
  [
    'a completed task is completed once',
    'the result is of another attempt',
    ({ rows }) => {
      rows.tasks = changed(rows.tasks, ({ id }) => id === 'b', { result: 'done under 7' })
    },
  ],
  [
    "an agent's writes are kept",
    'a line is lost',
    ({ rows }) => {
      rows.lines = []
    },
  ],
  [
    "an agent's writes are kept",
    'a stale line is accepted',
    ({ rows }) => {
      rows.lines = changed(rows.lines, () => true, { at: 6_001 })
    },
  ],
  [
    'a report of usage counts once',
    'a report counts twice',
    ({ rows }) => {
      rows.usage = changed(rows.usage, () => true, { reports: 2, tokens: 200 })
      rows.usageByDay = { reports: 2, tokens: 200 }
      rows.usageByMonth = { tokens: 200 }
    },
  ],
  [
    'an approval is given by a person',
    'two runs use it',
    (run) => see(run, { kind: 'permitted', taskId: 'b', token: 2, approvalId: 'apr', decision: 'approved' }),
  ],
  [
    'an approval is given by a person',
    'nobody gave it',
    (run) => unseen(run, ({ kind }) => kind === 'deciding'),
  ],
  [
    'an agent hears what a person answered',
    'an answer is of another task',
    (run) => see(run, { kind: 'heard answer', taskId: 'b', body: 'that one' }),
  ],
  [
    'no task begins before those',
    'a dependent begins too early',
    ({ rows }) => {
      rows.attempts = changed(rows.attempts, ({ taskId }) => taskId === 'b', { startedAt: 5_500 })
    },
  ],
  [
    'each event is once in the log',
    'an event is deleted',
    ({ rows }) => {
      rows.events = without(rows.events, ({ seq }) => seq === 4)
    },
  ],
  [
    'each task has the event',
    'a creation has no event',
    ({ rows }) => {
      rows.events = changed(rows.events, ({ seq }) => seq === 3, { type: 'task.updated' })
    },
  ],
  [
    'each event has one delivery',
    'a delivery is not written',
    ({ rows }) => {
      rows.deliveries = without(rows.deliveries, ({ id }) => id === 'dlv_8')
    },
  ],
  [
    'each delivery arrives',
    'the record of the receiver is deleted',
    (run) => unseen(run, (seen) => seen.kind === 'received' && seen.deliveryId === 'dlv_8'),
  ],
  [
    'each delivery arrives',
    'a deliverer marks what the receiver refused',
    (run) => {
      run.observations = run.observations.map((seen) =>
        seen.kind === 'received' && seen.deliveryId === 'dlv_8' ? { ...seen, isAccepted: false } : seen,
      )
    },
  ],
  [
    'each delivery arrives',
    'a delivery is given up',
    ({ rows }) => {
      rows.deliveries = changed(rows.deliveries, ({ id }) => id === 'dlv_8', { status: 'failed' })
    },
  ],
  [
    'each request is signed',
    'a repeat has another body',
    (run) =>
      see(run, {
        kind: 'received',
        deliveryId: 'dlv_8',
        type: 'task.completed',
        digest: 'other',
        isSigned: true,
        isAccepted: true,
        atMs: 9_000,
      }),
  ],
  [
    'each request is signed',
    'an event is sent that no log has',
    (run) =>
      see(run, {
        kind: 'received',
        deliveryId: 'dlv_99',
        type: 'task.completed',
        digest: 'other',
        isSigned: true,
        isAccepted: true,
        atMs: 9_000,
      }),
  ],
  [
    'no request is sent before its commit',
    'an event arrives early',
    ({ rows }) => {
      rows.events = changed(rows.events, ({ seq }) => seq === 8, { committedAt: 8_006 })
    },
  ],
  [
    'each reader of the feed',
    'the channel leaves out an event',
    (run) => unseen(run, (seen) => seen.kind === 'saw' && seen.reader === 'channel' && seen.seq === 7),
  ],
  [
    'each reader of the feed',
    'the feed gives an event twice',
    (run) => see(run, { kind: 'saw', reader: 'feed', by: 'feed', workspaceId: 'ws', seq: 11 }),
  ],
  [
    'a listener gets',
    'it misses an event',
    (run) => unseen(run, (seen) => seen.kind === 'saw' && seen.by === 'listener' && seen.seq === 8),
  ],
  [
    'an occurrence of a schedule',
    'it is made by two processes',
    ({ rows }) => {
      const [task] = rows.tasks.filter(({ id }) => id === 'd')
      if (task !== undefined) rows.tasks = [...rows.tasks, { ...task, id: 'd2' }]
    },
  ],
  [
    'no window of a minute',
    'two processes count for themselves',
    (run) =>
      see(
        run,
        ...Array.from(
          { length: 60 },
          (_, n) => ({ kind: 'admitted', key: 'limited', sentMs: n, answeredMs: n + 9 }) as const,
        ),
      ),
  ],
  [
    'counters equal a recount',
    'a task is not queued',
    ({ rows }) => {
      rows.tasks = changed(rows.tasks, ({ id }) => id === 'c', { isQueued: false })
    },
  ],
  [
    'counters equal a recount',
    'a day has more usage',
    ({ rows }) => {
      rows.usageByDay = { reports: 2, tokens: 200 }
    },
  ],
  [
    'a caller gets a correct response',
    'a server answers 500',
    (run) => see(run, { kind: 'wrong answer', what: '500' }),
  ],
  [
    'no process exits on its own',
    'one does',
    (run) => see(run, { kind: 'ended', process: 'fastify.1', how: 'on its own with 1', isExpected: false }),
  ],
  [
    'when the faults are over',
    'a task stays',
    (run) => {
      unseen(run, ({ kind }) => kind === 'came to rest')
      see(run, { kind: 'came to rest', left: ['a DOING'] })
    },
  ],
]

describe('the checks after a run of faults', () => {
  it('find nothing when every promise was kept, and look at each', () => {
    const { observations, rows } = wholeRun()
    const verdicts = verdictsOn(createJournal(observations), rows)
    expect(verdicts.flatMap(({ broken }) => broken)).toEqual([])
    expect(verdicts.filter(({ checked }) => checked === 0)).toEqual([])
    expect(tableOf(verdicts).split('\n')).toHaveLength(allChecks.length + 1)
  })

  it('have a planted fault each', () => {
    const found = allChecks.filter(({ promise }) => !planted.some(([begin]) => promise.startsWith(begin)))
    expect(found).toEqual([])
  })

  it.each(planted)('find that "%s" is broken when %s', (promise, _, plant) => {
    const run = wholeRun()
    plant(run)
    expect(brokenIn(run).join('\n')).toContain(promise)
  })
})

describe('the bugs that a run has to find', () => {
  it.each(plantedBugs)('"$name" has its place, and a promise', async (bug) => {
    const text = await readFile(new URL(`../../${bug.file}`, import.meta.url), 'utf8')
    expect(withBug(text, bug)).not.toBe(text)
    const promises = allChecks.map(({ promise }) => promise)
    expect(promises).toEqual(expect.arrayContaining([...bug.rules]))
  })
})
