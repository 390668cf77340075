import assert from 'node:assert/strict'
import {
  addTask,
  assertDone,
  assertRefused,
  BOARD,
  sessionCase,
  WEBHOOKS,
  type BoardSession,
} from './board-session.js'
import { sendRequest } from './http-client.js'
import type { HostBodies, TransportCase, TransportConformanceOptions } from './transport-case.js'

const ALL_BODIES: readonly HostBodies[] = ['unread', 'json', 'text', 'bytes']

/** The host's own routes stay as they are, and its changes to a request do no harm. */
export function hostCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const bodies = options.hostBodies ?? ALL_BODIES
  return [
    ...bodies.map((kind) =>
      sessionCase(options, `host-routes-${kind}`, `the host's own routes work (bodies: ${kind})`, checkHost, {
        host: { bodies: kind },
      }),
    ),
    ...bodies.map((kind) =>
      sessionCase(
        options,
        `host-bodies-${kind}`,
        `bodies that the host has left as ${kind} are taken`,
        checkBodies,
        {
          host: { bodies: kind },
        },
      ),
    ),
    sessionCase(
      options,
      'host-mount-path',
      'the routes work below a path, and only there',
      async (session) => {
        const post = { method: 'POST', body: { title: 'x' } }
        assertDone(await session.request({ path: `/nested${BOARD}?action=add`, ...post }))
        assertDone(await session.request({ path: `/nested${BOARD}?action=todo` }))
        assertRefused(await session.request({ path: `/nested${WEBHOOKS}`, ...post }), 400, 'MISSING_FIELD')
        assert.equal((await session.request({ path: `${BOARD}?action=todo` })).text, 'host 404')
      },
      { host: { mountPath: '/nested' } },
    ),
    sessionCase(options, 'host-paths', 'other paths are none of the routes’ business', async (session) => {
      for (const path of [
        '/api',
        '/api/boards',
        `${BOARD}/x?action=todo`,
        '/api/webhooks',
        '/api/webhooks/list',
      ]) {
        const answer = await session.request({ path })
        assert.deepEqual([answer.status, answer.text], [404, 'host 404'], path)
      }
    }),
    sessionCase(
      options,
      'custom-paths',
      'the routes are at the paths that the task board was given',
      async (session) => {
        assertDone(await session.request({ path: '/kanban?action=todo' }))
        assertRefused(await session.request({ path: '/hooks', method: 'POST' }), 400, 'MISSING_FIELD')
        assert.equal((await session.request({ path: `${BOARD}?action=todo` })).text, 'host 404')
      },
      { taskboard: { paths: { board: '/kanban', webhooks: '/hooks' } } },
    ),
  ]
}

async function checkHost({ host: { url }, ...session }: BoardSession): Promise<void> {
  const hello = await sendRequest(url, { path: '/host/hello' })
  assert.deepEqual([hello.status, hello.text, hello.headers['x-host']], [200, 'hello', 'hook'])
  const echo = await sendRequest(url, { method: 'POST', path: '/host/echo', body: { a: ['é'] } })
  assert.deepEqual([echo.status, echo.json()], [200, { a: ['é'] }])
  const boom = await sendRequest(url, { path: '/host/boom' })
  assert.deepEqual([boom.status, boom.text], [500, 'host error'])
  const lost = await sendRequest(url, { path: '/nowhere' })
  assert.deepEqual([lost.status, lost.text], [404, 'host 404'])
  const listed = await session.action('todo')
  assertDone(listed)
  assert.equal(listed.headers['x-host'], 'hook')
  const refused = await sendRequest(url, { path: `${BOARD}?action=todo` })
  assertRefused(refused, 401, 'UNAUTHORIZED')
  assert.equal(refused.headers['x-host'], 'hook')
}

async function checkBodies(session: BoardSession): Promise<void> {
  const { id } = await addTask(session, { title: 'Grüße', tags: ['ß'] })
  assertDone(await session.action('move', { task_id: id, to: 'doing' }))
  assertRefused(await session.action('add', {}), 400, 'MISSING_FIELD')
  assertRefused(await session.action('add', []), 400, 'INVALID_JSON')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assertRefused(await session.action('add', 'title=x', form), 415, 'UNSUPPORTED_MEDIA_TYPE')
  const bare = await session.request({ method: 'POST', path: `${BOARD}?action=add` })
  assertRefused(bare, 400, 'MISSING_FIELD')
  const chunked = { 'transfer-encoding': 'chunked' }
  assertDone(await session.action('add', { title: 'in chunks' }, chunked))
  const titles = (await session.storedTasks()).map(({ title }) => title)
  assert.deepEqual(titles.toSorted(), ['Grüße', 'in chunks'])
}
