import { describe, expect, it } from 'vitest'
import { parseNewTask } from '../task.js'
import {
  changedSchedule,
  createSchedule,
  occur,
  parseNewSchedule,
  parseScheduleChange,
  scheduledTask,
  type ScheduleInput,
} from './schedule.js'

const HOUR = 3_600_000
const input: ScheduleInput = { cron: ' 0 * * * * ', task: { title: ' Water the plants ', tags: ['home'] } }
const read = (given: unknown) => parseNewSchedule(given as ScheduleInput, 'ws_1', 3)
const schedule = createSchedule(read(input), { id: 'sch_1', now: 0 })

describe('a new schedule', () => {
  it('has the defaults, and the task as the board reads it', () => {
    const {
      workspaceId: _,
      dueDate: _due,
      notBefore: _before,
      dependsOn: _on,
      parentId: _parent,
      ...task
    } = parseNewTask({ title: 'Water the plants', tags: ['home'] }, '', 3)
    expect(read(input)).toEqual({
      workspaceId: 'ws_1',
      cron: '0 * * * *',
      timeZone: 'UTC',
      task,
      overlap: 'skip',
      enabled: true,
    })
  })

  it.each([
    ['cron', 'MISSING_FIELD', { ...input, cron: undefined }],
    ['task', 'MISSING_FIELD', { ...input, task: null }],
    ['cron', 'INVALID_FIELD', { ...input, cron: 5 }],
    ['cron', 'INVALID_FIELD', { ...input, cron: '1,'.repeat(200) }],
    ['timeZone', 'INVALID_FIELD', { ...input, timeZone: 'Nowhere' }],
    ['overlap', 'INVALID_FIELD', { ...input, overlap: 'queue' }],
    ['enabled', 'INVALID_FIELD', { ...input, enabled: 'yes' }],
    ['task', 'INVALID_FIELD', { ...input, task: 'water' }],
    ['task', 'INVALID_FIELD', { ...input, task: {} }],
    ['task', 'INVALID_FIELD', { ...input, task: { title: 'x', dueDate: 0 } }],
    ['task', 'INVALID_FIELD', { ...input, task: { title: 'x', dependsOn: ['task_1'] } }],
  ])('is refused with %s as %s', (field, code, given) => {
    expect(() => read(given)).toThrow(expect.objectContaining({ code, field }))
  })

  it('is refused when it is no object', () => {
    for (const given of [null, 'daily', []])
      expect(() => read(given)).toThrow('the schedule must be an object')
  })

  it('names the field of the task in the text of the error', () => {
    expect(() => read({ ...input, task: { title: 'x', priority: 'huge' } })).toThrow(
      /^task\.priority must be/,
    )
    expect(() => read({ ...input, task: 5 })).toThrow(/^task must be an object/)
  })

  it('has no next occurrence while it is disabled', () => {
    expect(createSchedule({ ...read(input), enabled: false }, { id: 'sch_1', now: 0 }).nextAt).toBeNull()
  })
})

describe('a change', () => {
  const change = (given: object) => parseScheduleChange(given, schedule, 3)

  it('has the given settings alone, and null sets the default', () => {
    expect(change({})).toEqual({})
    expect(change({ enabled: null, overlap: null })).toEqual({ enabled: true, overlap: 'skip' })
    expect(change({ timeZone: 'Europe/Berlin' })).toEqual({ cron: '0 * * * *', timeZone: 'Europe/Berlin' })
    expect(change({ cron: '@daily', timeZone: null })).toEqual({ cron: '@daily', timeZone: 'UTC' })
    expect(change({ task: { title: 'Feed the cat' } })).toMatchObject({ task: { title: 'Feed the cat' } })
  })

  it('of the cron alone keeps the time zone', () => {
    const berlin = { ...schedule, timeZone: 'Europe/Berlin' }
    expect(parseScheduleChange({ cron: '@daily' }, berlin, 3)).toEqual({
      cron: '@daily',
      timeZone: 'Europe/Berlin',
    })
  })

  it('of the time zone alone moves the next occurrence', () => {
    const daily = createSchedule(read({ ...input, cron: '0 9 * * *' }), { id: 'sch_1', now: 0 })
    expect(daily.nextAt).toBe(9 * HOUR)
    expect(changedSchedule(daily, { timeZone: 'Europe/Berlin' }, 0).nextAt).toBe(8 * HOUR)
  })

  it('keeps the next occurrence unless it concerns the time', () => {
    const later = 5 * HOUR + 1
    expect(changedSchedule(schedule, {}, later)).toBe(schedule)
    expect(changedSchedule(schedule, { overlap: 'allow' }, later).nextAt).toBe(HOUR)
    expect(changedSchedule(schedule, { cron: '30 * * * *' }, later).nextAt).toBe(5 * HOUR + HOUR / 2)
    const disabled = changedSchedule(schedule, { enabled: false }, later)
    expect(disabled.nextAt).toBeNull()
    expect(changedSchedule(disabled, { overlap: 'allow' }, later).nextAt).toBeNull()
    expect(changedSchedule(disabled, { enabled: true }, later).nextAt).toBe(6 * HOUR)
  })
})

describe('an occurrence', () => {
  const hold = (reason: 'failed' | 'approval') => ({ reason, message: null, since: 0 })

  it('is made once for all that were missed', () => {
    expect(occur(schedule, null, HOUR - 1)).toBeNull()
    expect(occur(schedule, null, 7 * HOUR)).toMatchObject({
      makesTask: true,
      schedule: { nextAt: 8 * HOUR, lastAt: HOUR },
    })
    expect(occur({ ...schedule, nextAt: null }, null, 7 * HOUR)).toBeNull()
  })

  it.each([
    [false, { column: 'TODO', hold: null }],
    [false, { column: 'DOING', hold: null }],
    [false, { column: 'TODO', hold: hold('approval') }],
    [true, { column: 'TODO', hold: hold('failed') }],
    [true, { column: 'DONE', hold: null }],
  ] as const)('with skip makes a task: %s, after one in %o', (makesTask, last) => {
    expect(occur(schedule, last, HOUR)?.makesTask).toBe(makesTask)
    expect(occur({ ...schedule, overlap: 'allow' }, last, HOUR)?.makesTask).toBe(true)
  })

  it('adds the task with the defaults of fields that the stored one lacks', () => {
    const { budget: _, ...stored } = schedule.task
    const task = scheduledTask({ workspaceId: 'ws_1', task: stored as typeof schedule.task })
    expect(task).toEqual(parseNewTask({ title: 'Water the plants', tags: ['home'] }, 'ws_1', 3))
  })
})
