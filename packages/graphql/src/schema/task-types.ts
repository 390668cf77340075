export const taskTypes = /* GraphQL */ `
  extend type Query {
    "A task; null for one that there is not. Needs tasks:read."
    task(id: ID!): Task
    "The tasks of all workspaces within reach, newest first. Needs tasks:read."
    tasks(
      "How many at most: 1 to 100."
      first: Int = 20
      "The endCursor of the page before."
      after: String
      status: TaskStatus
      "Tasks that are assigned to this agent, that it works, or that it completed."
      agentId: ID
      workspaceId: ID
    ): TaskConnection
  }

  extend type Mutation {
    "Adds a task, for the agents of its workspace to take."
    createTask(input: CreateTaskInput!): Task
    "Changes the fields that are given, and no others; null clears."
    updateTask(id: ID!, input: UpdateTaskInput!): Task
    "Deletes a task with its log and outputs, and gives its id. Refused while other tasks depend on it."
    deleteTask(id: ID!): ID
    "Moves a task to any column; one that an agent works is taken from it."
    moveTask(id: ID!, to: Column!): Task
    "Puts a task aside for good; releasing it brings it back. Refused once it is completed."
    cancelTask(id: ID!, message: String): Task
    "Ends what holds a task, which may then be taken again, with a fresh set of attempts."
    releaseTask(id: ID!): Task
  }

  input CreateTaskInput {
    "1 to 200 characters."
    title: String!
    description: String
    "1 to 64 characters, a label for the agent: it restricts nobody."
    type: String
    "Default MEDIUM."
    priority: Priority
    "The only agent that may take the task."
    assignedTo: ID
    deadline: DateTime
    "No agent takes the task earlier."
    notBefore: DateTime
    tags: [String!]
    metadata: Metadata
    "Tasks that must be done before agents may take it."
    dependsOn: [ID!]
    "Default: the caller's own."
    workspaceId: ID
  }

  input UpdateTaskInput {
    title: String
    description: String
    type: String
    priority: Priority
    assignedTo: ID
    deadline: DateTime
    notBefore: DateTime
    tags: [String!]
    metadata: Metadata
    dependsOn: [ID!]
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
    title: String!
    description: String
    type: String
    priority: Priority!
    status: TaskStatus!
    column: Column!
    "What keeps a task in TODO from agents."
    hold: Hold
    "In percent."
    progress: Int!
    "Who works it; else who completed it; else who is to do it."
    agent: Agent
    assignedTo: ID
    deadline: DateTime
    notBefore: DateTime
    tags: [String!]!
    metadata: Metadata!
    dependsOn: [ID!]!
    "How many of dependsOn are not done."
    openDependencies: Int!
    result: String
    attempts: Int!
    createdAt: DateTime!
    updatedAt: DateTime!
    startedAt: DateTime
    completedAt: DateTime
    "When the agents will be done with it, or were; null while nobody can tell."
    estimatedCompletion: DateTime
    "The newest 100 lines, oldest first."
    logs: [LogLine!]!
    outputs: [Output!]!
  }

  "What keeps a task in TODO from agents."
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

  "A reference to something that was made."
  type Output {
    type: String!
    name: String!
    url: String!
    "In bytes; null when unknown."
    size: Float
  }
`
