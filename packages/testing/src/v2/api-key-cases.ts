import assert from 'node:assert/strict'
import type { Scope } from '@taskboard/core'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError } from './v2-session.js'
import { logIn, makeUser } from './login-session.js'

const PATH = '/v2/account/api-keys'
const DAY_MS = 86_400_000
const UNKNOWN = `${PATH}/ak_00000000000000000000000000`

/** API keys by their users. */
export const apiKeyCases: readonly V2Check[] = [
  {
    id: 'api-keys.create',
    name: 'a user creates a key, which is returned once and has the scopes that it was given',
    async check(session) {
      const { send, clock, workspaceId } = session
      const { id: userId } = await makeUser(session)
      const { access_token: as } = await logIn(session)
      const expires = new Date(clock.now() + DAY_MS).toISOString()
      const body = { name: 'CI', scopes: ['account:read'], expires_at: expires, workspace_id: workspaceId }
      const made = assertAnswer(await send('POST', PATH, { as, body }), 201)
      const { id, key, created_at: created, ...rest } = made
      assert.deepEqual(rest, { ...body, created_by: userId })
      assert.match(String(id), /^ak_/)
      assert.equal(created, new Date(clock.now()).toISOString())
      assertAnswer(await send('GET', '/v2/account', { as: String(key) }))
      const { status } = await send('POST', '/v2/workspaces', { as: String(key), body: { name: 'x' } })
      assert.equal(status, 403)
      const listed = await send('GET', PATH, { as })
      assert.ok(!listed.text.includes(String(key)))
      const [first] = assertAnswer(listed)['api_keys'] as { id: string; prefix: string }[]
      assert.equal(first?.id, id)
      assert.ok(String(key).startsWith(first?.prefix ?? '?'))
      await clock.advance(DAY_MS)
      assert.equal((await send('GET', '/v2/account', { as: String(key) })).status, 401)
    },
  },
  {
    id: 'api-keys.bounds',
    name: 'only an access token creates a key, with no scope that its user lacks and no workspace out of reach',
    async check(session) {
      const { send, stranger } = session
      await makeUser(session, 'ada@example.com', ['account:write', 'tasks:read'])
      const { access_token: as } = await logIn(session)
      const body = { name: 'k', scopes: ['tasks:read'] }
      assertError(await send('POST', PATH, { body }), 403, 'AUTHORIZATION_FAILED')
      const wider = { ...body, scopes: ['tasks:read', 'tasks:write'] }
      assertError(await send('POST', PATH, { as, body: wider }), 403, 'AUTHORIZATION_FAILED')
      for (const workspace of [stranger.workspaceId, 'ws_none']) {
        const beyond = { ...body, workspace_id: workspace }
        assertError(await send('POST', PATH, { as, body: beyond }), 404, 'RESOURCE_NOT_FOUND', 'workspace_id')
      }
      const before = { ...body, expires_at: '2001-01-01T00:00:00Z' }
      assertError(await send('POST', PATH, { as, body: before }), 400, 'INVALID_REQUEST', 'expires_at')
      assertError(await send('POST', PATH, { as, body: {} }), 400, 'INVALID_REQUEST', 'name')
      const none = { name: 'k', scopes: [] }
      assertError(await send('POST', PATH, { as, body: none }), 400, 'INVALID_REQUEST', 'scopes')
      const odd = { name: 'k', scopes: ['all'] }
      assertError(await send('POST', PATH, { as, body: odd }), 400, 'INVALID_REQUEST', 'scopes')
      // Rotating a key does not give more scopes either.
      const { id } = await session.makeKey(['tasks:write'])
      assertError(await send('POST', `${PATH}/${id}/rotate`, { as }), 403, 'AUTHORIZATION_FAILED')
    },
  },
  {
    id: 'api-keys.current',
    name: 'a key revokes itself, whatever its scopes, and nobody else does so by that',
    async check(session) {
      const { send, workspaceId } = session
      const current = `${PATH}/current`
      const { key } = await session.makeKey(['tasks:read'], workspaceId)
      const other = await session.makeKey(['tasks:read'])
      assertAnswer(await send('DELETE', current, { as: key }), 204)
      assertError(await send('DELETE', current, { as: key }), 401, 'AUTHENTICATION_FAILED')
      assertAnswer(await send('GET', '/v2/tasks', { as: other.key }))
      await makeUser(session)
      const { access_token: as } = await logIn(session)
      assertError(await send('DELETE', current, { as }), 403, 'AUTHORIZATION_FAILED')
    },
  },
  {
    id: 'api-keys.weaker',
    name: 'nobody revokes a key that has scopes which they lack',
    async check(session) {
      const { send } = session
      const { key: weak } = await session.makeKey(['account:write', 'tasks:read'])
      const strong = await session.makeKey(['account:write', 'tasks:write'])
      const equal = await session.makeKey(['tasks:read'])
      assertError(await send('DELETE', `${PATH}/${strong.id}`, { as: weak }), 403, 'AUTHORIZATION_FAILED')
      assertAnswer(await send('DELETE', `${PATH}/${equal.id}`, { as: weak }), 204)
    },
  },
  {
    id: 'api-keys.made-by',
    name: 'a key names the user who made it and its last use, and ends with that user',
    async check(session) {
      const { send, clock, taskboard } = session
      const { id: userId } = await makeUser(session)
      const { access_token: as } = await logIn(session)
      const body = { name: 'k', scopes: ['tasks:read'] }
      const made = assertAnswer(await send('POST', PATH, { as, body }), 201)
      const listed = async () => {
        const page = assertAnswer(await send('GET', PATH))['api_keys'] as Record<string, unknown>[]
        return page.find(({ id }) => id === made['id'])
      }
      const fresh = await listed()
      assert.deepEqual([fresh?.['created_by'], fresh?.['last_used_at']], [userId, null])
      assertAnswer(await send('GET', '/v2/tasks', { as: String(made['key']) }))
      assert.equal((await listed())?.['last_used_at'], new Date(clock.now()).toISOString())
      const rotated = assertAnswer(await send('POST', `${PATH}/${String(made['id'])}/rotate`, { as }), 201)
      assert.equal(rotated['created_by'], userId)
      await taskboard.accounts.deleteUser(userId)
      for (const { key } of [made, rotated]) {
        assertError(await send('GET', '/v2/tasks', { as: String(key) }), 401, 'AUTHENTICATION_FAILED')
      }
    },
  },
  {
    id: 'api-keys.narrowed',
    name: 'a key ends when the user who made it loses a scope of it, and the record of the change names it',
    async check(session) {
      const { send } = session
      const { id: userId } = await makeUser(session)
      await makeUser(session, 'eve@example.com')
      const { access_token: as } = await logIn(session)
      const { access_token: owner } = await logIn(session, { email: 'eve@example.com' })
      const make = async (...scopes: Scope[]) =>
        assertAnswer(await send('POST', PATH, { as, body: { name: 'k', scopes } }), 201)
      const [reads, writes, manages] = [
        await make('tasks:read'),
        await make('tasks:read', 'tasks:write'),
        await make('account:read', 'account:write'),
      ]
      const works = async ({ key }: Record<string, unknown>, path = '/v2/tasks') =>
        (await send('GET', path, { as: String(key) })).status === 200
      const change = async (role: string) =>
        assertAnswer(await send('PATCH', `/v2/account/members/${userId}`, { as: owner, body: { role } }))
      assert.deepEqual([await works(writes), await works(manages, '/v2/account')], [true, true])
      await change('member')
      assert.deepEqual([await works(writes), await works(manages, '/v2/account')], [true, false])
      await change('viewer')
      assert.deepEqual([await works(reads), await works(writes)], [true, false])
      await change('owner')
      assert.deepEqual([await works(writes), await works(manages, '/v2/account')], [false, false])
      const query = '/v2/account/audit?action=member.changed'
      const { records } = assertAnswer(await send('GET', query)) as unknown as {
        readonly records: readonly { readonly details: Readonly<Record<string, unknown>> }[]
      }
      assert.deepEqual(
        records.map(({ details }) => details['keys']),
        [[], [writes['id']], [manages['id']]],
      )
    },
  },
  {
    id: 'api-keys.longest',
    name: 'a key lasts no longer than the host says, also one without an end of its own',
    options: { keys: { longestLifetimeMs: 30 * DAY_MS } },
    async check(session) {
      const { send, clock } = session
      await makeUser(session)
      const { access_token: as } = await logIn(session)
      const at = (days: number) => new Date(clock.now() + days * DAY_MS).toISOString()
      const create = (expires?: string) =>
        send('POST', PATH, { as, body: { name: 'k', scopes: ['tasks:read'], expires_at: expires } })
      assert.equal(assertAnswer(await create(), 201)['expires_at'], at(30))
      assert.equal(assertAnswer(await create(at(30)), 201)['expires_at'], at(30))
      assertError(await create(at(31)), 400, 'INVALID_REQUEST', 'expires_at')
    },
  },
  {
    id: 'api-keys.once',
    name: 'a repeat under the same Idempotency-Key is 409 with the id, and creates no key',
    async check(session) {
      await makeUser(session)
      const { access_token: as } = await logIn(session)
      const request = {
        as,
        body: { name: 'k', scopes: ['tasks:read'] },
        headers: { 'idempotency-key': 'the-first' },
      }
      const made = assertAnswer(await session.send('POST', PATH, request), 201)
      const before = (await session.taskboard.accounts.listKeys(session.accountId)).length
      const again = await session.send('POST', PATH, request)
      assertError(again, 409, 'CONFLICT')
      assert.ok(again.text.includes(String(made['id'])))
      assert.ok(!again.text.includes(String(made['key'])))
      assert.equal((await session.taskboard.accounts.listKeys(session.accountId)).length, before)
    },
  },
  {
    id: 'api-keys.revoke',
    name: 'a revoked key is refused at once; revoking is idempotent, and an unknown key is 404',
    async check(session) {
      const { send, stranger } = session
      const { id, key } = await session.makeKey(['account:read'])
      assert.equal((await send('GET', '/v2/account', { as: key })).status, 200)
      for (let count = 0; count < 2; count++) assertAnswer(await send('DELETE', `${PATH}/${id}`), 204)
      assert.equal((await send('GET', '/v2/account', { as: key })).status, 401)
      assertError(await send('DELETE', UNKNOWN), 404, 'RESOURCE_NOT_FOUND')
      assertError(await send('DELETE', `${PATH}/${id}`, { as: stranger.key }), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'api-keys.rotate',
    name: 'a rotated key is valid until the overlap ends; the new one has the same properties',
    async check(session) {
      const { send, clock } = session
      await makeUser(session)
      const { access_token: as } = await logIn(session)
      const wanted = { name: 'conformance', scopes: ['account:read'] }
      const { id, key } = assertAnswer(await send('POST', PATH, { as, body: wanted }), 201)
      const rotate = (body: object) => send('POST', `${PATH}/${String(id)}/rotate`, { as, body })
      assertError(await rotate({ overlap_s: 604_801 }), 400, 'INVALID_REQUEST', 'overlap_s')
      const made = assertAnswer(await rotate({ overlap_s: 60 }), 201)
      const ends = new Date(clock.now() + 60_000).toISOString()
      assert.deepEqual(made['replaced'], { id, expires_at: ends })
      assert.deepEqual([made['name'], made['scopes']], ['conformance', ['account:read']])
      const works = async (each: unknown) =>
        (await send('GET', '/v2/account', { as: String(each) })).status === 200
      await clock.advance(59_999)
      assert.deepEqual([await works(key), await works(made['key'])], [true, true])
      await clock.advance(1)
      assert.deepEqual([await works(key), await works(made['key'])], [false, true])
      assertError(await rotate({}), 409, 'CONFLICT')
      assertError(await send('POST', `${UNKNOWN}/rotate`, { as }), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'api-keys.pages',
    name: 'keys are listed in pages, each once, newest first',
    async check({ send, makeKey }) {
      for (let count = 0; count < 4; count++) await makeKey(['tasks:read'])
      const whole = assertAnswer(await send('GET', PATH))['api_keys'] as object[]
      assert.equal(whole.length, 5)
      const paged: object[] = []
      let cursor: string | null = null
      do {
        const next = cursor === null ? '' : `&cursor=${cursor}`
        const page: Record<string, unknown> = assertAnswer(await send('GET', `${PATH}?limit=2${next}`))
        paged.push(...(page['api_keys'] as object[]))
        cursor = page['next_cursor'] as string | null
      } while (cursor !== null)
      assert.deepEqual(paged, whole)
      assertError(await send('GET', `${PATH}?cursor=what`), 400, 'INVALID_REQUEST', 'cursor')
    },
  },
]
