import assert from 'node:assert/strict'
import { scopes } from '@taskboard/core'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError } from './v2-session.js'

/** The account and its workspaces. */
export const accountCases: readonly V2Check[] = [
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
    id: 'account.rename-workspace',
    name: 'a workspace is renamed',
    async check({ send, workspaceId, makeKey }) {
      const path = `/v2/workspaces/${workspaceId}`
      const renamed = assertAnswer(await send('PATCH', path, { body: { name: ' Head office ' } }))
      assert.deepEqual([renamed['id'], renamed['name']], [workspaceId, 'Head office'])
      assert.deepEqual(assertAnswer(await send('GET', path)), renamed)
      assertError(await send('PATCH', path, { body: { name: ' ' } }), 400, 'INVALID_REQUEST', 'name')
      const { key } = await makeKey(['account:read'])
      assertError(await send('PATCH', path, { as: key, body: { name: 'x' } }), 403, 'AUTHORIZATION_FAILED')
    },
  },
  {
    id: 'account.delete-workspace',
    name: 'a workspace is deleted with its board and its keys, but not the last one of an account',
    async check({ taskboard, send, accountId, workspaceId, makeKey }) {
      const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
      const task = await taskboard.board(second.id).add({ title: 'leaves with it' })
      const bound = await makeKey(['account:read', 'account:write', 'tasks:read'], second.id)
      const path = `/v2/workspaces/${second.id}`
      assertError(await send('DELETE', path, { as: bound.key }), 403, 'AUTHORIZATION_FAILED')
      assert.equal((await send('DELETE', path)).status, 204)
      assertError(await send('DELETE', path), 404, 'RESOURCE_NOT_FOUND')
      assertError(await send('GET', path), 404, 'RESOURCE_NOT_FOUND')
      assertError(await send('GET', `/v2/tasks/${task.id}`), 404, 'RESOURCE_NOT_FOUND')
      assertError(
        await send('POST', '/v2/tasks', { body: { title: 'late', workspace_id: second.id } }),
        404,
        'RESOURCE_NOT_FOUND',
      )
      assertError(await send('GET', '/v2/account', { as: bound.key }), 401, 'AUTHENTICATION_FAILED')
      assertError(await send('DELETE', `/v2/workspaces/${workspaceId}`), 409, 'CONFLICT')
      const { workspaces } = assertAnswer(await send('GET', '/v2/account')) as {
        workspaces: { id: string; is_default: boolean }[]
      }
      assert.deepEqual(
        workspaces.map(({ id, is_default }) => [id, is_default]),
        [[workspaceId, true]],
      )
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
