import type { TransportServices } from '../../wiring/transport-services.js'
import type { Route } from '../http.js'
import { tracedRoute } from '../traced-route.js'
import { accountOperations } from './account-operations.js'
import { agentOperations } from './agent-operations.js'
import { analyticsOperations } from './analytics-operations.js'
import { apiKeyOperations } from './api-key-operations.js'
import { approvalOperations } from './approval-operations.js'
import { auditOperations } from './audit-operations.js'
import { authOperations, mfaOperations } from './auth-operations.js'
import { budgetOperations } from './budget-operations.js'
import { confirmationRoute } from './confirmation-page.js'
import { channelOperations } from './channel-operations.js'
import { chatOperations } from './conversation-operations.js'
import { conversationOperations } from './conversation-operations.js'
import { handleV2Request } from './handle.js'
import { mountedPath } from './described-routes.js'
import { linkOperations } from './link-operations.js'
import { linkRoute } from './link-page.js'
import { messengerOperations } from './messenger-operations.js'
import { memberOperations } from './member-operations.js'
import type { Method, Operation } from './operation.js'
import { referenceOperations } from './reference-operations.js'
import { scheduleOperations } from './schedule-operations.js'
import { scoreOperations } from './score-operations.js'
import { taskOperations } from './task-operations.js'
import { taskWorkOperations } from './task-work-operations.js'
import { webhookOperations } from './webhook-operations.js'

/** All operations of API v2 of this task board. */
export function v2Operations({ login }: TransportServices): readonly Operation[] {
  const ofLogin =
    login === null ? [] : [...authOperations(login), ...mfaOperations(login.mfa), ...memberOperations(login)]
  const operations: readonly Operation[] = [
    ...ofLogin,
    ...accountOperations,
    ...auditOperations,
    ...apiKeyOperations,
    ...taskOperations,
    ...scoreOperations,
    ...taskWorkOperations,
    ...conversationOperations,
    ...approvalOperations,
    ...linkOperations,
    ...scheduleOperations,
    ...agentOperations,
    ...chatOperations,
    ...budgetOperations,
    ...analyticsOperations,
    ...webhookOperations,
    ...channelOperations,
    ...messengerOperations,
  ]
  return [...operations, ...referenceOperations(operations)]
}

/**
 * API v2 as routes, below the configured path. Parameters have the form `:name`, and a path without parameters
 * comes before those that would match it.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { v2Routes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * console.log(v2Routes(taskboard).every(({ path }) => path.startsWith('/v2/'))) // true
 * ```
 */
export function v2Routes({ services }: { readonly services: TransportServices }): readonly Route[] {
  const paths = new Map<string, Map<Method, Operation>>()
  for (const operation of v2Operations(services)) {
    const operations = paths.get(operation.path) ?? new Map<Method, Operation>()
    paths.set(operation.path, operations.set(operation.method, operation))
  }
  const pages = [
    ...(services.confirmations.areNeeded ? [confirmationRoute(services)] : []),
    ...(services.links.areServed ? [linkRoute(services)] : []),
  ]
  const routes = [...paths]
    .toSorted(([one], [other]) => (patternOrder(one) < patternOrder(other) ? -1 : 1))
    .map(([path, operations]) =>
      tracedRoute(services, {
        path: mountedPath(services, path).replaceAll(/\{(\w+)\}/g, ':$1'),
        handle: (request) => handleV2Request(services, request, operations),
      }),
    )
  return [...pages, ...routes]
}

/** Sorts parameters after every name. */
function patternOrder(path: string): string {
  return path.replaceAll('{', '\u{10ffff}')
}
