import { accessCases } from './access-cases.js'
import { chatAndWebhookCases } from './chat-and-webhook-cases.js'
import { checkOrderCases } from './check-order-cases.js'
import { connectionCases } from './connection-cases.js'
import { crossOriginCases } from './cross-origin-cases.js'
import { errorCases } from './error-cases.js'
import { hostCases } from './host-cases.js'
import { hostileCases } from './hostile-cases.js'
import { limitCases } from './limit-cases.js'
import { pathCases } from './path-cases.js'
import { taskCases } from './task-cases.js'
import { unknownFieldCases } from './unknown-field-cases.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

/**
 * Everything that an adapter has to get right, as cases for any test runner: each starts a host of its own, speaks HTTP to
 * it over a real socket, and closes it. No case depends on another, and none waits for time to pass.
 */
export function transportConformance(options: TransportConformanceOptions): readonly TransportCase[] {
  return [
    ...taskCases(options),
    ...chatAndWebhookCases(options),
    ...errorCases(options),
    ...unknownFieldCases(options),
    ...checkOrderCases(options),
    ...limitCases(options),
    ...accessCases(options),
    ...crossOriginCases(options),
    ...hostileCases(options),
    ...hostCases(options),
    ...pathCases(options),
    ...connectionCases(options),
  ]
}
