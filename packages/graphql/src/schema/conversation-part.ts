import { type Approval, type ApprovalStatus, shortDigest, TaskboardError } from '@taskboard/core'
import type { GraphqlContext } from '../graphql-context.js'
import { nullIfAbsent } from '../loaders.js'
import type { WireObject } from '../wire-names.js'
import type { FieldPlan, SchemaPart } from './field-plan.js'
import { pageSize } from './page-size.js'

const types = /* GraphQL */ `
  extend type Query {
    "The comments on a task, oldest first. Needs tasks:read."
    taskComments(
      taskId: ID!
      "How many at most: 1 to 100."
      first: Int = 20
      "The endCursor of the page before."
      after: String
    ): CommentConnection
    "An approval; null when it does not exist. Needs tasks:read."
    approval(id: ID!): Approval
    "The approvals of all workspaces within reach, newest first. Needs tasks:read."
    approvals(
      "How many at most: 1 to 100."
      first: Int = 20
      "The endCursor of the page before."
      after: String
      status: ApprovalStatus
      taskId: ID
    ): ApprovalConnection
  }

  extend type Mutation {
    "Comments on a task. No one can edit a comment."
    commentTask(id: ID!, body: String!): Comment
    "Answers an agent's question and releases its task."
    answerTask(id: ID!, body: String!): Comment
    "Puts a claimed task on hold. With NEEDS_INPUT the message is a question, and required."
    holdTask(id: ID!, input: HoldTaskInput!): WorkedTask
    "Asks for permission to do one thing, once, under a claim. The action is not tool:…, which is for agents of the host."
    requestApproval(id: ID!, input: RequestApprovalInput!): RequestedApproval
    "Approves or rejects an approval request, and releases its task. Needs approvals:write."
    decideApproval(
      id: ID!
      decision: ApprovalDecision!
      comment: String
      "The shortDigest or inputDigest that the person was shown: rejected when the input has another."
      digest: String
    ): Approval
  }

  input HoldTaskInput {
    fencingToken: Int!
    reason: HoldReason!
    message: String
    "With NEEDS_INPUT: whether someone else than the owner of this credential has to answer."
    requireOtherPerson: Boolean = false
  }

  input RequestApprovalInput {
    fencingToken: Int!
    action: String!
    summary: String!
    "The input of the action, as JSON text. Default: null."
    inputJson: String
    "Whether someone else than the owner of this credential has to decide."
    requireOtherPerson: Boolean = false
  }

  "A page of comments."
  type CommentConnection {
    nodes: [Comment!]!
    "Pages lead forwards only."
    pageInfo: PageInfo!
  }

  type Comment {
    id: ID!
    taskId: ID!
    author: NamedActor!
    kind: CommentKind!
    body: String!
    createdAt: DateTime!
  }

  "The author of a write, decision or request."
  type NamedActor {
    kind: ActorKind!
    id: ID
    "As it was at that time."
    name: String
  }

  "A page of approvals."
  type ApprovalConnection {
    nodes: [Approval!]!
    "Pages lead forwards only."
    pageInfo: PageInfo!
  }

  "An agent's request to do one thing once, and what became of it."
  type Approval {
    id: ID!
    workspaceId: ID!
    taskId: ID!
    action: String!
    summary: String!
    "The input of the action, as JSON text."
    inputJson: String!
    "The SHA-256 of the canonical JSON of the input."
    inputDigest: String!
    "The first 12 digits of inputDigest, such as 3f2a-91bc-0d4e: show it with the input."
    shortDigest: String!
    status: ApprovalStatus!
    agentId: ID!
    requestedBy: ChangeActor!
    "The requester, which can use it."
    asker: ApprovalAsker!
    "Whether another owner has to decide, even without the setting of the account."
    requireOtherPerson: Boolean!
    requestedAt: DateTime!
    expiresAt: DateTime!
    decidedBy: NamedActor
    decidedAt: DateTime
    comment: String
    usedAt: DateTime
  }

  "The author of a change."
  type ChangeActor {
    kind: ActorKind!
    id: ID
  }

  type RequestedApproval {
    outcome: ApprovalOutcome!
    approval: Approval!
  }
`

interface PageArguments {
  readonly first?: number | null
  readonly after?: string | null
}

interface CommentArguments extends PageArguments {
  readonly taskId: string
}

interface ApprovalArguments extends PageArguments {
  readonly status?: ApprovalStatus | null
  readonly taskId?: string | null
}

const pageOf = (nodes: readonly unknown[], endCursor: string | null, { after }: PageArguments) => ({
  nodes,
  pageInfo: {
    hasNextPage: endCursor !== null,
    hasPreviousPage: after != null,
    startCursor: null,
    endCursor,
  },
})

async function listComments(_: unknown, args: CommentArguments, context: GraphqlContext): Promise<object> {
  const { services, principal } = context
  const board = services.board(await services.tasks.locate(principal, args.taskId))
  const { comments, nextCursor } = await board.comments(args.taskId, {
    limit: pageSize(args.first),
    cursor: args.after,
  })
  return pageOf(comments, nextCursor, args)
}

async function listApprovals(_: unknown, args: ApprovalArguments, context: GraphqlContext): Promise<object> {
  const { services, principal } = context
  const { status, taskId, after: cursor } = args
  const filter = { status, taskId, limit: pageSize(args.first), cursor }
  const { approvals, nextCursor } = await services.approvals.search(principal, filter)
  return pageOf(approvals, nextCursor, args)
}

/** A comment on the task `id`, with the response of REST. */
function comment(operationId: string): FieldPlan {
  return {
    weight: 250,
    resolve: (
      _: unknown,
      { id, body }: { readonly id: string; readonly body: string },
      context: GraphqlContext,
    ) => context.write(operationId, { params: { taskId: id }, body: { body } }),
  }
}

interface HoldArguments {
  readonly id: string
  readonly input: WireObject
}

function holdTask(_: unknown, { id, input }: HoldArguments, { write }: GraphqlContext): Promise<WireObject> {
  return write('holdTask', { params: { taskId: id }, body: input })
}

interface RequestArguments {
  readonly id: string
  readonly input: WireObject & { readonly inputJson?: string | null }
}

async function requestApproval(
  _: unknown,
  { id, input: { inputJson, ...input } }: RequestArguments,
  { write, services, principal }: GraphqlContext,
): Promise<object> {
  const body = { ...input, input: inputJson == null ? null : parsed(inputJson) }
  const { outcome, approval } = await write('requestApproval', { params: { taskId: id }, body })
  return {
    outcome,
    approval: await services.approvals.find(principal, String((approval as WireObject)['id'])),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TaskboardError('INVALID_FIELD', 'inputJson must be JSON', { field: 'inputJson' })
  }
}

interface DecisionArguments {
  readonly id: string
  readonly decision: string
  readonly comment?: string | null
  readonly digest?: string | null
}

async function decideApproval(
  _: unknown,
  { id, decision, comment: said, digest }: DecisionArguments,
  { write, services, principal }: GraphqlContext,
): Promise<Approval> {
  await write('decideApproval', { params: { approvalId: id }, body: { decision, comment: said, digest } })
  return services.approvals.find(principal, id)
}

export const conversationPart: SchemaPart = {
  types,
  fields: {
    Query: {
      taskComments: { scope: 'tasks:read', size: 'first', resolve: listComments },
      approval: {
        scope: 'tasks:read',
        resolve: (_: unknown, { id }: { id: string }, { services, principal }: GraphqlContext) =>
          nullIfAbsent(services.approvals.find(principal, id)),
      },
      approvals: { scope: 'tasks:read', size: 'first', resolve: listApprovals },
    },
    Mutation: {
      commentTask: comment('createComment'),
      answerTask: comment('answerTask'),
      holdTask: { weight: 250, resolve: holdTask },
      requestApproval: { weight: 250, resolve: requestApproval },
      decideApproval: { weight: 250, resolve: decideApproval },
    },
    Approval: {
      inputJson: ({ input }: Approval) => JSON.stringify(input),
      shortDigest: ({ inputDigest }: Approval) => shortDigest(inputDigest),
      asker: ({ asker }: Approval) => asker.kind,
    },
  },
}
