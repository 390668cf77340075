import type { Scope } from '@taskboard/core'
import { addTask, assertDone, assertRefused, BOARD, sessionCase, type BoardSession } from './board-session.js'
import type { ClientRequest } from './http-client.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

interface Pair {
  readonly id: string
  readonly name: string
  /** Both of the pair fail on this request. */
  readonly request: ClientRequest
  readonly status: number
  readonly code: string
  readonly prepare?: (session: BoardSession, key: { id: string; key: string }) => Promise<void>
  readonly scopes?: readonly Scope[]
}

const add = `${BOARD}?action=add`
const broken = { method: 'POST', path: add, body: '{' }
const unscoped: Pick<Pair, 'scopes'> = { scopes: ['account:read'] }

async function exhaust(session: BoardSession, { key }: { key: string }): Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  for (let i = 0; i < 60; i++) await session.request({ path: `${BOARD}?action=none`, headers })
}

async function revokeExhausted(session: BoardSession, key: { id: string; key: string }): Promise<void> {
  await exhaust(session, key)
  const { accountId } = await session.taskboard.accounts.getWorkspace(session.workspaceId)
  await session.taskboard.accounts.revokeKey(accountId, key.id)
}

const pairs: readonly Pair[] = [
  {
    id: 'credential-limit',
    name: 'a revoked key that is over its limit is UNAUTHORIZED',
    request: { path: `${BOARD}?action=todo` },
    prepare: revokeExhausted,
    status: 401,
    code: 'UNAUTHORIZED',
  },
  {
    id: 'limit-action',
    name: 'a key over its limit with an unknown action is RATE_LIMITED',
    request: { path: `${BOARD}?action=none` },
    prepare: exhaust,
    status: 429,
    code: 'RATE_LIMITED',
  },
  {
    id: 'action-method',
    name: 'an unknown action with an odd method is INVALID_ACTION',
    request: { path: `${BOARD}?action=none`, method: 'DELETE' },
    status: 400,
    code: 'INVALID_ACTION',
  },
  {
    id: 'method-body',
    name: 'a wrong method with a broken body is METHOD_NOT_ALLOWED',
    request: { ...broken, method: 'PUT' },
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
  },
  {
    id: 'method-type',
    name: 'a wrong method with a body of an unknown type is METHOD_NOT_ALLOWED',
    request: { ...broken, method: 'PUT', headers: { 'content-type': ';' } },
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
  },
  {
    id: 'type-size',
    name: 'a large body of another type is UNSUPPORTED_MEDIA_TYPE',
    request: { ...broken, body: 'x'.repeat(2_000), headers: { 'content-type': 'text/plain' } },
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    id: 'size-json',
    name: 'a large broken body is PAYLOAD_TOO_LARGE',
    request: { ...broken, body: '{'.repeat(2_000) },
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
  {
    id: 'type-scope',
    name: 'another type without the scope is UNSUPPORTED_MEDIA_TYPE',
    request: { ...broken, headers: { 'content-type': 'text/plain' } },
    ...unscoped,
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    id: 'json-scope',
    name: 'a broken body without the scope is INVALID_JSON',
    request: broken,
    ...unscoped,
    status: 400,
    code: 'INVALID_JSON',
  },
  {
    id: 'method-scope',
    name: 'a wrong method without the scope is METHOD_NOT_ALLOWED',
    request: { path: add },
    ...unscoped,
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
  },
  {
    id: 'field-scope',
    name: 'a missing field without the scope is MISSING_FIELD',
    request: { ...broken, body: {} },
    ...unscoped,
    status: 400,
    code: 'MISSING_FIELD',
  },
  {
    id: 'field-scope-invalid',
    name: 'a field that is wrong without the scope is INVALID_FIELD',
    request: { ...broken, body: { title: ' ' } },
    ...unscoped,
    status: 400,
    code: 'INVALID_FIELD',
  },
  {
    id: 'field-scope-move',
    name: 'a move that lacks a field without the scope is MISSING_FIELD',
    request: { method: 'POST', path: `${BOARD}?action=move`, body: { task_id: 'x' } },
    ...unscoped,
    status: 400,
    code: 'MISSING_FIELD',
  },
  {
    id: 'field-scope-chat',
    name: 'a chat without a message and the scope is MISSING_FIELD',
    request: { method: 'POST', path: `${BOARD}?action=chat`, body: {} },
    ...unscoped,
    status: 400,
    code: 'MISSING_FIELD',
  },
  {
    id: 'field-scope-webhook',
    name: 'a webhook without events and the scope is MISSING_FIELD',
    request: { method: 'POST', path: '/api/webhooks/create', body: { url: 'https://example.com/' } },
    ...unscoped,
    status: 400,
    code: 'MISSING_FIELD',
  },
  {
    id: 'scope-query',
    name: 'an odd limit without the scope is FORBIDDEN',
    request: { path: `${BOARD}?action=todo&limit=x` },
    ...unscoped,
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    id: 'scope-existence',
    name: 'an unknown task without the scope is FORBIDDEN',
    request: { method: 'POST', path: `${BOARD}?action=move`, body: { task_id: 'x', to: 'done' } },
    ...unscoped,
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    id: 'missing-existence',
    name: 'an unknown task and no target is MISSING_FIELD',
    request: { method: 'POST', path: `${BOARD}?action=move`, body: { task_id: 'x' } },
    status: 400,
    code: 'MISSING_FIELD',
  },
  {
    id: 'field-existence',
    name: 'an unknown task and an odd target is INVALID_FIELD',
    request: { method: 'POST', path: `${BOARD}?action=move`, body: { task_id: 'x', to: 'x' } },
    status: 400,
    code: 'INVALID_FIELD',
  },
  {
    id: 'field-key',
    name: 'a reference to an unknown task under a bad Idempotency-Key is INVALID_FIELD',
    request: { ...broken, body: { title: 'x', depends_on: ['x'] }, headers: { 'idempotency-key': 'a b' } },
    status: 400,
    code: 'INVALID_FIELD',
  },
]

/** For each two neighbors in the order of checks: a request that fails both, and the earlier one's answer. */
export function checkOrderCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const cases = pairs.map(({ id, name, request, prepare, scopes, status, code }) =>
    sessionCase(
      options,
      `order-${id}`,
      name,
      async (session) => {
        const key = await session.makeKey(scopes)
        await prepare?.(session, key)
        const headers = { authorization: `Bearer ${key.key}`, ...request.headers }
        assertRefused(await session.request({ ...request, headers }), status, code)
      },
      { taskboard: { bounds: { bodyLimitBytes: 1_000 } } },
    ),
  )
  const counting = sessionCase(
    options,
    'order-counting',
    'requests that fail later checks count, wrong credentials do not',
    async (session) => {
      await addTask(session, { title: 'first' })
      for (let i = 0; i < 30; i++) {
        assertRefused(
          await session.request({ path: add, headers: { authorization: 'Bearer x' } }),
          401,
          'UNAUTHORIZED',
        )
      }
      for (let i = 0; i < 58; i++)
        assertRefused(await session.request({ path: add }), 405, 'METHOD_NOT_ALLOWED')
      assertDone(await session.action('todo'))
      assertRefused(await session.action('todo'), 429, 'RATE_LIMITED')
    },
  )
  return [...cases, counting]
}
