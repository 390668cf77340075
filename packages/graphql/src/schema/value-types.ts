import {
  approvalStatuses,
  askerKinds,
  columns,
  commentKinds,
  holdReasons,
  overlaps,
  priorities,
  taskStatuses,
  tiers,
} from '@taskboard/core'
import {
  actorKinds,
  agentStatuses,
  approvalDecisions,
  deliveryStatuses,
  disabledReasons,
  logLevels,
  principalKinds,
  realtimeEventTypes,
  taskSorts,
  usageGroups,
} from '@taskboard/core/transport'
import { GraphQLEnumType, GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql'
import { periodDays } from './workspace-part.js'

/** An enum whose names are its values in upper case, with underscores. */
function enumOf(name: string, description: string, values: readonly string[]): GraphQLEnumType {
  const entries = values.map((value) => [value.toUpperCase().replace('.', '_'), { value }])
  return new GraphQLEnumType({ name, description, values: Object.fromEntries(entries) })
}

const dateTime = new GraphQLScalarType({
  name: 'DateTime',
  description:
    'An ISO 8601 date and time. Returned in UTC with milliseconds, accepted with `Z` or an offset.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => (typeof value === 'number' ? new Date(value).toISOString() : value),
  parseValue: requireText,
  parseLiteral: (node) => requireText(node.kind === Kind.STRING ? node.value : undefined),
})

function requireText(value: unknown): string {
  if (typeof value === 'string') return value
  throw new GraphQLError('DateTime must be text')
}

const metadata = new GraphQLScalarType({
  name: 'Metadata',
  description: 'An object whose members are texts or lists of texts.',
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
})

/** The scalars and enums of the schema. */
export const valueTypes = [
  dateTime,
  metadata,
  enumOf('TaskStatus', 'The status of a task. `BLOCKED` waits for a person.', taskStatuses),
  enumOf(
    'Column',
    'A column of the board.',
    columns.map((column) => column.toLowerCase()),
  ),
  enumOf(
    'TaskSort',
    'The order of tasks. `CREATED`: newest first. `UPDATED`: latest change first. `DUE`: earliest due date first, none last. `PRIORITY_SCORE`: only tasks in `TODO`, highest score first, tasks on hold last.',
    taskSorts,
  ),
  enumOf('Priority', 'How urgent a task is.', priorities),
  enumOf('HoldReason', 'Why a task is kept from agents.', holdReasons),
  enumOf('UsageGroup', 'The grouping of the sums of usage.', usageGroups),
  enumOf('CommentKind', 'The kind of a comment.', commentKinds),
  enumOf('ApprovalStatus', 'The state of an approval.', approvalStatuses),
  enumOf(
    'ApprovalAsker',
    "The requester: an agent in the host's process, a credential, or the host's own code.",
    askerKinds,
  ),
  enumOf('ApprovalDecision', 'The decision of a person.', approvalDecisions),
  enumOf('ApprovalOutcome', 'The outcome of an approval request.', [...approvalDecisions, 'pending']),
  enumOf('ActorKind', 'The kind of actor that made a change.', actorKinds),
  enumOf(
    'Overlap',
    'Whether an occurrence skips or adds its task while the previous task is open.',
    overlaps,
  ),
  enumOf('LogLevel', 'The severity of a log line.', logLevels),
  enumOf('AgentStatus', 'The status of an agent.', agentStatuses),
  enumOf('EventType', 'The types of events on a board.', realtimeEventTypes),
  enumOf('AnalyticsPeriod', 'Whole days in UTC, including today.', Object.keys(periodDays)),
  enumOf('Tier', 'The subscription of an account.', tiers),
  enumOf('CallerKind', 'The kind of credential.', principalKinds),
  enumOf('DeliveryStatus', 'The state of a delivery.', deliveryStatuses),
  enumOf('DisabledReason', 'Why a webhook is disabled.', disabledReasons),
]
