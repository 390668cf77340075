import { z } from 'zod'
import { accountOperations } from './account-operations.js'
import { agentOperations } from './agent-operations.js'
import { approvalOperations } from './approval-operations.js'
import type { ClientMethod } from './client-methods.js'
import { conversationOperations } from './conversation-operations.js'
import { taskOperations } from './task-operations.js'
import { taskWorkOperations } from './task-work-operations.js'

/** The schemas of an operation, with wire names. Without input, the schema is of an empty object. */
export interface OperationSchemas {
  /** The method of a client that calls it, such as `tasks.create`. */
  readonly client: ClientMethod
  /** Its values are text. */
  readonly query: z.ZodObject
  readonly body: z.ZodObject
  readonly answer: z.ZodObject
}

const operations = [
  ...accountOperations,
  ...taskOperations,
  ...taskWorkOperations,
  ...conversationOperations,
  ...approvalOperations,
  ...agentOperations,
]
const NOTHING = z.object({})

/**
 * The schemas of an operation on tasks, approvals, agents or the account, by its `operationId`, for other protocols that offer the same operation.
 * @throws TypeError for any other id.
 * @example
 * ```ts
 * import { operationSchemas } from '@taskboard/core/transport'
 *
 * console.log(Object.keys(operationSchemas('completeTask').body.shape)) // [ 'fencing_token', 'result', 'take_over' ]
 * ```
 */
export function operationSchemas(operationId: string): OperationSchemas {
  const operation = operations.find(({ id }) => id === operationId)
  if (operation === undefined)
    throw new TypeError(`no operation ${operationId} on tasks, approvals, agents or the account`)
  const { client, query = NOTHING, body = NOTHING, answer } = operation
  const schema = 'schema' in answer && answer.schema instanceof z.ZodObject ? answer.schema : NOTHING
  return { client, query, body, answer: schema }
}
