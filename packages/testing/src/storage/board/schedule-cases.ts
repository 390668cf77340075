import assert from 'node:assert/strict'
import type { Schedule, Task } from '@taskboard/core'
import type { NewSchedule, NewTask } from '@taskboard/core/storage'
import { newTask } from '../new-task.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  changeTask,
  DAY,
  HOUR,
  MINUTE,
  PERSON,
  START,
  type StorageFixture,
  unknownId,
} from '../storage-fixture.js'

/** At every full hour. */
const HOURLY = '0 * * * *'

/** A schedule that adds a task at every full hour. */
export function terms(workspaceId: string, given: Partial<NewSchedule> = {}): NewSchedule {
  const { title, description, type, priority, assignedTo, tags, metadata, budget, maxAttempts } = newTask({
    workspaceId,
    title: 'again',
  })
  const task = { title, description, type, priority, assignedTo, tags, metadata, budget, maxAttempts }
  return { workspaceId, cron: HOURLY, timeZone: 'UTC', task, overlap: 'skip', enabled: true, ...given }
}

async function insert(
  { storage, workspaceId, at }: StorageFixture,
  given: Partial<NewSchedule> = {},
  afterMs = 0,
): Promise<Schedule> {
  const schedule = terms(workspaceId, given)
  return (await storage.schedules.insertSchedule({ schedule, idempotency: null }, at(afterMs))).value
}

const listDue = ({ storage, at }: StorageFixture, afterMs: number, limit = 100) =>
  storage.schedules.listSchedules({ isDue: true, limit }, at(afterMs))

/** Makes the occurrence that a schedule has as its next one. */
function occur(
  { storage, at }: StorageFixture,
  { id: scheduleId, workspaceId, nextAt }: Schedule,
  afterMs: number,
  tx?: unknown,
): Promise<Task | null> {
  const task: NewTask = newTask({ workspaceId, title: 'again' })
  const occurrence = { workspaceId, scheduleId, nextAt: nextAt ?? -1, outcome: { task } }
  return storage.schedules.makeOccurrence(occurrence, at(afterMs, tx))
}

async function read(
  { storage, at }: StorageFixture,
  { id: scheduleId }: Pick<Schedule, 'id'>,
): Promise<Schedule> {
  const query = { reach: null, scheduleId, limit: 1 }
  const [schedule] = (await storage.schedules.listSchedules(query, at())).schedules
  assert.ok(schedule)
  return schedule
}

/** Schedules and their occurrences. */
export const scheduleCases: readonly StorageCheck[] = [
  {
    id: 'schedules.insert',
    name: 'a schedule is stored as it was given, with its next occurrence after the present',
    async check(fixture) {
      const { workspaceId, agent } = fixture
      const task = { ...terms(workspaceId).task, assignedTo: agent.id, tags: ['a'], metadata: { k: ['v'] } }
      const given = { task, cron: '30 9 * * *', timeZone: 'Europe/Berlin', overlap: 'allow' } as const
      const schedule = await insert(fixture, given)
      assert.deepEqual(schedule, {
        ...terms(workspaceId, given),
        id: schedule.id,
        nextAt: START + 8 * HOUR + 30 * MINUTE,
        lastAt: null,
        lastTaskId: null,
        lastError: null,
        createdAt: START,
        updatedAt: START,
      })
      assert.deepEqual(await read(fixture, schedule), schedule)
      assert.equal((await insert(fixture, { enabled: false })).nextAt, null)
    },
  },
  {
    id: 'schedules.insert-refused',
    name: 'an unknown workspace, a foreign agent and an expression without an occurrence are refused',
    async check(fixture) {
      const { agent } = await fixture.addWorkspace()
      await assertRefused(insert(fixture, { workspaceId: unknownId('ws') }), 'NOT_FOUND')
      await assertRefused(insert(fixture, { cron: '0 0 30 2 *' }), 'INVALID_FIELD', 'cron')
      for (const assignedTo of [agent.id, unknownId('agent')]) {
        const task = { ...terms(fixture.workspaceId).task, assignedTo }
        await assertRefused(insert(fixture, { task }), 'INVALID_FIELD', 'assignedTo')
        const schedule = await insert(fixture)
        const update = { workspaceId: fixture.workspaceId, scheduleId: schedule.id, change: { task } }
        await assertRefused(
          fixture.storage.schedules.updateSchedule(update, fixture.at()),
          'INVALID_FIELD',
          'assignedTo',
        )
        assert.deepEqual(await read(fixture, schedule), schedule)
      }
    },
  },
  {
    id: 'schedules.idempotent',
    name: 'a repeat with the same key returns the first schedule, and another one with the key is CONFLICT',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const idempotency = { scope: 'user_1 POST', key: 'k', fingerprint: 'f' }
      const schedule = terms(workspaceId)
      const first = await storage.schedules.insertSchedule({ schedule, idempotency }, at())
      const again = await storage.schedules.insertSchedule({ schedule, idempotency }, at(HOUR))
      assert.deepEqual([first.replayed, again], [false, { value: first.value, replayed: true }])
      const other = { schedule, idempotency: { ...idempotency, fingerprint: 'g' } }
      await assertRefused(storage.schedules.insertSchedule(other, at()), 'CONFLICT')
    },
  },
  {
    id: 'schedules.list',
    name: 'schedules are listed in the order of their ids, page by page, within reach only',
    async check(fixture) {
      const { storage, workspaceId, accountId, at } = fixture
      const other = await fixture.addWorkspace()
      const [one, two] = [await insert(fixture), await insert(fixture)]
      const three = await insert(fixture, { workspaceId: other.workspaceId })
      const ids = async (query: Parameters<typeof storage.schedules.listSchedules>[0]) =>
        (await storage.schedules.listSchedules(query, at())).schedules.map(({ id }) => id)
      const all = { accountId, workspaceIds: 'all' } as const
      assert.deepEqual(await ids({ reach: null, limit: 10 }), [one.id, two.id, three.id])
      assert.deepEqual(await ids({ reach: all, limit: 2 }), [one.id, two.id])
      assert.deepEqual(await ids({ reach: all, limit: 2, afterId: two.id }), [three.id])
      assert.deepEqual(await ids({ reach: all, workspaceId, limit: 10 }), [one.id, two.id])
      const bound = { accountId, workspaceIds: [other.workspaceId] }
      assert.deepEqual(await ids({ reach: bound, limit: 10 }), [three.id])
      assert.deepEqual(await ids({ reach: bound, scheduleId: one.id, limit: 1 }), [])
      assert.deepEqual(await ids({ reach: null, workspaceId, scheduleId: three.id, limit: 1 }), [])
      await assertRefused(ids({ reach: bound, workspaceId, limit: 10 }), 'NOT_FOUND', 'workspaceId')
      await assertRefused(
        ids({ reach: null, workspaceId: unknownId('ws'), limit: 1 }),
        'NOT_FOUND',
        'workspaceId',
      )
    },
  },
  {
    id: 'schedules.due',
    name: 'due schedules come earliest first, and the answer says when the next one is due',
    async check(fixture) {
      const late = await insert(fixture, { cron: '30 * * * *' })
      const early = await insert(fixture)
      await insert(fixture, { enabled: false })
      assert.deepEqual(await listDue(fixture, 10 * MINUTE), { schedules: [], nextDueInMs: 20 * MINUTE })
      assert.deepEqual(await listDue(fixture, 30 * MINUTE), { schedules: [late], nextDueInMs: 30 * MINUTE })
      assert.deepEqual(await listDue(fixture, HOUR), { schedules: [late, early], nextDueInMs: null })
      assert.deepEqual(await listDue(fixture, HOUR, 1), { schedules: [late], nextDueInMs: null })
    },
  },
  {
    id: 'schedules.occur',
    name: 'an occurrence adds its task once, with its event, and sets the next one',
    async check(fixture) {
      const schedule = await insert(fixture)
      assert.equal(await occur(fixture, schedule, HOUR - 1), null)
      const task = await occur(fixture, schedule, HOUR)
      assert.ok(task)
      assert.deepEqual([task.title, task.createdAt, task.column], ['again', START + HOUR, 'TODO'])
      assert.deepEqual(await fixture.get(task), task)
      assert.equal(await occur(fixture, schedule, HOUR), null)
      assert.deepEqual(await read(fixture, schedule), {
        ...schedule,
        nextAt: START + 2 * HOUR,
        lastAt: START + HOUR,
        lastTaskId: task.id,
      })
      const events = await fixture.events()
      assert.deepEqual(
        events.map(({ type }) => type),
        ['task.created'],
      )
      assert.ok(events[0]?.type === 'task.created')
      assert.deepEqual(events[0].data.actor, { kind: 'system', id: null })
    },
  },
  {
    id: 'schedules.at-once',
    name: 'of many calls for one occurrence, by several processes too, one adds the task',
    async check(fixture) {
      const schedule = await insert(fixture, { overlap: 'allow' })
      const other = (await fixture.another()) ?? fixture
      const calls = Array.from({ length: 12 }, (_, call) => occur(call % 2 ? fixture : other, schedule, HOUR))
      const made = (await Promise.all(calls)).filter((task) => task !== null)
      assert.equal(made.length, 1)
      assert.deepEqual(await fixture.eventTypes(), ['task.created'])
    },
  },
  {
    id: 'schedules.missed',
    name: 'missed occurrences are made once, and the next one is in the future',
    async check(fixture) {
      const schedule = await insert(fixture, { overlap: 'allow' })
      const task = await occur(fixture, schedule, 3 * DAY + 10 * MINUTE)
      assert.equal(task?.createdAt, START + 3 * DAY + 10 * MINUTE)
      const { nextAt, lastAt } = await read(fixture, schedule)
      assert.deepEqual([nextAt, lastAt], [START + 3 * DAY + HOUR, START + HOUR])
      assert.deepEqual((await listDue(fixture, 3 * DAY + 10 * MINUTE)).schedules, [])
    },
  },
  {
    id: 'schedules.overlap',
    name: 'skip adds no task while the one before is open, and adds one when it is done, failed, cancelled or deleted',
    async check(fixture) {
      const { storage, at, workspaceId } = fixture
      const schedule = await insert(fixture)
      let task = await occur(fixture, schedule, HOUR)
      assert.ok(task)
      assert.equal(await occur(fixture, await read(fixture, schedule), 2 * HOUR), null)
      const skipped = await read(fixture, schedule)
      assert.deepEqual(
        [skipped.nextAt, skipped.lastAt, skipped.lastTaskId],
        [START + 3 * HOUR, START + 2 * HOUR, task.id],
      )
      const ends: ((open: Task) => Promise<unknown>)[] = [
        (open) => changeTask(storage.tasks, open, { kind: 'move', to: 'DONE', actor: PERSON }, at()),
        ...(['failed', 'cancelled'] as const).map(
          (reason) => (open: Task) =>
            changeTask(storage.tasks, open, { kind: 'hold', reason, message: null, actor: PERSON }, at()),
        ),
        (open) => storage.tasks.deleteTask({ workspaceId, taskId: open.id, actor: PERSON }, at()),
      ]
      for (const [index, end] of ends.entries()) {
        await end(task)
        task = await occur(fixture, await read(fixture, schedule), (index + 3) * HOUR)
        assert.ok(task, `end ${index}`)
      }
      const hold = { kind: 'hold', reason: 'needs_input', message: null, actor: PERSON } as const
      await changeTask(storage.tasks, task, hold, at())
      assert.equal(await occur(fixture, await read(fixture, schedule), 20 * HOUR), null)
    },
  },
  {
    id: 'schedules.allow',
    name: 'allow adds a task while the one before is open',
    async check(fixture) {
      const schedule = await insert(fixture, { overlap: 'allow' })
      assert.ok(await occur(fixture, schedule, HOUR))
      assert.ok(await occur(fixture, await read(fixture, schedule), 2 * HOUR))
    },
  },
  {
    id: 'schedules.failure',
    name: 'a task that the storage refuses leaves the occurrence due, and a reported failure ends it',
    async check(fixture) {
      const { storage, at, workspaceId } = fixture
      const schedule = await insert(fixture)
      const occurrence = { workspaceId, scheduleId: schedule.id, nextAt: schedule.nextAt ?? -1 }
      const task = newTask({ workspaceId, assignedTo: unknownId('agent') })
      const refused = storage.schedules.makeOccurrence({ ...occurrence, outcome: { task } }, at(HOUR))
      await assertRefused(refused, 'INVALID_FIELD', 'assignedTo')
      assert.deepEqual(await read(fixture, schedule), schedule)
      const failed = { ...occurrence, outcome: { failure: 'no such agent' } }
      assert.equal(await storage.schedules.makeOccurrence(failed, at(HOUR)), null)
      const after = await read(fixture, schedule)
      assert.deepEqual(after, { ...schedule, nextAt: START + 2 * HOUR, lastError: 'no such agent' })
      await occur(fixture, after, 2 * HOUR)
      assert.equal((await read(fixture, schedule)).lastError, null)
    },
  },
  {
    id: 'schedules.update',
    name: 'a change of the time sets the next occurrence, and an occurrence of before the change is not made',
    async check(fixture) {
      const { storage, at, workspaceId } = fixture
      const schedule = await insert(fixture)
      const update = (change: Partial<NewSchedule>, afterMs: number) =>
        storage.schedules.updateSchedule({ workspaceId, scheduleId: schedule.id, change }, at(afterMs))
      assert.deepEqual(await update({}, MINUTE), schedule)
      const timed = await update({ cron: '15 * * * *' }, MINUTE)
      assert.deepEqual(timed, {
        ...schedule,
        cron: '15 * * * *',
        nextAt: START + 15 * MINUTE,
        updatedAt: START + MINUTE,
      })
      assert.equal(await occur(fixture, schedule, HOUR), null)
      assert.equal((await update({ enabled: false }, 2 * MINUTE)).nextAt, null)
      assert.equal(await occur(fixture, timed, HOUR), null)
      assert.equal((await update({ enabled: true }, 2 * HOUR)).nextAt, START + 2 * HOUR + 15 * MINUTE)
      const { task } = terms(workspaceId)
      const renamed = await update({ task: { ...task, title: 'renamed' }, overlap: 'allow' }, 3 * HOUR)
      assert.deepEqual(
        [renamed.task.title, renamed.overlap, renamed.nextAt],
        ['renamed', 'allow', START + 2 * HOUR + 15 * MINUTE],
      )
      await assertRefused(update({ cron: '0 0 30 2 *' }, 0), 'INVALID_FIELD', 'cron')
    },
  },
  {
    id: 'schedules.delete',
    name: 'a deleted schedule makes nothing, its tasks stay, and another workspace can neither change nor delete it',
    async check(fixture) {
      const { storage, at, workspaceId } = fixture
      const other = await fixture.addWorkspace()
      const schedule = await insert(fixture)
      const task = await occur(fixture, schedule, HOUR)
      const after = await read(fixture, schedule)
      const foreign = { workspaceId: other.workspaceId, scheduleId: schedule.id }
      await assertRefused(storage.schedules.deleteSchedule(foreign, at()), 'NOT_FOUND')
      await assertRefused(
        storage.schedules.updateSchedule({ ...foreign, change: { enabled: false } }, at()),
        'NOT_FOUND',
      )
      assert.equal(await occur(fixture, { ...after, workspaceId: other.workspaceId }, 2 * HOUR), null)
      await storage.schedules.deleteSchedule({ workspaceId, scheduleId: schedule.id }, at())
      await assertRefused(
        storage.schedules.deleteSchedule({ workspaceId, scheduleId: schedule.id }, at()),
        'NOT_FOUND',
      )
      assert.equal(await occur(fixture, after, 2 * HOUR), null)
      assert.ok(task)
      assert.deepEqual(await fixture.get(task), task)
    },
  },
  {
    id: 'schedules.rollback',
    name: 'an occurrence in a transaction that fails leaves no trace and is still due',
    async check(fixture) {
      const schedule = await insert(fixture)
      const work = fixture.storage.transaction(async (tx) => {
        assert.ok(await occur(fixture, schedule, HOUR, tx))
        throw new Error('rolled back')
      })
      await assert.rejects(work, /rolled back/)
      assert.deepEqual(await fixture.eventTypes(), [])
      assert.deepEqual((await listDue(fixture, HOUR)).schedules, [schedule])
    },
  },
]
