import assert from 'node:assert/strict'
import { addTask, assertRefused, sessionCase } from './board-session.js'
import { hostileRequests } from './hostile-requests.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

/** Bad input of every kind gets the envelope of a 4xx, and leaves no trace. */
export function hostileCases(options: TransportConformanceOptions): readonly TransportCase[] {
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
