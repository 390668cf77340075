import assert from 'node:assert/strict'
import { accessCases } from './access-cases.js'
import { addTask, assertRefused, sessionCase } from './board-session.js'
import { chatAndWebhookCases } from './chat-and-webhook-cases.js'
import { checkOrderCases } from './check-order-cases.js'
import { connectionCases } from './connection-cases.js'
import { crossOriginCases } from './cross-origin-cases.js'
import { errorCases } from './error-cases.js'
import { hostCases } from './host-cases.js'
import { hostileRequests } from './hostile-requests.js'
import { limitCases } from './limit-cases.js'
import { pathCases } from './path-cases.js'
import { routeCases } from './route-cases.js'
import { taskCases } from './task-cases.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'
import { unknownFieldCases } from './unknown-field-cases.js'

/** Bad input of every kind gets the envelope of a 4xx, and leaves no trace. */
function hostileCases(options: TransportConformanceOptions): readonly TransportCase[] {
  return [
    sessionCase(
      options,
      'hostile',
      'no hostile request is answered with 5xx, and none leaves a trace',
      async (session) => {
        const { id } = await addTask(session, { title: 'still here' })
        for (const request of hostileRequests) {
          const answer = await session.request(request)
          const exchange = `${request.path} ${String(request.body).slice(0, 80)} -> ${answer.text}`
          assert.equal(answer.status >= 400 && answer.status < 500, true, exchange)
          assertRefused(answer, answer.status, String(answer.json()['code']))
        }
        const stored = await session.storedTasks()
        assert.deepEqual(
          stored.map((task) => [task.id, task.column]),
          [[id, 'TODO']],
        )
        assert.deepEqual(await session.taskboard.webhooks.list(session.workspaceId), [])
        assert.equal(Object.hasOwn(Object.prototype, 'title'), false)
      },
      { taskboard: { limits: { boardPerMinute: 1_000 } } },
    ),
  ]
}

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
 *   async mount(taskboard, { mountPath, notFound, routes }) {
 *     const app = Fastify() // and the hook, the handlers and the 404 that `TransportHost` lists
 *     app.register(taskboardPlugin, { taskboard, prefix: mountPath, notFound, routes })
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
    ...routeCases(options),
    ...connectionCases(options),
  ]
}
