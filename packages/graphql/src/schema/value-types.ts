import { holdReasons, priorities, taskStatuses, tiers } from '@taskboard/core'
import { GraphQLEnumType, GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql'
import { eventTypes } from '../subscriptions/event-source.js'

/** An enum whose names are its values in upper case, with underscores. */
function enumOf(name: string, description: string, values: readonly string[]): GraphQLEnumType {
  const entries = values.map((value) => [value.toUpperCase().replace('.', '_'), { value }])
  return new GraphQLEnumType({ name, description, values: Object.fromEntries(entries) })
}

const dateTime = new GraphQLScalarType({
  name: 'DateTime',
  description: 'A date and time by ISO 8601: given in UTC with milliseconds, taken with `Z` or an offset.',
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
  enumOf('TaskStatus', 'What a task is in one word. `BLOCKED` waits for a person.', taskStatuses),
  enumOf('Column', 'A column of the board.', ['todo', 'doing', 'done']),
  enumOf('Priority', 'How urgent a task is.', priorities),
  enumOf('HoldReason', 'Why a task is kept from agents.', holdReasons),
  enumOf('LogLevel', 'How serious a line of a log is.', ['debug', 'info', 'warn', 'error']),
  enumOf('AgentStatus', 'What an agent is up to.', ['available', 'busy', 'offline']),
  enumOf('EventType', 'What may happen on a board.', eventTypes),
  enumOf('AnalyticsPeriod', 'Whole days in UTC, today among them.', [
    'last_7_days',
    'last_30_days',
    'last_90_days',
  ]),
  enumOf('Tier', 'What an account subscribes to.', tiers),
  enumOf('CallerKind', 'What the credential is.', ['user', 'api_key']),
  enumOf('DeliveryStatus', 'What became of a delivery.', ['pending', 'succeeded', 'failed', 'skipped']),
  enumOf('DisabledReason', 'Why a webhook gets nothing.', ['gone', 'failing', 'host']),
]
