import assert from 'node:assert/strict'
import { scopes } from '@taskboard/core'
import { PASSWORD } from './login-options.js'
import { logIn, makeUser, tryRefresh } from './login-session.js'
import { SUITE_CHANNEL_TYPE } from './suite-channel-type.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

const AUDIT = '/v2/account/audit'
const KEYS = '/v2/account/api-keys'
const MEMBERS = '/v2/account/members'
const CHANNELS = '/v2/notification-channels'
const MINUTE_MS = 60_000

interface Made {
  readonly id?: string
  readonly invitation?: { readonly id: string }
}

interface WireRecord {
  readonly id: string
  readonly at: string
  readonly action: string
  readonly outcome: string
  readonly by: Readonly<Record<string, string | null>>
  readonly target: { readonly kind: string; readonly id: string } | null
  readonly details: Readonly<Record<string, unknown>>
}

async function recordsOf({ send }: V2Session, as: string, query = ''): Promise<readonly WireRecord[]> {
  return assertAnswer(await send('GET', `${AUDIT}?limit=1000${query}`, { as }))['records'] as WireRecord[]
}

/** Who did what, as an account sees it. */
export const auditCases: readonly V2Check[] = [
  {
    id: 'audit.attributed',
    name: 'each change of who may do what is on record with its user, from where it came, and its request',
    async check(session) {
      const { send, workspaceId, clock } = session
      const user = await makeUser(session)
      const { access_token: as, refresh_token: refreshToken } = await logIn(session)
      let number = 0
      const seen = new Set((await recordsOf(session, as)).map(({ id }) => id))

      /** Sends a request, and returns the id of the created resource after it was found on record. */
      async function recorded(
        [method, path, body]: readonly [string, string, unknown?],
        action: string,
        kind: string,
        target?: string,
      ): Promise<string> {
        number += 1
        const headers = { 'x-request-id': `request-${number}` }
        const answer = await send(method, path, { as, body, headers })
        assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
        const value = (answer.text === '' ? {} : answer.json()) as Made
        const fresh = (await recordsOf(session, as)).filter(({ id }) => !seen.has(id))
        for (const { id } of fresh) seen.add(id)
        assert.deepEqual(
          fresh.map((each) => [each.action, each.outcome, each.target?.kind]),
          [[action, 'done', kind]],
          `${method} ${path}`,
        )
        const [record] = fresh
        const { by } = record as WireRecord
        assert.deepEqual([by['kind'], by['id'], by['request_id']], ['user', user.id, `request-${number}`])
        assert.match(String(by['client_address']), /^(::1|(::ffff:)?127\.0\.0\.1)$/)
        assert.match(String(by['session_id']), /^ses_/)
        if (target !== undefined) assert.equal(record?.target?.id, target)
        await clock.advance(1_000)
        return value.invitation?.id ?? value.id ?? ''
      }

      const key = await recorded(
        ['POST', KEYS, { name: 'k', scopes: ['tasks:read'] }],
        'key.created',
        'api_key',
      )
      await recorded(['POST', `${KEYS}/${key}/rotate`, {}], 'key.rotated', 'api_key', key)
      await recorded(['DELETE', `${KEYS}/${key}`], 'key.revoked', 'api_key', key)
      const invite = { email: 'grace@acme.example', role: 'member', show_link: true }
      const invitationId = await recorded(['POST', MEMBERS, invite], 'invitation.created', 'invitation')
      const invitation = `/v2/account/invitations/${invitationId}`
      await recorded(['DELETE', invitation], 'invitation.withdrawn', 'invitation', invitationId)
      const other = await makeUser(session, 'eve@example.com')
      for (const { id } of await recordsOf(session, as)) seen.add(id)
      const member = `${MEMBERS}/${other.id}`
      await recorded(['PATCH', member, { role: 'viewer' }], 'member.changed', 'user', other.id)
      await recorded(['DELETE', member], 'member.deleted', 'user', other.id)
      const workspace = await recorded(
        ['POST', '/v2/workspaces', { name: 'w' }],
        'workspace.created',
        'workspace',
      )
      const place = `/v2/workspaces/${workspace}`
      await recorded(['PATCH', place, { name: 'x' }], 'workspace.changed', 'workspace', workspace)
      await recorded(['DELETE', place], 'workspace.deleted', 'workspace', workspace)
      const hook = {
        workspace_id: workspaceId,
        url: 'https://hooks.example/secret-path',
        events: ['task.created'],
      }
      const hookId = await recorded(['POST', '/v2/webhooks', hook], 'webhook.created', 'webhook')
      await recorded(['PATCH', `/v2/webhooks/${hookId}`, { enabled: false }], 'webhook.changed', 'webhook')
      await recorded(['POST', `/v2/webhooks/${hookId}/rotate-secret`, {}], 'webhook.changed', 'webhook')
      await recorded(['DELETE', `/v2/webhooks/${hookId}`], 'webhook.deleted', 'webhook', hookId)
      const plan = { workspace_id: workspaceId, cron: '0 9 * * *', task: { title: 'A planned title' } }
      const planId = await recorded(['POST', '/v2/schedules', plan], 'schedule.created', 'schedule')
      const schedule = `/v2/schedules/${planId}`
      await recorded(['PATCH', schedule, { enabled: false }], 'schedule.changed', 'schedule', planId)
      await recorded(['DELETE', schedule], 'schedule.deleted', 'schedule', planId)
      const budget = `/v2/workspaces/${workspaceId}/budget`
      await recorded(['PATCH', budget, { budget: { tokens: 9 } }], 'budget.changed', 'workspace', workspaceId)
      await recorded(['POST', '/v2/auth/step-up', { password: PASSWORD }], 'session.proven', 'session')
      await tryRefresh(session, refreshToken)
      assert.equal((await recordsOf(session, as)).filter(({ id }) => !seen.has(id)).length, 0)
      const texts = JSON.stringify(await recordsOf(session, as))
      for (const secret of [PASSWORD, as, refreshToken, 'secret-path', 'A planned title'])
        assert.ok(!texts.includes(secret), 'the audit has no secret')
    },
  },
  {
    id: 'audit.nothing-changed',
    name: 'a request that changes nothing leaves no record',
    async check(session) {
      const { send, workspaceId, taskboard, accountId } = session
      await makeUser(session)
      const { access_token: as } = await logIn(session)
      const make = async (path: string, body: object) =>
        String(assertAnswer(await send('POST', path, { as, body }), 201)['id'])
      const key = await make(KEYS, { name: 'k', scopes: ['tasks:read'] })
      assertAnswer(await send('DELETE', `${KEYS}/${key}`, { as }), 204)
      const here = { workspace_id: workspaceId }
      const hook = await make('/v2/webhooks', {
        ...here,
        url: 'https://a.example/',
        events: ['task.created'],
      })
      const plan = await make('/v2/schedules', { ...here, cron: '@daily', task: { title: 't' } })
      const chat = {
        type: SUITE_CHANNEL_TYPE,
        name: 'c',
        config: { room: 'orders' },
        events: ['task.created'],
      }
      const secret = { url: 'https://chat.example/secret' }
      const channel = await make(CHANNELS, { ...here, ...chat, config: { ...chat.config, ...secret } })
      const place = `/v2/workspaces/${workspaceId}`
      const { name } = await taskboard.accounts.getWorkspace(workspaceId)
      const before = await recordsOf(session, as)
      assertAnswer(await send('DELETE', `${KEYS}/${key}`, { as }), 204)
      assertAnswer(await send('PATCH', `/v2/webhooks/${hook}`, { as, body: {} }))
      const resend = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
      assertAnswer(await send('POST', `/v2/webhooks/${hook}/resend`, { as, body: resend }))
      const samePlan = { cron: '@daily', time_zone: 'UTC', task: { title: 't' }, enabled: true }
      for (const body of [{}, samePlan])
        assertAnswer(await send('PATCH', `/v2/schedules/${plan}`, { as, body }))
      const { name: called, events, config } = chat
      for (const body of [
        {},
        { config },
        { name: called, events, config: { ...config, url: '********' } },
        { config: { ...config, ...secret } },
      ])
        assertAnswer(await send('PATCH', `${CHANNELS}/${channel}`, { as, body }))
      const correction = { workspace_id: workspaceId, reason: 'of nothing' }
      assertAnswer(await send('POST', '/v2/account/usage/corrections', { as, body: correction }), 201)
      assert.equal(assertAnswer(await send('PATCH', place, { as, body: { name } }))['name'], name)
      await taskboard.accounts.update(accountId, { tier: 'enterprise', requireOtherPerson: false })
      assert.deepEqual(await recordsOf(session, as), before)
      const other = { config: { ...config, url: 'https://chat.example/other' } }
      assertAnswer(await send('PATCH', `${CHANNELS}/${channel}`, { as, body: other }))
      assertAnswer(
        await send('PATCH', `/v2/schedules/${plan}`, { as, body: { ...samePlan, cron: '@hourly' } }),
      )
      assertAnswer(await send('PATCH', place, { as, body: { name: 'Another' } }))
      assert.equal((await recordsOf(session, as)).length, before.length + 3)
    },
  },
  {
    id: 'audit.read',
    name: 'the audit is read with its own scope, by callers that reach the whole account, in pages and by filters',
    async check(session) {
      const { send, makeKey, stranger, workspaceId, clock } = session
      const { key } = await makeKey(['audit:read'])
      assert.ok((await recordsOf(session, key)).some(({ action }) => action === 'account.created'))
      const without = await makeKey(scopes.filter((scope) => scope !== 'audit:read'))
      assertError(await send('GET', AUDIT, { as: without.key }), 403, 'AUTHORIZATION_FAILED')
      const bound = await makeKey(['audit:read'], workspaceId)
      assert.equal((await send('GET', AUDIT, { as: bound.key })).status, 403)
      const theirs = JSON.stringify(await recordsOf(session, stranger.key))
      const own = await recordsOf(session, key)
      for (const { id } of own) assert.ok(!theirs.includes(id))

      const user = await makeUser(session)
      await clock.advance(MINUTE_MS)
      const from = new Date(clock.now()).toISOString()
      await logIn(session)
      const since = await recordsOf(session, key, `&from=${encodeURIComponent(from)}`)
      assert.deepEqual(
        since.map(({ action }) => action),
        ['session.began'],
      )
      const before = await recordsOf(session, key, `&to=${encodeURIComponent(from)}`)
      assert.ok(before.every(({ at }) => at < from) && before.length > 0)
      const byUser = await recordsOf(session, key, `&actor_id=${user.id}`)
      assert.deepEqual(
        byUser.map(({ action }) => action),
        ['session.began'],
      )
      const made = await recordsOf(session, key, '&action=key.created')
      assert.ok(made.length >= 3 && made.every(({ action }) => action === 'key.created'))

      const ids: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const rest: string = cursor === '' ? '' : `&cursor=${cursor}`
        const page = assertAnswer(await send('GET', `${AUDIT}?limit=2${rest}`, { as: key }))
        ids.push(...(page['records'] as WireRecord[]).map(({ id }) => id))
        cursor = page['next_cursor'] as string | null
      }
      assert.deepEqual(
        ids,
        (await recordsOf(session, key)).map(({ id }) => id),
      )
      for (const [query, field] of [
        ['action=all', 'action'],
        ['cursor=none', 'cursor'],
        ['from=now', 'from'],
      ] as const)
        assertError(await send('GET', `${AUDIT}?${query}`, { as: key }), 400, 'INVALID_REQUEST', field)
    },
  },
]
