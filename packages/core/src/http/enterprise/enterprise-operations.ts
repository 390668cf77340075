import type { Surface } from '../../surface.js'
import { accountOperations } from './account-operations.js'
import type { Operation } from './operation.js'
import { referenceOperations } from './reference-operations.js'

/** All that the enterprise API of this task board does. */
export function enterpriseOperations(_surface: Surface): readonly Operation[] {
  const operations: readonly Operation[] = [...accountOperations]
  return [...operations, ...referenceOperations(operations)]
}
