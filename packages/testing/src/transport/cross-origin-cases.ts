import assert from 'node:assert/strict'
import { scopes } from '@taskboard/core'
import {
  assertDone,
  assertRefused,
  BOARD,
  sessionCase,
  WEBHOOKS,
  type BoardSession,
} from './board-session.js'
import { cookieLogin, cookieOf } from './cookie-login.js'
import type { ClientRequest, ClientResponse } from './http-client.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

const EVIL = 'https://evil.example'
const PANEL = 'https://panel.example'

/** The requests that a page can make a browser send without asking the server first, besides the ones the API takes. */
const forms: readonly ClientRequest[] = [
  { path: `${BOARD}?action=add`, headers: { 'content-type': 'text/plain' }, body: '{"title":"theirs"}' },
  { path: `${BOARD}?action=add`, body: { title: 'theirs' } },
  { path: `${BOARD}?action=chat`, body: { message: 'hello' } },
  { path: WEBHOOKS, body: { url: 'https://evil.example/hook', events: ['task.created'] } },
  { path: '/v2/tasks', body: { title: 'theirs' } },
  {
    path: '/v2/tasks',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'title=theirs',
  },
]

/** Pages of other origins that send the cookies of a host's login. */
export function crossOriginCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const define = (id: string, name: string, check: (session: BoardSession) => Promise<void>) =>
    sessionCase(options, id, name, check, { taskboard: { ...cookieLogin, allowedOrigins: [PANEL] } })
  return [
    define('cross-origin', 'a page of another origin changes nothing by a cookie', async (session) => {
      const send = await withCookie(session)
      const { id } = await session.taskboard.board(session.workspaceId).add({ title: 'ours' })
      const posts = [...forms, { path: `/v2/tasks/${id}/cancel` }]
      for (const form of posts) {
        for (const headers of foreign) {
          const answer = await send({ ...form, method: 'POST', headers: { ...form.headers, ...headers } })
          assertForbidden(answer, form.path)
        }
      }
      const tasks = await session.storedTasks()
      assert.deepEqual(
        tasks.map(({ title, hold }) => [title, hold]),
        [['ours', null]],
      )
      assert.deepEqual(await session.taskboard.webhooks.list(session.workspaceId), [])
      assertDone(await send({ path: `${BOARD}?action=todo`, headers: foreign[0] }))
    }),
    define(
      'own-origin',
      'pages of the host, and of origins that it allows, are not restricted',
      async (session) => {
        const send = await withCookie(session)
        const add = (headers: Readonly<Record<string, string>>) =>
          send({ method: 'POST', path: `${BOARD}?action=add`, headers, body: { title: 'ours' } })
        assertDone(await add({ origin: session.host.url }))
        assertDone(await add({ origin: session.host.url.replace('http:', 'https:') }))
        assertDone(await add({ 'sec-fetch-site': 'same-origin' }))
        assertDone(await add({ origin: PANEL, 'sec-fetch-site': 'cross-site' }))
        assertRefused(await add({ origin: session.host.url.replace(/\d+$/, '1') }), 403, 'FORBIDDEN')
      },
    ),
    define(
      'lent-nothing',
      'a request is not held to its origin without a cookie, or with a credential',
      async (session) => {
        const { key } = session
        const add = (headers: Readonly<Record<string, string>>) =>
          session.request({ method: 'POST', path: `${BOARD}?action=add`, headers, body: { title: 'x' } })
        assertDone(await add({ authorization: `Bearer ${key}`, cookie: 'theme=dark', origin: EVIL }))
        assertRefused(await add({ authorization: '', origin: EVIL }), 401, 'UNAUTHORIZED')
        const send = await withCookie(session)
        const shown = { authorization: 'Bearer of-the-host', origin: EVIL }
        assertDone(
          await send({ method: 'POST', path: `${BOARD}?action=add`, headers: shown, body: { title: 'x' } }),
        )
      },
    ),
    sessionCase(
      options,
      'cross-origin-keys',
      'where only keys are credentials, cookies and origins do not matter',
      async (session) => {
        const headers = { cookie: 'session=1', origin: EVIL, 'sec-fetch-site': 'cross-site' }
        assertDone(await session.action('add', { title: 'x' }, headers))
        assertRefused(
          await session.action('add', { title: 'x' }, { ...headers, authorization: '' }),
          401,
          'UNAUTHORIZED',
        )
      },
    ),
  ]
}

/** The headers that browsers send for a page of another origin; the last ones are absent or from no browser. */
const foreign: readonly Readonly<Record<string, string>>[] = [
  { origin: EVIL, 'sec-fetch-site': 'cross-site' },
  { origin: 'https://other.panel.example', 'sec-fetch-site': 'same-site' },
  { origin: EVIL },
  { origin: 'null' },
  {},
]

/** Sends as a browser does whose user is logged in. */
async function withCookie(
  session: BoardSession,
): Promise<(request: ClientRequest) => Promise<ClientResponse>> {
  const { workspaceId, taskboard } = session
  const { accountId } = await taskboard.accounts.getWorkspace(workspaceId)
  const cookie = cookieOf({
    id: 'user_1',
    kind: 'user',
    accountId,
    tier: 'professional',
    scopes,
    workspaceIds: 'all',
    defaultWorkspaceId: workspaceId,
  })
  return ({ headers, ...rest }) =>
    session.request({ ...rest, headers: { authorization: '', cookie, ...headers } })
}

function assertForbidden(answer: ClientResponse, path: string): void {
  if (!path.startsWith('/v2')) return assertRefused(answer, 403, 'FORBIDDEN')
  const { error } = answer.json() as { error?: { code: string } }
  assert.deepEqual([answer.status, error?.code], [403, 'AUTHORIZATION_FAILED'], answer.text)
}
