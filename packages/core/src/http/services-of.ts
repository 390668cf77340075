import { TaskboardError } from '../errors/index.js'
import type { TransportServices } from '../wiring/transport-services.js'

/**
 * The services of the task board that a host passes to an adapter.
 * @throws TaskboardError `INVALID_CONFIG` (`taskboard`) for what `createTaskboard` didn't return.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { servicesOf } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * console.log(servicesOf(taskboard).paths.v2) // /v2
 * ```
 */
export function servicesOf(taskboard: { readonly services: TransportServices }): TransportServices {
  const { services } = Object(taskboard) as { readonly services?: TransportServices }
  if (services !== undefined) return services
  const rule = 'taskboard must be what createTaskboard returns'
  throw new TaskboardError('INVALID_CONFIG', rule, { field: 'taskboard' })
}
