import assert from 'node:assert/strict'
import { addTask, assertDone, assertRefused, BOARD, sessionCase, WEBHOOKS } from './board-session.js'
import type { BoardSession } from './board-session.js'
import type { ClientResponse } from './http-client.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

const MALFORMED = ['%E0%A4%A', '%', '%zz', '%ff', 'task_%C3%28']

/** Paths that no route has, and paths that can't be decoded. */
export function pathCases(options: TransportConformanceOptions): readonly TransportCase[] {
  return [
    sessionCase(
      options,
      'malformed-path',
      'a path whose percent-encoding is malformed names nothing, and is answered in the envelope',
      (session) => checkMalformed(session, ''),
    ),
    sessionCase(
      options,
      'malformed-path-below',
      'so it is below a path that the routes are mounted at',
      (session) => checkMalformed(session, '/nested'),
      { host: { mountPath: '/nested' } },
    ),
    sessionCase(
      options,
      'final-slash',
      'a final slash makes no difference',
      (session) => checkFinalSlash(session, '/nested'),
      { host: { mountPath: '/nested' } },
    ),
    ...['', '/nested'].map((mountPath) =>
      sessionCase(
        options,
        mountPath === '' ? 'described-paths' : 'described-paths-below',
        `the OpenAPI document and the reference name paths as callers see them${mountPath && ', below a path too'}`,
        (session) => checkDescribed(session, mountPath),
        { host: { mountPath } },
      ),
    ),
    ...['', '/nested'].map((mountPath) =>
      sessionCase(
        options,
        mountPath === '' ? 'unknown-path' : 'unknown-path-below',
        `unknown paths are answered in the envelope where the host says so${mountPath && ', below a path too'}`,
        (session) => checkUnknown(session, mountPath),
        { host: { mountPath, notFound: 'envelope' } },
      ),
    ),
  ]
}

async function checkMalformed(session: BoardSession, mountPath: string): Promise<void> {
  const { key } = await session.makeKey(['tasks:read', 'tasks:write'])
  const authorization = `Bearer ${key}`
  for (const id of MALFORMED) {
    for (const [method, path] of [
      ['GET', `/v2/tasks/${id}`],
      ['DELETE', `/v2/tasks/${id}`],
      ['POST', `/v2/tasks/${id}/release`],
    ] as const) {
      const request = { method, path: mountPath + path }
      const answer = await session.request({ ...request, headers: { authorization } })
      assertV2Error(answer, 404)
      assertV2Error(await session.request({ ...request, headers: { authorization: '' } }), 401)
    }
  }
  // Other paths belong to the host, however it answers.
  const lost = await session.request({ path: `${mountPath}/elsewhere/%E0%A4%A` })
  assert.equal(lost.status >= 400 && lost.status < 500, true, lost.text)
  const { id } = await addTaskAt(session, mountPath)
  const escapedId = id.replaceAll(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  const found = await session.request({
    path: `${mountPath}/v2/tasks/${escapedId}`,
    headers: { authorization },
  })
  assert.equal(found.status, 200, found.text)
}

async function checkFinalSlash(session: BoardSession, mountPath: string): Promise<void> {
  const { key } = await session.makeKey(['tasks:read', 'tasks:write'])
  const headers = { authorization: `Bearer ${key}` }
  const { id } = await addTaskAt(session, mountPath)
  for (const path of ['/v2/tasks', `/v2/tasks/${id}`, `/v2/tasks/${id}/comments`, '/v2/openapi.json']) {
    const [plain, slashed] = await Promise.all(
      [path, `${path}/`].map((each) => session.request({ path: mountPath + each, headers })),
    )
    assert.deepEqual([plain?.status, slashed?.status], [200, 200], path)
    assert.equal(slashed?.text, plain?.text, path)
  }
  const cancelled = { method: 'POST', path: `${mountPath}/v2/tasks/${id}/cancel/`, headers, body: {} }
  assert.equal((await session.request(cancelled)).status, 200)
  assertDone(await session.request({ path: `${mountPath}${BOARD}/?action=todo` }))
}

async function addTaskAt(session: BoardSession, mountPath: string): Promise<{ readonly id: string }> {
  if (mountPath === '') return addTask(session, { title: 'x' })
  const path = `${mountPath}${BOARD}?action=add`
  const { task } = assertDone(await session.request({ method: 'POST', path, body: { title: 'x' } }))
  return task as { readonly id: string }
}

async function checkUnknown(session: BoardSession, mountPath: string): Promise<void> {
  for (const method of ['GET', 'POST', 'DELETE']) {
    for (const path of [
      '/v2',
      '/v2/',
      '/v2/nothing',
      '/v2/graphql/x',
      '/v2/%E0%A4%A',
      '/v2/realtime/%ff?a=%ff',
    ]) {
      for (const headers of [{}, { authorization: '' }]) {
        const answer = await session.request({ method, path: mountPath + path, headers })
        const { error } = assertV2Error(answer, 404)
        assert.equal(error.code, 'RESOURCE_NOT_FOUND')
      }
    }
    for (const path of [
      `${BOARD}/x?action=todo`,
      `${BOARD}/%E0%A4%A?action=todo`,
      `${WEBHOOKS}/x`,
      `${WEBHOOKS}/%zz`,
    ])
      assertRefused(await session.request({ method, path: mountPath + path }), 404, 'NOT_FOUND')
  }
  const head = await session.request({ method: 'HEAD', path: `${mountPath}/v2/nothing` })
  assert.deepEqual([head.status, head.text], [404, ''])
  for (const path of ['/v', '/v2x', '/api/boards', '/api/webhooks/list', '/host/nowhere']) {
    const answer = await session.request({ path: mountPath + path })
    assert.deepEqual([answer.status, answer.headers['x-request-id']], [404, undefined], path)
  }
}

async function checkDescribed(session: BoardSession, mountPath: string): Promise<void> {
  const serverOf = async (headers: Readonly<Record<string, string>> = {}) => {
    const answer = await session.request({ path: `${mountPath}/v2/openapi.json`, headers })
    const { servers, paths } = answer.json() as { servers: { url: string }[]; paths: object }
    return { url: servers[0]?.url.replace(/\/$/, '') ?? 'none', paths: Object.keys(paths) }
  }
  const { url, paths } = await serverOf()
  assert.ok(paths.includes(BOARD) && paths.includes(WEBHOOKS) && paths.includes('/v2/tasks'))
  assertDone(await session.request({ path: `${url}${BOARD}?action=todo` }))
  const { key } = await session.makeKey(['tasks:read'])
  const headers = { authorization: `Bearer ${key}` }
  assert.equal((await session.request({ path: `${url}/v2/tasks`, headers })).status, 200)
  const page = async (more = {}) =>
    (await session.request({ path: `${mountPath}/v2/reference`, headers: more })).text
  assert.ok((await page()).includes(`<code>${mountPath}/v2/tasks</code>`))
  // A proxy names the prefix that it removed; an invalid one is ignored.
  const proxied = { 'x-forwarded-prefix': '/proxy/' }
  assert.equal((await serverOf(proxied)).url, `/proxy${mountPath}`)
  assert.ok((await page(proxied)).includes(`<code>/proxy${mountPath}/v2/tasks</code>`))
  for (const odd of ['//evil.example', 'https://evil.example', '/<b>', '/a b', '"'])
    assert.equal((await serverOf({ 'x-forwarded-prefix': odd })).url, mountPath, odd)
}

interface V2Error {
  readonly error: { readonly code: string; readonly request_id: string }
}

function assertV2Error(answer: ClientResponse, status: number): V2Error {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  const body = answer.json() as unknown as V2Error
  assert.deepEqual(Object.keys(body.error), ['code', 'message', 'details', 'request_id', 'timestamp'])
  assert.equal(body.error.request_id, answer.headers['x-request-id'])
  return body
}
