import type { Surface } from '../../surface.js'
import { accountOperations } from './account-operations.js'
import type { Operation } from './operation.js'
import { referenceOperations } from './reference-operations.js'
import { webhookOperations } from './webhook-operations.js'

/** All that the enterprise API of this task board does. */
export function enterpriseOperations(_surface: Surface): readonly Operation[] {
  const operations: readonly Operation[] = [...accountOperations, ...webhookOperations]
  return [...operations, ...referenceOperations(operations)]
}
