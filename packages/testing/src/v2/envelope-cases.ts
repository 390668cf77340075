import assert from 'node:assert/strict'
import { sendRequest } from '../transport/http-client.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, UNANSWERED } from './v2-session.js'

const WELL_FORMED_ID = /^req_[0-9a-z]{26}$/

/** What all responses have in common. */
export const envelopeCases: readonly V2Check[] = [
  {
    id: 'envelope.error',
    name: 'an error has code, message, details, request id and time',
    async check({ send, clock }) {
      const answer = await send('GET', '/v2/workspaces/ws_0')
      const { error } = answer.json() as { error: Record<string, unknown> }
      assert.deepEqual(Object.keys(error), ['code', 'message', 'details', 'request_id', 'timestamp'])
      assert.equal(error['request_id'], answer.headers['x-request-id'])
      assert.match(String(error['request_id']), WELL_FORMED_ID)
      assert.equal(error['timestamp'], new Date(clock.now()).toISOString())
    },
  },
  {
    id: 'envelope.request-id',
    name: 'every response has a request id: the plain word that the caller sent, else a new one',
    async check({ send }) {
      const sent = await send('GET', '/v2/account', { headers: { 'x-request-id': 'trace-7' } })
      assert.equal(sent.headers['x-request-id'], 'trace-7')
      const odd = await send('GET', '/v2/account', { headers: { 'x-request-id': 'not a word' } })
      assert.match(String(odd.headers['x-request-id']), WELL_FORMED_ID)
    },
  },
  {
    id: 'envelope.credentials',
    name: 'without a valid credential every response is 401',
    async check({ send }) {
      for (const as of [null, '', 'tb_wrong', 'x.y.z']) {
        const answer = await send('GET', '/v2/account', { as })
        assertError(answer, 401, 'AUTHENTICATION_FAILED')
        assert.equal(answer.headers['www-authenticate'], 'Bearer')
        // Not even whether there is such a method.
        assertError(await send('PUT', '/v2/account', { as }), 401, 'AUTHENTICATION_FAILED')
      }
    },
  },
  {
    id: 'envelope.method',
    name: 'a method that a path does not know is 405, and Allow lists those it knows',
    async check({ send }) {
      const answer = await send('PUT', '/v2/account')
      assertError(answer, 405, 'METHOD_NOT_ALLOWED')
      assert.equal(answer.headers['allow'], 'GET, HEAD')
    },
  },
  {
    id: 'envelope.head',
    name: 'HEAD is answered as GET is, without the body',
    async check({ send }) {
      const [get, head] = [await send('GET', '/v2/account'), await send('HEAD', '/v2/account')]
      assert.deepEqual([head.status, head.text], [200, ''])
      assert.equal(head.headers['content-length'], get.headers['content-length'])
    },
  },
  {
    id: 'envelope.bodies',
    name: 'a body that is not JSON object is refused with the reason',
    async check({ send }) {
      const post = (body: unknown, headers = {}) => send('POST', '/v2/workspaces', { body, headers })
      assertError(await post('{'), 400, 'INVALID_REQUEST')
      assertError(await post('[]'), 400, 'INVALID_REQUEST')
      assertError(await post('a=1', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
      assertError(await post({ name: 'x'.repeat(2_000_000) }), 413, 'PAYLOAD_TOO_LARGE')
    },
  },
  {
    id: 'envelope.board-documented',
    name: 'the board API answers as the OpenAPI document says',
    async check({ host, key, openApi }) {
      const ask = async (method: string, path: string, body?: unknown, as = key) => {
        const headers = { authorization: `Bearer ${as}` }
        const answer = await sendRequest(host.url, { method, path, body, headers })
        openApi.assertPromised(method, path.split('?')[0] ?? '', answer)
        return answer
      }
      const board = (action: string) => `/api/board?action=${action}`
      const full = { title: 'A task', due_date: '2026-02-01T00:00:00Z', tags: ['a'], description: 'x' }
      const added = await ask('POST', board('add'), full)
      const { task } = assertAnswer(added) as { task: { id: string } }
      assertAnswer(await ask('POST', board('add'), { title: 'Bare' }))
      assertAnswer(await ask('GET', board('todo')))
      assertAnswer(await ask('GET', `${board('todo')}&limit=1`))
      assertAnswer(await ask('POST', board('move'), { task_id: task.id, to: 'done' }))
      assertAnswer(await ask('GET', board('done')))
      const webhook = { url: 'https://receiver.example/hook', events: ['task.created'], secret: 's' }
      assertAnswer(await ask('POST', '/api/webhooks/create', webhook))
      const refusals = [
        await ask('POST', board('chat'), { message: UNANSWERED }),
        await ask('POST', board('move'), { task_id: 'task_0', to: 'done' }),
        await ask('POST', board('add'), {}),
        await ask('POST', board('nothing'), {}),
        await ask('GET', board('todo'), undefined, 'tb_wrong'),
        await ask('POST', '/api/webhooks/create', {}, 'tb_wrong'),
      ]
      assert.deepEqual(
        refusals.map(({ status }) => status),
        [503, 404, 400, 400, 401, 401],
      )
    },
  },
  {
    id: 'envelope.latin1',
    name: 'a body in latin1 is refused, be it declared or not, and never read as something else',
    async check({ send, taskboard, accountId }) {
      const body = Buffer.from('{"name":"Café"}', 'latin1')
      const undeclared = await send('POST', '/v2/workspaces', { body })
      assertError(undeclared, 400, 'INVALID_REQUEST', '')
      assert.match(undeclared.text, /the body must be UTF-8/)
      for (const charset of [
        'latin1',
        'iso-8859-1',
        'ISO-8859-1',
        '"iso-8859-1"',
        'windows-1252',
        'us-ascii',
      ]) {
        const headers = { 'content-type': `application/json; charset=${charset}` }
        assertError(await send('POST', '/v2/workspaces', { body, headers }), 415, 'UNSUPPORTED_MEDIA_TYPE')
      }
      assert.equal((await taskboard.accounts.listWorkspaces(accountId)).length, 1)
    },
  },
  {
    id: 'envelope.reference',
    name: 'the OpenAPI document and the reference need no credential',
    async check({ send }) {
      const document = assertAnswer(await send('GET', '/v2/openapi.json', { as: null }))
      assert.deepEqual(
        [document['openapi'], (document['info'] as { version: string }).version],
        ['3.1.1', '2.1'],
      )
      const page = await send('GET', '/v2/reference', { as: null })
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
      assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
      assert.match(page.text, /<code>\/v2\/account<\/code>/)
    },
  },
]
