import type { HttpRequest, OperationCaller, ProtectedCall } from '@taskboard/core/transport'
import type { Answer, BoardCalls } from '../board-calls.js'

/** The board for the caller of one request, by the operations of API v2. */
export function boardInProcess(
  { principal, request, explain }: ProtectedCall,
  caller: OperationCaller,
): BoardCalls {
  const { method, path, clientAddress } = request
  // Without the request's own headers: an idempotency key could not belong to one of several creates.
  const plain = (idempotencyKey: string | undefined): HttpRequest => ({
    method,
    path,
    clientAddress,
    params: {},
    query: '',
    header: (name) => (name === 'idempotency-key' ? idempotencyKey : undefined),
    body: { kind: 'none' },
  })
  return {
    scopes: principal.scopes,
    async call(operationId, { params, query, body, idempotencyKey, unread }) {
      const given =
        query && Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
      const called = { principal, request: plain(idempotencyKey), params, query: given, body, unread }
      return ((await caller(operationId, called)) ?? {}) as Answer
    },
    explain(error) {
      const { body, headers } = explain(error)
      const seconds = headers['retry-after']
      return seconds === undefined ? body : { ...body, retry_after_s: Number(seconds) }
    },
  }
}
