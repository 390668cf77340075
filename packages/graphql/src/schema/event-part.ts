import { TaskboardError } from '@taskboard/core'
import type { GraphqlContext } from '../graphql-context.js'
import { type EventFilter, type EventSource, isSelected, openEvents } from './event-source.js'
import type { FieldPlan, SchemaPart } from './field-plan.js'

const types = /* GraphQL */ `
  """
  Served only over WebSockets (graphql-transport-ws). Each event is sent once, in the order of its workspace's log. To resume, keep
  the seq of the last event of each workspace and pass it as since. Subscriptions need tasks:read.
  """
  type Subscription {
    "The events of a workspace: of its tasks, and (with agents:read) of its agents."
    workspaceEvents(
      workspaceId: ID!
      "Resumes after this seq. Default: only new events."
      since: Int
      "Only events of these types."
      types: [EventType!]
      "Only events of this task."
      taskId: ID
    ): BoardEvent!
    "Events of the tasks of all workspaces within reach, including workspaces created later."
    taskEvents(
      "Resumes after these. A workspace that is not listed counts as new, and its events are sent from the beginning."
      since: [WorkspacePlace!]
      "Only events of these types."
      types: [EventType!]
    ): BoardEvent!
  }

  "A place in a workspace's log."
  input WorkspacePlace {
    workspaceId: ID!
    seq: Int!
  }

  "Something that a subscription sends."
  interface BoardEvent {
    workspaceId: ID!
    "Its place in the workspace's log. It only rises, and may skip numbers."
    seq: Int!
  }

  "Comes first, once for each workspace: what follows has a higher seq."
  type EventsBegin implements BoardEvent {
    workspaceId: ID!
    seq: Int!
  }

  "Events that are no longer available: read the current state."
  type EventGap implements BoardEvent {
    workspaceId: ID!
    "Of the last one that is missing."
    seq: Int!
    "Of the first one that is missing."
    firstSeq: Int!
  }

  "Something that happened to a task. Fields of other types of events are null."
  type TaskEvent implements BoardEvent {
    workspaceId: ID!
    seq: Int!
    type: EventType!
    timestamp: DateTime!
    taskId: ID!
    "The task as it is now, which may be later than the event; null once it is deleted."
    task: Task
    "The title then; null for TASK_PROGRESS."
    title: String
    "In percent, of TASK_PROGRESS."
    progress: Int
    "The agent that started or failed it."
    byAgentId: ID
    "Of TASK_MOVED."
    fromColumn: Column
    "Of TASK_MOVED."
    toColumn: Column
    "Of TASK_COMPLETED."
    result: String
    "Of TASK_FAILED: what holds the task now. Of TASK_RELEASED: what held it."
    reason: HoldReason
    "Of TASK_FAILED and TASK_CANCELLED."
    message: String
    "Of TASK_UPDATED: the changed fields, by their names in payloads."
    fields: [String!]
    "Of TASK_COMMENTED."
    commentId: ID
    "Of TASK_COMMENTED."
    body: String
    "Of APPROVAL_REQUESTED and APPROVAL_DECIDED."
    approvalId: ID
  }

  "An agent's new status."
  type AgentEvent implements BoardEvent {
    workspaceId: ID!
    seq: Int!
    type: EventType!
    timestamp: DateTime!
    agentId: ID!
    status: AgentStatus!
    "The agent as it is now; null once it is deleted."
    agent: Agent
  }
`

interface WorkspaceArguments extends EventFilter {
  readonly workspaceId: string
  readonly since?: number | null
}

interface TasksArguments extends EventFilter {
  readonly since?: readonly { readonly workspaceId: string; readonly seq: number }[] | null
}

/**
 * A subscription costs as much as this many events: each is resolved separately, and doesn't count against the account's limits.
 */
const COUNTED_EVENTS = 20

const unchanged = (event: EventSource): EventSource => event

const workspaceEvents: FieldPlan = {
  scope: 'tasks:read',
  size: COUNTED_EVENTS,
  subscribe: (_: unknown, { workspaceId, since, ...filter }: WorkspaceArguments, context: GraphqlContext) =>
    openEvents(context, {
      channel: `workspace.${workspaceId}`,
      since: since == null ? undefined : requirePlace(since),
      isWanted: isSelected(filter),
    }),
  resolve: unchanged,
}

const taskEvents: FieldPlan = {
  scope: 'tasks:read',
  size: COUNTED_EVENTS,
  subscribe: (_: unknown, { since, ...filter }: TasksArguments, context: GraphqlContext) =>
    openEvents(context, {
      channel: 'tasks',
      since:
        since == null
          ? undefined
          : Object.fromEntries(since.map(({ workspaceId, seq }) => [workspaceId, requirePlace(seq)])),
      isWanted: isSelected(filter),
    }),
  resolve: unchanged,
}

export const eventPart: SchemaPart = {
  types,
  fields: {
    Subscription: { workspaceEvents, taskEvents },
    TaskEvent: {
      task: {
        scope: 'tasks:read',
        resolve: ({ taskId }: { taskId: string }, _: unknown, { loaders }: GraphqlContext) =>
          loaders.details.load(taskId),
      },
    },
    AgentEvent: {
      agent: {
        scope: 'agents:read',
        resolve: ({ agentId }: { agentId: string }, _: unknown, { loaders }: GraphqlContext) =>
          loaders.agents.load(agentId),
      },
    },
  },
}

function requirePlace(seq: number): number {
  if (seq >= 0) return seq
  throw new TaskboardError('INVALID_FIELD', 'since must not be negative', { field: 'since' })
}
