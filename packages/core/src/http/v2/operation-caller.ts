import type { Principal } from '../../access/index.js'
import { parseInput, TaskboardError } from '../../errors/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { callerOf, noteRefusal } from '../caller.js'
import { parseFields } from '../field-names.js'
import type { HttpRequest } from '../http.js'
import { requireCaller } from './admission.js'
import { v2Operations } from './v2-routes.js'
import type { ProtectedOperation } from './operation.js'
import { servicesOf } from '../services-of.js'

/** The caller of an operation and its input, with wire names. Values of the query are text. */
export interface OperationRequest {
  readonly principal: Principal
  /** The request, for its `Idempotency-Key`. */
  readonly request: HttpRequest
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** Members of the response that the caller doesn't read, which saves the work for members that take their own read. */
  readonly unread?: readonly string[] | undefined
}

/**
 * Runs an operation of API v2 by its `operationId`. Resolves with the value of the API's answer, with wire names, including
 * for the fields of errors.
 * @throws TaskboardError `FORBIDDEN` without its scope, `STEP_UP_REQUIRED`, `MISSING_FIELD` and `INVALID_FIELD`, and errors of the operation.
 */
export type OperationCaller = (operationId: string, request: OperationRequest) => Promise<unknown>

/**
 * Public operations can't be called.
 * @example
 * ```ts
 * import { createTaskboard, scopes, type Principal } from '@taskboard/core'
 * import { createOperationCaller, type HttpRequest } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
 * const principal: Principal = {
 *   id: 'user_1',
 *   kind: 'user',
 *   accountId: account.id,
 *   tier: 'custom',
 *   scopes,
 *   workspaceIds: 'all',
 *   defaultWorkspaceId: workspace.id,
 * }
 * const request: HttpRequest = {
 *   method: 'GET',
 *   path: '/v2/account',
 *   params: {},
 *   query: '',
 *   header: () => undefined,
 *   clientAddress: '203.0.113.7',
 *   body: { kind: 'none' },
 * }
 * const call = createOperationCaller(taskboard)
 * const answer = (await call('getAccount', { principal, request })) as { readonly name: string }
 * console.log(answer.name) // Acme
 * ```
 */
export function createOperationCaller(taskboard: { readonly services: TransportServices }): OperationCaller {
  const services = servicesOf(taskboard)
  const operations = new Map<string, ProtectedOperation>()
  for (const operation of v2Operations(services)) {
    if (operation.scope !== 'none') operations.set(operation.id, operation)
  }
  return async (operationId, { principal, request, params = {}, query = {}, body = {}, unread = [] }) => {
    const operation = operations.get(operationId)
    if (operation === undefined) throw new TypeError(`no operation ${operationId}`)
    try {
      await requireCaller(services, principal, operation)
      return await operation.run({
        services,
        request,
        principal,
        by: callerOf(principal, request),
        params: operation.params && parseInput(operation.params, params),
        query: operation.query && parseInput(operation.query, query),
        isRead: (member) => !unread.includes(member),
        body: operation.body && parseFields(operation.body, body),
      })
    } catch (error) {
      noteRefusal(services, principal, request, error)
      throw renamed(error, operation.wireFields)
    }
  }
}

/** The same error with the field's wire name, if that isn't its snake_case form. */
function renamed(error: unknown, wireFields: ProtectedOperation['wireFields']): unknown {
  if (!(error instanceof TaskboardError) || error.field === undefined) return error
  const { code, message, field, retryAfterMs, allow, resourceId, cause } = error
  const wireField = wireFields?.[field]
  if (wireField === undefined) return error
  const own = message.startsWith(field) ? wireField + message.slice(field.length) : message
  return new TaskboardError(code, own, { field: wireField, retryAfterMs, allow, resourceId, cause })
}
