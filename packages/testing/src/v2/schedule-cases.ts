import assert from 'node:assert/strict'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError } from './v2-session.js'

const plants = { cron: '0 9 * * *', time_zone: 'Europe/Berlin', task: { title: 'Water the plants' } }

/** Schedules over API v2. */
export const scheduleCases: readonly V2Check[] = [
  {
    id: 'schedules.lifecycle',
    name: 'a schedule is created, read, listed, changed and deleted',
    async check({ send, workspaceId }) {
      const made = assertAnswer(await send('POST', '/v2/schedules', { body: plants }), 201)
      const given: object = {
        ...made,
        workspace_id: workspaceId,
        cron: '0 9 * * *',
        time_zone: 'Europe/Berlin',
        task: {
          title: 'Water the plants',
          description: null,
          type: null,
          priority: 'medium',
          assigned_to: null,
          tags: [],
          metadata: {},
          budget: null,
        },
        overlap: 'skip',
        enabled: true,
        last_at: null,
        last_task_id: null,
        last_error: null,
      }
      assert.deepEqual({ ...made }, given)
      const path = `/v2/schedules/${String(made['id'])}`
      assert.deepEqual(assertAnswer(await send('GET', path)), made)
      const listed = assertAnswer(await send('GET', '/v2/schedules?limit=1'))
      assert.deepEqual(listed, { schedules: [made], next_cursor: null })
      const body = { enabled: false, task: { title: 'Feed the cat', budget: { cost_usd: 0.5 } } }
      const changed = assertAnswer(await send('PATCH', path, { body }))
      assert.deepEqual([changed['enabled'], changed['next_at']], [false, null])
      assert.deepEqual((changed['task'] as Record<string, unknown>)['budget'], {
        tokens: null,
        cost_usd: 0.5,
      })
      assertAnswer(await send('DELETE', path), 204)
      assertError(await send('GET', path), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'schedules.faults',
    name: 'an expression, a time zone and a task that are not valid are refused by name',
    async check({ send }) {
      const post = (body: object) => send('POST', '/v2/schedules', { body })
      assertError(await post({ task: plants.task }), 400, 'INVALID_REQUEST', 'cron')
      assertError(await post({ cron: plants.cron }), 400, 'INVALID_REQUEST', 'task')
      for (const cron of ['', 'daily', '* * * * * *', '0 0 30 2 *'])
        assertError(await post({ ...plants, cron }), 400, 'INVALID_REQUEST', 'cron')
      assertError(await post({ ...plants, time_zone: 'Nowhere' }), 400, 'INVALID_REQUEST', 'time_zone')
      assertError(await post({ ...plants, overlap: 'queue' }), 400, 'INVALID_REQUEST', 'overlap')
      for (const task of [{}, { title: '' }, { title: 'x', deadline: '2027-01-01T00:00:00Z' }])
        assertError(await post({ ...plants, task }), 400, 'INVALID_REQUEST', 'task')
    },
  },
  {
    id: 'schedules.idempotent',
    name: 'a repeat with the same Idempotency-Key gets the same schedule',
    async check({ send }) {
      const headers = { 'idempotency-key': 'plants' }
      const first = assertAnswer(await send('POST', '/v2/schedules', { body: plants, headers }), 201)
      assert.deepEqual(
        assertAnswer(await send('POST', '/v2/schedules', { body: plants, headers }), 201),
        first,
      )
      const other = { ...plants, cron: '@hourly' }
      assertError(await send('POST', '/v2/schedules', { body: other, headers }), 409, 'CONFLICT')
      const { schedules } = assertAnswer(await send('GET', '/v2/schedules')) as { schedules: object[] }
      assert.equal(schedules.length, 1)
    },
  },
]
