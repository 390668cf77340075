import { accountCases } from './account-cases.js'
import { agentCases } from './agent-cases.js'
import { analyticsCases } from './analytics-cases.js'
import { apiKeyCases } from './api-key-cases.js'
import { authCases } from './auth-cases.js'
import type { EnterpriseCase, EnterpriseConformanceOptions } from './enterprise-case.js'
import { toEnterpriseCase } from './open-session.js'
import { envelopeCases } from './envelope-cases.js'
import { hostileCases } from './hostile-cases.js'
import { hostLoginCases } from './host-login-cases.js'
import { limitCases } from './limit-cases.js'
import { mfaCases } from './mfa-cases.js'
import { quotaCases } from './quota-cases.js'
import { scopeCases } from './scope-cases.js'
import { sentenceCases } from './sentence-cases.js'
import { taskCases } from './task-cases.js'
import { taskWorkCases } from './task-work-cases.js'
import { tenancyCases } from './tenancy-cases.js'
import { unknownFieldCases } from './unknown-field-cases.js'
import { webhookCases } from './webhook-cases.js'

/**
 * What the enterprise API promises, as cases for any test runner: over a real socket, each answer held against the OpenAPI
 * document that the host serves. No case depends on another, and none waits for time to pass.
 */
export function enterpriseConformance(options: EnterpriseConformanceOptions): readonly EnterpriseCase[] {
  return [
    ...envelopeCases,
    ...accountCases,
    ...authCases,
    ...mfaCases,
    ...apiKeyCases,
    ...taskCases,
    ...taskWorkCases,
    ...agentCases,
    ...analyticsCases,
    ...webhookCases,
    ...limitCases,
    ...quotaCases,
    ...tenancyCases,
    ...scopeCases,
    ...unknownFieldCases,
    ...hostLoginCases,
    ...sentenceCases,
    ...hostileCases,
  ].map((check) => toEnterpriseCase(options, check))
}
