import type { GraphqlContext } from '../graphql-context.js'
import { nullIfAbsent } from '../loaders.js'
import type { WireObject } from '../wire-names.js'
import type { SchemaPart } from './field-plan.js'
import { pageSize } from './page-size.js'
import { forwardOnly } from './webhook-part.js'

const types = /* GraphQL */ `
  extend type Query {
    "A schedule; null when it does not exist. Needs tasks:read."
    schedule(id: ID!): Schedule
    "Schedules of all workspaces within reach, or of one, oldest first. Needs tasks:read."
    schedules(
      workspaceId: ID
      "How many at most: 1 to 100."
      first: Int = 20
      "The endCursor of the page before."
      after: String
    ): ScheduleConnection
  }

  extend type Mutation {
    "Adds a task again and again, at the times of a cron expression."
    createSchedule(input: CreateScheduleInput!): Schedule
    "Changes the settings that are given. The task is replaced as a whole."
    updateSchedule(id: ID!, input: UpdateScheduleInput!): Schedule
    "Deletes a schedule, and returns its id. The tasks that it added stay."
    deleteSchedule(id: ID!): ID
  }

  input CreateScheduleInput {
    "Minute, hour, day of the month, month and day of the week, or a name such as @daily."
    cron: String!
    "The time zone of the expression, as Europe/Berlin. Default UTC."
    timeZone: String
    task: ScheduledTaskInput!
    "Default SKIP."
    overlap: Overlap
    "Default true."
    enabled: Boolean
    "Default: the caller's own."
    workspaceId: ID
  }

  input UpdateScheduleInput {
    cron: String
    timeZone: String
    task: ScheduledTaskInput
    overlap: Overlap
    enabled: Boolean
  }

  "The task that each occurrence adds."
  input ScheduledTaskInput {
    "1 to 200 characters."
    title: String!
    description: String
    type: String
    "Default MEDIUM."
    priority: Priority
    assignedTo: ID
    tags: [String!]
    metadata: Metadata
    budget: BudgetInput
  }

  type Schedule {
    id: ID!
    workspaceId: ID!
    cron: String!
    timeZone: String!
    task: ScheduledTask!
    overlap: Overlap!
    enabled: Boolean!
    "The next occurrence; null while it is disabled."
    nextAt: DateTime
    "The last occurrence that made or skipped a task."
    lastAt: DateTime
    lastTaskId: ID
    "Why the last occurrence made no task, although it should have."
    lastError: String
    createdAt: DateTime!
    updatedAt: DateTime!
  }

  type ScheduledTask {
    title: String!
    description: String
    type: String
    priority: Priority!
    assignedTo: ID
    tags: [String!]!
    metadata: Metadata!
    budget: Budget
  }

  type ScheduleConnection {
    nodes: [Schedule!]!
    pageInfo: PageInfo!
  }
`

interface WithId {
  readonly id: string
}

interface ListArguments {
  readonly workspaceId?: string | null
  readonly first?: number | null
  readonly after?: string | null
}

async function listSchedules(
  _: unknown,
  { workspaceId, first, after }: ListArguments,
  { call }: GraphqlContext,
): Promise<object> {
  const query = {
    limit: String(pageSize(first)),
    cursor: after ?? undefined,
    workspaceId: workspaceId ?? undefined,
  }
  const { schedules, nextCursor } = await call('listSchedules', { query })
  return { nodes: schedules, pageInfo: forwardOnly(nextCursor, after) }
}

/** Schedules, by the operations of REST. */
export const schedulePart: SchemaPart = {
  types,
  fields: {
    Query: {
      schedule: (_: unknown, { id }: WithId, { call }: GraphqlContext) =>
        nullIfAbsent(call('getSchedule', { params: { scheduleId: id } })),
      schedules: { size: 'first', resolve: listSchedules },
    },
    Mutation: {
      createSchedule: {
        weight: 250,
        resolve: (_: unknown, { input }: { readonly input: WireObject }, { write }: GraphqlContext) =>
          write('createSchedule', { body: input }),
      },
      updateSchedule: {
        weight: 250,
        resolve: (
          _: unknown,
          { id, input }: WithId & { readonly input: WireObject },
          { write }: GraphqlContext,
        ) => write('updateSchedule', { params: { scheduleId: id }, body: input }),
      },
      deleteSchedule: {
        weight: 250,
        async resolve(_: unknown, { id }: WithId, { write }: GraphqlContext) {
          await write('deleteSchedule', { params: { scheduleId: id } })
          return id
        },
      },
    },
  },
}
