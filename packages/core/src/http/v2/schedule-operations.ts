import { z } from 'zod'
import { overlaps, type Schedule, type ScheduledTaskInput } from '../../board/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { newTaskBody, taskJson, toFields } from '../wire/task-wire.js'
import { toWireBudget } from '../wire/usage-wire.js'
import { operation, workspaceOf } from './operation.js'
import { idText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const oneTime = { deadline: true, not_before: true, depends_on: true, parent_id: true } as const

/** The task of a schedule in an answer. */
const scheduledTaskJson = taskJson
  .pick({
    title: true,
    description: true,
    type: true,
    priority: true,
    assigned_to: true,
    tags: true,
    metadata: true,
    budget: true,
  })
  .meta({ id: 'ScheduledTask' })

const scheduleJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    cron: z.string(),
    time_zone: z.string(),
    task: scheduledTaskJson,
    overlap: z.enum(overlaps),
    enabled: z.boolean(),
    next_at: timestamp.nullable().meta({ description: 'The next occurrence; null while it is disabled.' }),
    last_at: timestamp.nullable().meta({ description: 'The last occurrence that made or skipped a task.' }),
    last_task_id: z.string().nullable(),
    last_error: z.string().nullable().meta({
      description: 'Why the last occurrence made no task, although it should have.',
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Schedule' })

function toWireSchedule(schedule: Schedule): z.output<typeof scheduleJson> {
  const { task } = schedule
  return {
    id: schedule.id,
    workspace_id: schedule.workspaceId,
    cron: schedule.cron,
    time_zone: schedule.timeZone,
    task: {
      title: task.title,
      description: task.description,
      type: task.type,
      priority: task.priority,
      assigned_to: task.assignedTo,
      tags: [...task.tags],
      metadata: task.metadata as z.output<typeof scheduledTaskJson>['metadata'],
      budget: toWireBudget(task.budget ?? null),
    },
    overlap: schedule.overlap,
    enabled: schedule.enabled,
    next_at: toTimestamp(schedule.nextAt),
    last_at: toTimestamp(schedule.lastAt),
    last_task_id: schedule.lastTaskId,
    last_error: schedule.lastError,
    created_at: toTimestamp(schedule.createdAt),
    updated_at: toTimestamp(schedule.updatedAt),
  }
}

const taskBody = newTaskBody
  .omit({ ...oneTime, workspace_id: true })
  .strict()
  .meta({
    description: 'The task that each occurrence adds.',
  })
const text = z.string()
const terms = {
  cron: text.meta({
    description: 'Minute, hour, day of the month, month and day of the week, or a name such as @daily.',
  }),
  time_zone: text
    .nullish()
    .meta({ description: 'The time zone of the expression, as Europe/Berlin. Default UTC.' }),
  overlap: z.enum(overlaps).nullish().meta({
    description: 'Whether an occurrence is skipped while the task of the one before is open. Default skip.',
  }),
  enabled: z.boolean().nullish().meta({ description: 'Default true.' }),
}

/** The board validates the values. */
function toTask(body: z.output<typeof taskBody>): ScheduledTaskInput {
  const {
    dueDate: _due,
    notBefore: _before,
    dependsOn: _on,
    ...task
  } = toFields({
    deadline: undefined,
    not_before: undefined,
    depends_on: undefined,
    ...body,
  })
  return task
}

const params = z.object({ schedule_id: idText })
const common = { tag: 'schedules', wireFields: { timeZone: 'time_zone' } } as const
const one = { status: 200, schema: scheduleJson } as const

const createSchedule = operation({
  ...common,
  id: 'createSchedule',
  summary: 'Adds a task again and again, at the times of a cron expression',
  description: 'Occurrences that are missed while no process of the host runs are made once, as one.',
  method: 'POST',
  path: '/v2/schedules',
  client: 'schedules.create',
  scope: 'tasks:write',
  idempotent: true,
  body: z.object({ ...terms, task: taskBody, workspace_id: idText.nullish() }),
  example: { cron: '0 9 * * *', task: { title: 'Compare the offers' } },
  answer: { status: 201, schema: scheduleJson },
  async run({ services, principal, by, request, body }) {
    const { workspace_id: wanted, time_zone: timeZone, task, ...rest } = body
    const workspaceId = await workspaceOf(services, principal, wanted)
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/schedules', { ...body, workspaceId })
    const input = { ...rest, timeZone, task: toTask(task) }
    const schedule = await services.quota.createHeld(principal, 'schedules', (tx) =>
      services.schedules.of(workspaceId).create(input, { idempotency, tx, by }),
    )
    return toWireSchedule(schedule)
  },
})

const listSchedules = operation({
  ...common,
  id: 'listSchedules',
  summary: 'Schedules, oldest first',
  description: 'Of all workspaces within reach, or of one.',
  method: 'GET',
  path: '/v2/schedules',
  client: 'schedules.list',
  scope: 'tasks:read',
  query: z.object({ workspace_id: idText.optional(), ...pageQuery }),
  answer: { status: 200, schema: z.object({ schedules: z.array(scheduleJson), next_cursor: nextCursor }) },
  async run({ services, principal, query: { workspace_id: workspaceId, limit, cursor } }) {
    const page = await services.schedules.listWithin(principal, { workspaceId, limit, cursor })
    return { schedules: page.schedules.map(toWireSchedule), next_cursor: page.nextCursor }
  },
})

const getSchedule = operation({
  ...common,
  id: 'getSchedule',
  summary: 'One schedule',
  method: 'GET',
  path: '/v2/schedules/{schedule_id}',
  client: 'schedules.get',
  scope: 'tasks:read',
  params,
  answer: one,
  async run({ services, principal, params: { schedule_id: id } }) {
    return toWireSchedule(await services.schedules.find(principal, id))
  },
})

const updateSchedule = operation({
  ...common,
  id: 'updateSchedule',
  summary: 'Changes the given settings',
  description:
    'The task is replaced as a whole. With another expression or time zone, the next occurrence is the first one from now.',
  method: 'PATCH',
  path: '/v2/schedules/{schedule_id}',
  client: 'schedules.update',
  scope: 'tasks:write',
  params,
  body: z.object({ ...terms, cron: terms.cron.optional(), task: taskBody.optional() }),
  example: { enabled: false },
  answer: one,
  async run({ services, principal, by, params: { schedule_id: id }, body }) {
    const { time_zone: timeZone, task, ...rest } = body
    const { workspaceId } = await services.schedules.find(principal, id)
    const change = { ...rest, timeZone, task: task && toTask(task) }
    return toWireSchedule(await services.schedules.of(workspaceId).update(id, change, { by }))
  },
})

const deleteSchedule = operation({
  ...common,
  id: 'deleteSchedule',
  summary: 'Deletes a schedule; the tasks that it added stay',
  method: 'DELETE',
  path: '/v2/schedules/{schedule_id}',
  client: 'schedules.delete',
  scope: 'tasks:write',
  params,
  answer: { status: 204 },
  async run({ services, principal, by, params: { schedule_id: id } }) {
    const { workspaceId } = await services.schedules.find(principal, id)
    await services.schedules.of(workspaceId).delete(id, { by })
  },
})

/** Tasks that are added again and again. */
export const scheduleOperations = [createSchedule, listSchedules, getSchedule, updateSchedule, deleteSchedule]
