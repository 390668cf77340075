import assert from 'node:assert/strict'
import { scopes, type Principal, type Scope } from '@taskboard/core'
import { cookieLogin, cookieOf } from '../transport/cookie-login.js'
import type { ClientResponse } from '../transport/http-client.js'
import { logIn, makeUser } from './login-session.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type SendOptions, type V2Session } from './v2-session.js'

type Json = Record<string, unknown>

const DECIDING: readonly Scope[] = ['tasks:read', 'tasks:write', 'approvals:write', 'agents:write']

/** Someone who calls: by an access token, a key or a cookie. */
type Caller = Pick<SendOptions, 'as' | 'headers'>

/** Ada and Bob, logged in, with two keys of Ada and one of Bob. */
async function people(session: V2Session) {
  const callerOf = async (email: string): Promise<Caller> => {
    await makeUser(session, email)
    return { as: (await logIn(session, { email })).access_token }
  }
  const [ada, bob] = [await callerOf('ada@example.com'), await callerOf('bob@example.com')]
  return {
    ada,
    bob,
    worker: await keyOf(session, ada, 'worker'),
    adasOther: await keyOf(session, ada, 'other'),
    bobs: await keyOf(session, bob, 'of Bob'),
  }
}

async function keyOf({ send }: V2Session, owner: Caller, name: string): Promise<Caller> {
  const created = await send('POST', '/v2/account/api-keys', { ...owner, body: { name, scopes: DECIDING } })
  return { as: String(assertAnswer(created, 201)['key']) }
}

/** A task of an agent outside of the host, for which `asker` asks, and others respond. */
async function askedBy(session: V2Session, asker: Caller) {
  const { taskboard, workspaceId, send } = session
  const { id: agentId } = await taskboard.agents.create(workspaceId, { name: 'Outside', type: 'outside' })
  const { id } = await taskboard.board(workspaceId).add({ title: 'Refund order 7', assignedTo: agentId })
  const post = (caller: Caller, path: string, body: object): Promise<ClientResponse> =>
    send('POST', path, { ...caller, body })
  let input = 0
  async function claim(): Promise<unknown> {
    const { task } = assertAnswer(await post(asker, '/v2/tasks/claim', { agent_id: agentId }))
    return (task as Json)['fencing_token']
  }
  return {
    taskId: id,
    claim,
    /** Asks for an approval, and returns how someone decides it. */
    async approval(more: object = {}) {
      const asked = { action: 'refund', summary: 'Refund', input: (input += 1), ...more }
      const body = { ...asked, fencing_token: await claim() }
      const { approval } = assertAnswer(await post(asker, `/v2/tasks/${id}/approvals`, body))
      const { id: approvalId, require_other_person: isOther } = approval as Json
      assert.equal(isOther, 'require_other_person' in more)
      const path = `/v2/approvals/${String(approvalId)}/decision`
      return { by: (caller: Caller) => post(caller, path, { decision: 'approved' }), status: 200 }
    },
    /** Asks a question, and returns how someone answers it. */
    async question(more: object = {}) {
      const body = { reason: 'needs_input', message: 'All of it?', fencing_token: await claim(), ...more }
      assertAnswer(await post(asker, `/v2/tasks/${id}/hold`, body))
      return { by: (caller: Caller) => post(caller, `/v2/tasks/${id}/answer`, { body: 'Yes.' }), status: 201 }
    },
  }
}

interface Response {
  by(caller: Caller): Promise<ClientResponse>
  readonly status: number
}

/** Those who may not are rejected, and then the one who may isn't. */
async function assertResponse(
  { by, status }: Response,
  refused: readonly Caller[],
  may: Caller,
): Promise<void> {
  for (const caller of refused) assertError(await by(caller), 403, 'AUTHORIZATION_FAILED')
  assertAnswer(await by(may), status)
}

/** Who decides and answers what others ask, over HTTP. */
export const responderCases: readonly V2Check[] = [
  {
    id: 'responders.person',
    name: 'a person decides and answers what their keys ask, which no key of theirs does',
    async check(session) {
      const { ada, worker, adasOther, bobs } = await people(session)
      const asked = await askedBy(session, worker)
      for (const may of [ada, bobs, { as: session.key }]) {
        await assertResponse(await asked.approval(), [worker, adasOther], may)
        await assertResponse(await asked.question(), [worker, adasOther], may)
      }
    },
  },
  {
    id: 'responders.session',
    name: 'what somebody asks by a login, no credential of theirs decides or answers',
    async check(session) {
      const { ada, bob, worker, adasOther, bobs } = await people(session)
      const asked = await askedBy(session, ada)
      for (const may of [bob, bobs]) {
        await assertResponse(await asked.approval(), [ada, worker, adasOther], may)
        await assertResponse(await asked.question(), [ada, worker, adasOther], may)
      }
    },
  },
  {
    id: 'responders.other-person',
    name: 'a request for another person, and the setting of the account, require another owner',
    async check(session) {
      const { send, taskboard, accountId } = session
      const { ada, bob, worker, adasOther, bobs } = await people(session)
      const asked = await askedBy(session, worker)
      const other = { require_other_person: true }
      for (const may of [bob, bobs]) {
        await assertResponse(await asked.approval(other), [ada, worker, adasOther], may)
        await assertResponse(await asked.question(other), [ada, worker, adasOther], may)
      }
      const setting = async () => assertAnswer(await send('GET', '/v2/account'))['require_other_person']
      assert.equal(await setting(), false)
      await taskboard.accounts.update(accountId, { requireOtherPerson: true })
      assert.equal(await setting(), true)
      await assertResponse(await asked.approval(), [ada, worker, adasOther], bob)
      const question = await asked.question()
      await assertResponse(question, [ada, worker, adasOther], bobs)

      for (const given of [1, 'true', null]) {
        const body = { action: 'refund', summary: 'Refund', fencing_token: 1, require_other_person: given }
        const path = `/v2/tasks/${asked.taskId}/approvals`
        const answer = await send('POST', path, { ...worker, body })
        assertError(answer, 400, 'INVALID_REQUEST', 'require_other_person')
      }
      const body = { reason: 'failed', message: 'No.', fencing_token: await asked.claim(), ...other }
      const hold = await send('POST', `/v2/tasks/${asked.taskId}/hold`, { ...worker, body })
      assertError(hold, 400, 'INVALID_REQUEST', 'require_other_person')
    },
  },
  {
    id: 'responders.runtime',
    name: 'what an agent in the process asks for another person, any person decides and answers, and no key',
    async check(session) {
      const { taskboard, workspaceId, send } = session
      const { ada, worker } = await people(session)
      const board = taskboard.board(workspaceId)
      const { id: agentId } = await taskboard.agents.create(workspaceId, { name: 'a', type: 'outside' })
      const { id } = await board.add({ title: 'Refund order 7' })
      const claim = async () => (await board.claim({ agentId }))?.lease?.fencingToken ?? 0
      const asked = { action: 'refund', summary: 'Refund', requireOtherPerson: true }
      const { approval } = await board.requestApproval(id, { ...asked, fencingToken: await claim() })
      const path = `/v2/approvals/${approval.id}/decision`
      const decide = (caller: Caller) => send('POST', path, { ...caller, body: { decision: 'approved' } })
      await assert.rejects(board.decide(approval.id, { decision: 'approved' }), { code: 'FORBIDDEN' })
      await assertResponse({ by: decide, status: 200 }, [worker, { as: session.key }], ada)
      await board.ask(id, { fencingToken: await claim(), question: 'All of it?', requireOtherPerson: true })
      const answer = (caller: Caller) =>
        send('POST', `/v2/tasks/${id}/answer`, { ...caller, body: { body: 'Yes.' } })
      await assertResponse({ by: answer, status: 201 }, [worker, { as: session.key }], ada)
    },
  },
  {
    id: 'responders.host-login',
    name: "a principal of the host's login is a person, whose keys decide and answer nothing that they ask",
    options: { ...cookieLogin, tokens: undefined },
    async check(session) {
      const personOf = (id: string): Caller => {
        const { accountId, workspaceId: defaultWorkspaceId } = session
        const reach = { accountId, workspaceIds: 'all', defaultWorkspaceId } as const
        const principal: Principal = { id, kind: 'user', tier: 'enterprise', scopes, ...reach }
        const provenAt = session.clock.now()
        return {
          as: null,
          headers: { cookie: cookieOf({ ...principal, provenAt }), 'sec-fetch-site': 'same-origin' },
        }
      }
      const [ada, bob] = [personOf('ada'), personOf('bob')]
      const [worker, other] = [await keyOf(session, ada, 'worker'), await keyOf(session, ada, 'other')]
      const ofKey = await askedBy(session, worker)
      const ofAda = await askedBy(session, ada)
      for (const kind of ['approval', 'question'] as const) {
        await assertResponse(await ofKey[kind](), [worker, other], ada)
        await assertResponse(await ofKey[kind]({ require_other_person: true }), [worker, other, ada], bob)
        await assertResponse(await ofAda[kind](), [worker, other, ada], bob)
      }
    },
  },
]
