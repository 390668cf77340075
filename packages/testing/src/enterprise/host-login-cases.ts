import assert from 'node:assert/strict'
import { scopes, type Principal } from '@taskboard/core'
import { cookieLogin, cookieOf } from '../transport/cookie-login.js'
import { sendRequest } from '../transport/http-client.js'
import { createTenantFixture, snapshotOf, type TenantFixture } from './tenant-fixture.js'
import { documentedOperations } from './documented-operations.js'
import type { EnterpriseCheck } from './enterprise-case.js'
import { assertError, type Tenant } from './enterprise-session.js'

const ofHost = { ...cookieLogin, tokens: undefined }

/** The host's login: what its cookies and its principals allow. */
export const hostLoginCases: readonly EnterpriseCheck[] = [
  {
    id: 'host-login.cross-origin',
    name: 'a page of another origin changes nothing by a cookie, whatever the operation',
    options: ofHost,
    async check(session) {
      const ours = await createTenantFixture(session, session)
      const before = await snapshotOf(session, ours)
      const cookie = cookieOf(callerOf(session))
      const headers = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      const changing = documentedOperations(session.openApi).filter(
        ({ method, scope }) => method !== 'GET' && scope !== 'none',
      )
      for (const { method, path, body } of changing) {
        const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ours.ids[name] ?? name)
        const answer = await session.send(method, at, { as: null, body, headers })
        assertError(answer, 403, 'AUTHORIZATION_FAILED')
      }
      assert.ok(changing.length > 10)
      assert.deepEqual(await snapshotOf(session, ours), before)
    },
  },
  {
    id: 'host-login.tenancy',
    name: 'a principal that names workspaces of another account reads and changes nothing there',
    options: { ...ofHost, limits: { boardPerMinute: 100_000 } },
    async check(session) {
      const theirs = await createTenantFixture(session, session.stranger)
      const before = await snapshotOf(session, theirs)
      const foreign = session.stranger.workspaceId
      for (const workspaceIds of ['all', [foreign], [foreign, session.workspaceId]] as const) {
        const cookie = cookieOf({ ...callerOf(session), workspaceIds, defaultWorkspaceId: foreign })
        const headers = { cookie, 'sec-fetch-site': 'same-origin' }
        const operations = documentedOperations(session.openApi).filter(({ scope }) => scope !== 'none')
        let unfound = 0
        for (const { method, path, body, pathIds } of operations) {
          const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => theirs.ids[name] ?? name)
          const answer = await session.send(method, at, { as: null, body, headers })
          if (pathIds.length > 0) assertError(answer, 404, 'RESOURCE_NOT_FOUND')
          if (answer.status === 404) unfound += 1
          else assert.ok(!namesAny(answer.text, theirs), `${method} ${path}: ${answer.text}`)
        }
        // What stands for the default workspace is not found either.
        assert.ok(unfound > operations.filter(({ pathIds }) => pathIds.length > 0).length)
        for (const [path, body] of boardRequests) {
          const request = { method: body === undefined ? 'GET' : 'POST', path, headers, body }
          const { status, text } = await sendRequest(session.host.url, request)
          assert.deepEqual([status, (JSON.parse(text) as { code: string }).code], [404, 'NOT_FOUND'], path)
        }
      }
      assert.deepEqual(await snapshotOf(session, theirs), before)
    },
  },
]

const boardRequests: readonly (readonly [path: string, body?: object])[] = [
  ['/api/board?action=todo'],
  ['/api/board?action=done'],
  ['/api/board?action=add', { title: 'x' }],
  ['/api/board?action=chat', { message: 'hello' }],
  ['/api/webhooks/create', { url: 'https://evil.example/hook', events: ['task.created'] }],
]

function namesAny(text: string, { ids }: TenantFixture): boolean {
  return text.includes('theirs') || Object.values(ids).some((id) => text.includes(id))
}

function callerOf({ accountId, workspaceId }: Tenant): Principal {
  const reach = { workspaceIds: 'all', defaultWorkspaceId: workspaceId } as const
  return { id: 'user_1', kind: 'user', accountId, tier: 'enterprise', scopes, ...reach }
}
