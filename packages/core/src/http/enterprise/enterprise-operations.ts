import type { Surface } from '../../surface.js'
import { accountOperations } from './account-operations.js'
import { agentOperations } from './agent-operations.js'
import { analyticsOperations } from './analytics-operations.js'
import { apiKeyOperations } from './api-key-operations.js'
import { authOperations } from './auth-operations.js'
import { mfaOperations } from './mfa-operations.js'
import type { Operation } from './operation.js'
import { referenceOperations } from './reference-operations.js'
import { taskOperations } from './task-operations.js'
import { taskWorkOperations } from './task-work-operations.js'
import { webhookOperations } from './webhook-operations.js'

/** All operations of the enterprise API of this task board. */
export function enterpriseOperations({ login }: Surface): readonly Operation[] {
  const ofLogin = login === null ? [] : [...authOperations(login.sessions), ...mfaOperations(login.mfa)]
  const operations: readonly Operation[] = [
    ...ofLogin,
    ...accountOperations,
    ...apiKeyOperations,
    ...taskOperations,
    ...taskWorkOperations,
    ...agentOperations,
    ...analyticsOperations,
    ...webhookOperations,
  ]
  return [...operations, ...referenceOperations(operations)]
}
