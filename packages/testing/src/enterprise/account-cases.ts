import assert from 'node:assert/strict'
import { scopes } from '@taskboard/core'
import type { EnterpriseCheck } from './enterprise-case.js'
import { assertAnswer, assertError } from './enterprise-session.js'

/** The account and its workspaces. */
export const accountCases: readonly EnterpriseCheck[] = [
  {
    id: 'account.get',
    name: 'the account has its tier, its workspaces and the scopes of the caller',
    async check({ send, accountId, workspaceId }) {
      const body = assertAnswer(await send('GET', '/v2/account'))
      assert.equal(body['id'], accountId)
      assert.equal(body['tier'], 'enterprise')
      const [workspace, ...others] = body['workspaces'] as { id: string; is_default: boolean }[]
      assert.deepEqual([workspace?.id, workspace?.is_default, others.length], [workspaceId, true, 0])
      const caller = body['caller'] as { kind: string; scopes: readonly string[] }
      assert.deepEqual([caller.kind, caller.scopes.toSorted()], ['api_key', scopes.toSorted()])
    },
  },
  {
    id: 'account.workspaces',
    name: 'a workspace is created, listed and found, and has its own board',
    async check({ send, workspaceId }) {
      const made = assertAnswer(await send('POST', '/v2/workspaces', { body: { name: ' Second ' } }), 201)
      assert.equal(made['name'], 'Second')
      assert.deepEqual(assertAnswer(await send('GET', `/v2/workspaces/${String(made['id'])}`)), made)
      const { workspaces } = assertAnswer(await send('GET', '/v2/account')) as {
        workspaces: { id: string }[]
      }
      assert.deepEqual(
        workspaces.map(({ id }) => id),
        [workspaceId, made['id']],
      )
    },
  },
  {
    id: 'account.workspace-faults',
    name: 'a workspace needs a name',
    async check({ send }) {
      assertError(await send('POST', '/v2/workspaces'), 400, 'INVALID_REQUEST', 'name')
      assertError(
        await send('POST', '/v2/workspaces', { body: { name: ' ' } }),
        400,
        'INVALID_REQUEST',
        'name',
      )
      assertError(await send('POST', '/v2/workspaces', { body: { name: 7 } }), 400, 'INVALID_REQUEST', 'name')
    },
  },
  {
    id: 'account.bound-key',
    name: 'a key of a workspace sees only that one, and creates none',
    async check({ taskboard, send, accountId, makeKey }) {
      const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
      const { key } = await makeKey(['account:read', 'account:write'], second.id)
      const { workspaces } = assertAnswer(await send('GET', '/v2/account', { as: key })) as {
        workspaces: { id: string }[]
      }
      assert.deepEqual(
        workspaces.map(({ id }) => id),
        [second.id],
      )
      const refused = await send('POST', '/v2/workspaces', { as: key, body: { name: 'Third' } })
      assertError(refused, 403, 'AUTHORIZATION_FAILED')
      assert.equal((await taskboard.accounts.listWorkspaces(accountId)).length, 2)
    },
  },
]
