import assert from 'node:assert/strict'
import { scopes, type Principal } from '@taskboard/core'
import { cookieLogin, cookieOf } from '../transport/cookie-login.js'
import { sendRequest } from '../transport/http-client.js'
import { createTenantFixture, snapshotOf, type TenantFixture } from './tenant-fixture.js'
import { documentedOperations } from './documented-operations.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type Tenant } from './v2-session.js'

const ofHost = { ...cookieLogin, tokens: undefined, stepUp: 'host' } as const

/** The host's login: what its cookies and its principals allow. */
export const hostLoginCases: readonly V2Check[] = [
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
  {
    id: 'host-login.names',
    name: 'the name of a principal is kept with what it writes, decides, takes and completes',
    options: ofHost,
    async check(session) {
      const { taskboard, workspaceId } = session
      const ada = { ...callerOf(session), id: 'ada', name: 'Ada Lovelace' }
      const author = { kind: 'user', id: 'ada', name: 'Ada Lovelace' }
      const by = (caller: Principal) => (method: string, path: string, body?: object) =>
        session.send(method, path, {
          as: null,
          headers: { cookie: cookieOf(caller), 'sec-fetch-site': 'same-origin' },
          ...(body !== undefined && { body }),
        })
      const send = by(ada)
      const board = taskboard.board(workspaceId)
      const agent = await taskboard.agents.create(workspaceId, { name: 'a', type: 'outside' })
      const { id } = await board.add({ title: 'a refund' })
      const path = `/v2/tasks/${id}`
      const said = assertAnswer(await send('POST', `${path}/comments`, { body: 'Mine.' }), 201)
      assert.deepEqual(said['author'], author)

      const asking = await board.claim({ agentId: agent.id })
      await board.ask(id, { fencingToken: asking?.lease?.fencingToken ?? 0, question: 'Which?' })
      const answered = assertAnswer(await send('POST', `${path}/answer`, { body: 'That.' }), 201)
      assert.deepEqual(answered['author'], author)

      const fencingToken = (await board.claim({ agentId: agent.id }))?.lease?.fencingToken ?? 0
      const { approval } = await board.requestApproval(id, { fencingToken, action: 'refund', summary: 's' })
      const decision = { decision: 'approved' }
      const decided = assertAnswer(await send('POST', `/v2/approvals/${approval.id}/decision`, decision))
      assert.deepEqual(decided['decided_by'], author)
      const found = assertAnswer(await send('GET', `/v2/approvals/${approval.id}`))
      assert.deepEqual(found['decided_by'], author)
      const query = { workspaceId, afterSeq: 0, limit: 1_000 }
      const logged = await session.storage.events.readEvents(query, { now: session.clock.now() })
      const deciders = logged.flatMap(({ type, data }) =>
        type === 'approval.decided' ? [(data as { decidedBy: unknown }).decidedBy] : [],
      )
      assert.deepEqual(deciders, [author])
      const { comments } = assertAnswer(await send('GET', `${path}/comments`)) as { comments: object[] }
      assert.deepEqual(
        comments.map((each) => [
          (each as { kind: string }).kind,
          (each as { author: { name: string } }).author.name,
        ]),
        [
          ['comment', 'Ada Lovelace'],
          ['question', 'a'],
          ['answer', 'Ada Lovelace'],
          ['decision', 'Ada Lovelace'],
        ],
      )

      const takenBy = async () => assertAnswer(await send('GET', path))['taken_by']
      assert.equal(await takenBy(), null)
      assertAnswer(await send('POST', `${path}/move`, { to: 'doing' }))
      assert.deepEqual(await takenBy(), author)
      const { tasks } = assertAnswer(await send('GET', '/v2/tasks?column=doing')) as { tasks: object[] }
      assert.deepEqual(
        tasks.map((task) => (task as { taken_by: unknown }).taken_by),
        [author],
      )
      const nobody = by({ ...ada, id: 'grace', name: null })
      assertAnswer(await nobody('POST', `${path}/complete`, { result: 'by hand' }))
      assert.deepEqual(await takenBy(), { kind: 'user', id: 'grace', name: null })
    },
  },
  {
    id: 'host-login.wrong-names',
    name: 'a principal with a name that people could not read is the host’s fault, and changes nothing',
    options: ofHost,
    async check(session) {
      const wrong: readonly unknown[] = ['', ' ', 'a\nb', 'a\u0000', '\u202eadA', 'x'.repeat(257), 7, {}]
      for (const name of wrong) {
        const caller = { ...callerOf(session), name } as Principal
        const headers = { cookie: cookieOf(caller), 'sec-fetch-site': 'same-origin' }
        const answer = await session.send('POST', '/v2/tasks', { as: null, body: { title: 'x' }, headers })
        assertError(answer, 500, 'INTERNAL_ERROR')
      }
      assert.deepEqual((await session.taskboard.board(session.workspaceId).list('TODO')).tasks, [])
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
