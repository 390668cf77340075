import { z } from 'zod'
import { parseInput } from '../../errors/index.js'
import { fieldNamesOf, requireFields } from '../field-names.js'
import { approvalOperations } from './approval-operations.js'
import { conversationOperations } from './conversation-operations.js'
import { taskOperations } from './task-operations.js'
import { taskWorkOperations } from './task-work-operations.js'

/** The schemas of an operation, with wire names. Where it takes nothing, the schema is of an empty object. */
export interface OperationSchemas {
  /** Its values are text. */
  readonly query: z.ZodObject
  readonly body: z.ZodObject
  readonly answer: z.ZodObject
}

const operations = [
  ...taskOperations,
  ...taskWorkOperations,
  ...conversationOperations,
  ...approvalOperations,
]
const NOTHING = z.object({})

/**
 * The schemas of an operation on tasks or approvals, by its `operationId`, for other protocols that offer the same operation.
 * @throws TypeError for any other id.
 * @example
 * ```ts
 * import { operationSchemas } from '@taskboard/core/transport'
 *
 * console.log(Object.keys(operationSchemas('completeTask').body.shape)) // [ 'fencing_token', 'result' ]
 * ```
 */
export function operationSchemas(operationId: string): OperationSchemas {
  const operation = operations.find(({ id }) => id === operationId)
  if (operation === undefined) throw new TypeError(`no operation ${operationId} on tasks`)
  const { query = NOTHING, body = NOTHING, answer } = operation
  const schema = 'schema' in answer && answer.schema instanceof z.ZodObject ? answer.schema : NOTHING
  return { query, body, answer: schema }
}

/**
 * Reads a JSON object as the enterprise API reads a body: the names of its fields first, then their values.
 * @throws TaskboardError `MISSING_FIELD`, `INVALID_FIELD`.
 * @example
 * ```ts
 * import { isTaskboardError } from '@taskboard/core'
 * import { operationSchemas, readFields } from '@taskboard/core/transport'
 *
 * try {
 *   readFields(operationSchemas('createComment').body, { text: 'Done?' })
 * } catch (error) {
 *   console.log(isTaskboardError(error, 'MISSING_FIELD')) // true
 * }
 * ```
 */
export function readFields<Schema extends z.ZodObject>(
  schema: Schema,
  input: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  requireFields(input, fieldNamesOf(schema))
  return parseInput(schema, input)
}
