import type { GraphqlContext } from '../graphql-context.js'
import type { WireObject } from '../wire-names.js'
import type { FieldPlan, SchemaPart } from './field-plan.js'
import { toListedTask } from './listed-task.js'

const types = /* GraphQL */ `
  extend type Mutation {
    "Takes the best task that is ready for an agent; null when there is none."
    claimTask(input: ClaimTaskInput!): ClaimedTask
    "Renews the lease of a claimed task."
    heartbeatTask(id: ID!, input: HeartbeatInput!): WorkedTask
    "Reports the progress of a claimed task."
    reportTaskProgress(id: ID!, input: ProgressInput!): WorkedTask
    "Adds a line to the log of a claimed task."
    addTaskLogLine(id: ID!, input: LogLineInput!): AddedLogLine
    "Adds a reference to something that a claimed task produced."
    addTaskOutput(id: ID!, input: OutputInput!): Output
    "Records usage of a task. Without the token of a claim it also needs agents:write."
    reportTaskUsage(id: ID!, input: UsageInput!): RecordedUsage
    "Creates subtasks of a claimed task, all or none, and returns their ids. With wait, the task waits for them, and that attempt does not count."
    delegateTask(id: ID!, input: DelegateInput!): [ID!]
    "Completes a task with its result: as the agent that works on it, with the token of its claim, or as a person, without one."
    completeTask(id: ID!, input: CompleteTaskInput!): WorkedTask
    "Fails a claimed task. It is retried as long as attempts remain and retry is not false."
    failTask(id: ID!, input: FailTaskInput!): WorkedTask
  }

  input ClaimTaskInput {
    agentId: ID!
    "The length of the lease, 1 to 86,400, from the claim and from each write that sets no other length. Default 60."
    leaseSeconds: Int
    "To claim this task alone: CONFLICT with the reason when the agent cannot take it. An earlier run of the agent on it ends."
    taskId: ID
  }

  input HeartbeatInput {
    "The token of the claim. A superseded one is rejected with CONFLICT."
    fencingToken: Int!
    "The length of the lease from now on, for this and the other writes. Default: the length that the claim set."
    leaseSeconds: Int
  }

  input UsageInput {
    "The token of the claim. Without it, the report counts for the attempt in progress."
    fencingToken: Int
    "The name of the language model, 1 to 200 characters."
    model: String!
    inputTokens: Float!
    outputTokens: Float!
    "The part of inputTokens that a cache had. Default 0."
    cachedInputTokens: Float
    "The larger of this and the cost by the prices of the host counts. Default 0."
    costUsd: Float
    leaseSeconds: Int
  }

  "A report of usage."
  type RecordedUsage {
    id: ID!
    taskId: ID!
    agentId: ID
    fencingToken: Int
    model: String!
    inputTokens: Float!
    outputTokens: Float!
    cachedInputTokens: Float!
    costUsd: Float!
    at: DateTime!
    "The sum of all reports on the task."
    total: UsageTotal!
    "The owner of the budget that the report spent: task, agent or workspace. The task is then on hold as BUDGET."
    spent: String
  }

  type UsageTotal {
    inputTokens: Float!
    outputTokens: Float!
    cachedInputTokens: Float!
    costUsd: Float!
  }

  input DelegateInput {
    fencingToken: Int!
    "1 to 50. They have no parentId: the claimed task is their parent."
    tasks: [ListedTaskInput!]!
    "Default false."
    wait: Boolean
    leaseSeconds: Int
  }

  input ProgressInput {
    fencingToken: Int!
    "In percent."
    progress: Int!
    leaseSeconds: Int
  }

  input LogLineInput {
    fencingToken: Int!
    message: String!
    "Default INFO."
    level: LogLevel
    leaseSeconds: Int
  }

  input OutputInput {
    fencingToken: Int!
    type: String!
    name: String!
    url: String!
    "In bytes."
    size: Float
    leaseSeconds: Int
  }

  input CompleteTaskInput {
    "The token of the claim. Without one, a person completes the task, in any column."
    fencingToken: Int
    result: String!
    "Whether a person completes the task even while an agent works on it. That ends the run of the agent. Default false."
    takeOver: Boolean
  }

  input FailTaskInput {
    fencingToken: Int!
    reason: String!
    retry: Boolean
    retryAfterS: Int
  }

  "A newly claimed task."
  type ClaimedTask {
    task: Task!
    fencingToken: Int!
    leaseExpiresAt: DateTime!
    "The answer to the last question on the task; null when there is none."
    answer: Comment
  }

  "The state of a task after an agent's write."
  type WorkedTask {
    id: ID!
    status: TaskStatus!
    progress: Int!
    fencingToken: Int!
    "Null once the lease has expired."
    leaseExpiresAt: DateTime
    "When a failed task can be taken again."
    notBefore: DateTime
  }

  type AddedLogLine {
    message: String!
    level: LogLevel!
  }
`

/** A write to the task `id`, with the response of REST. */
function work(operationId: string): FieldPlan {
  return {
    weight: 250,
    resolve: (
      _: unknown,
      { id, input }: { readonly id: string; readonly input: WireObject },
      { write }: GraphqlContext,
    ) => write(operationId, { params: { taskId: id }, body: given(input) }),
  }
}

/** REST accepts no null for an optional member. */
function given(input: WireObject): WireObject {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

async function claimTask(
  _: unknown,
  { input }: { readonly input: WireObject },
  { write, services, principal }: GraphqlContext,
): Promise<object | null> {
  const claimed = (await write('claimTask', { body: given(input) }))['task'] as WireObject | null
  if (claimed === null) return null
  const { id, fencingToken, leaseExpiresAt, answer } = claimed
  return { task: await services.tasks.find(principal, String(id)), fencingToken, leaseExpiresAt, answer }
}

interface DelegateArguments {
  readonly id: string
  readonly input: WireObject & { readonly tasks: readonly WireObject[] }
}

async function delegateTask(
  _: unknown,
  { id, input: { tasks, ...input } }: DelegateArguments,
  { write }: GraphqlContext,
): Promise<readonly unknown[]> {
  const body = { ...given(input), tasks: tasks.map(toListedTask) }
  const answer = await write('delegateTask', { params: { taskId: id }, body })
  return (answer['tasks'] as readonly WireObject[]).map((task) => task['id'])
}

export const taskWorkPart: SchemaPart = {
  types,
  fields: {
    Mutation: {
      claimTask: { weight: 250, resolve: claimTask },
      heartbeatTask: work('heartbeatTask'),
      reportTaskProgress: work('reportTaskProgress'),
      addTaskLogLine: work('addTaskLogLine'),
      addTaskOutput: work('addTaskOutput'),
      reportTaskUsage: work('reportTaskUsage'),
      delegateTask: { weight: 2_500, resolve: delegateTask },
      completeTask: work('completeTask'),
      failTask: work('failTask'),
    },
  },
}
