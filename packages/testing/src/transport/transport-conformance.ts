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
 * Every requirement of an adapter, as cases for any test runner. Each starts its own host, sends HTTP requests to
 * it over a real socket, and closes it. No case depends on another, and none waits for time to pass.
 * @example
 * ```ts
 * import { taskboardPlugin } from '@taskboard/fastify'
 * import { memoryStorage } from '@taskboard/memory'
 * import { transportConformance } from '@taskboard/testing'
 * import Fastify from 'fastify'
 *
 * const cases = transportConformance({
 *   storage: memoryStorage,
 *   async mount(taskboard, { mountPath, notFound }) {
 *     const app = Fastify() // and the hook, the handlers and the 404 that `TransportHost` lists
 *     app.register(taskboardPlugin, { taskboard, prefix: mountPath, notFound })
 *     return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
 *   },
 * })
 * await cases[0]?.run() // in a test file: for (const { name, run } of cases) it(name, run)
 * ```
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
