import { taskListArguments } from './task-connection.js'
import { changedFields, newFields, shownFields } from './task-field-types.js'

export const taskTypes = /* GraphQL */ `
  extend type Query {
    "A task; null when it does not exist. Needs tasks:read."
    task(id: ID!): Task
    "The tasks of all workspaces within reach that match every given argument. Needs tasks:read."
    tasks(
${taskListArguments}
      workspaceId: ID
    ): TaskConnection
  }

  extend type Mutation {
    "Adds a task that the agents of its workspace can take."
    createTask(input: CreateTaskInput!): Task
    "Adds 1 to 500 tasks of one workspace, all or none, and returns their ids."
    createTasks(tasks: [ListedTaskInput!]!, workspaceId: ID): [ID!]
    "Changes the fields that are given, and no others; null clears."
    updateTask(id: ID!, input: UpdateTaskInput!): Task
    "Deletes a task with its log and outputs, and returns its id. Rejected while other tasks depend on it."
    deleteTask(id: ID!): ID
    "Moves a task to any column. Revokes the lease of an agent that works on it."
    moveTask(id: ID!, to: Column!): Task
    "Cancels a task until it is released. Rejected once it is completed."
    cancelTask(id: ID!, message: String): Task
    "Releases a held task. It can be taken again, with fresh attempts."
    releaseTask(id: ID!, fencingToken: Int): Task
  }

  input CreateTaskInput {
    ${newFields}
    "The task that this one becomes a part of. It can have 50 that are not done; there are at most 5 levels."
    parentId: ID
    "Default: the caller's own."
    workspaceId: ID
  }

  "A task of a list."
  input ListedTaskInput {
    ${newFields}
    "Positions, from 0, of earlier tasks in the list that must be done before agents may take it."
    follows: [Int!]
    "The task that this one becomes a part of. It can have 50 that are not done; there are at most 5 levels."
    parentId: ID
  }

  input UpdateTaskInput {
    ${changedFields}
  }

  "A page of tasks."
  type TaskConnection {
    edges: [TaskEdge!]!
    nodes: [Task!]!
    pageInfo: PageInfo!
  }

  type TaskEdge {
    cursor: String!
    node: Task!
  }

  type PageInfo {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }

  type Task {
    id: ID!
    workspaceId: ID!
    "The task that it is a part of, which may have been deleted."
    parentId: ID
    ${shownFields}
    status: TaskStatus!
    column: Column!
    "The reason that keeps a task in TODO from agents."
    hold: Hold
    "In percent."
    progress: Int!
    "The agent that works on it, else that completed it, else that it is assigned to."
    agent: Agent
    "The person or program that moved it to DOING or DONE, or completed it."
    takenBy: NamedActor
    "How many of dependsOn are not done."
    openDependencies: Int!
    result: String
    attempts: Int!
    createdAt: DateTime!
    updatedAt: DateTime!
    startedAt: DateTime
    completedAt: DateTime
    "When the agents will complete it, or did; null while unknown."
    estimatedCompletion: DateTime
    "The newest 100 lines, oldest first."
    logs: [LogLine!]!
    outputs: [Output!]!
    "The sum of its reported usage."
    usage: UsageTotal!
  }

  "The budget: at least one of the two limits."
  type Budget {
    "Input and output together."
    tokens: Float
    costUsd: Float
  }

  "At least one of the two. One report may use more than is left."
  input BudgetInput {
    "Input and output together: a whole number from 1."
    tokens: Float
    "From 0.000001, in whole millionths."
    costUsd: Float
  }

  "The reason that keeps a task in TODO from agents."
  type Hold {
    reason: HoldReason!
    message: String
    since: DateTime!
  }

  type LogLine {
    timestamp: DateTime!
    message: String!
    level: LogLevel!
  }

  "A reference to something that a task produced."
  type Output {
    type: String!
    name: String!
    url: String!
    "In bytes; null when unknown."
    size: Float
  }
`
