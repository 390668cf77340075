import { accountCases } from './account-cases.js'
import { agentCases } from './agent-cases.js'
import { analyticsCases } from './analytics-cases.js'
import { apiKeyCases } from './api-key-cases.js'
import { auditCases } from './audit-cases.js'
import { authCases } from './auth-cases.js'
import type { V2Case, V2ConformanceOptions } from './v2-case.js'
import { toV2Case, type ServedDocuments } from './open-session.js'
import { channelCases } from './channel-cases.js'
import { conversationCases } from './conversation-cases.js'
import { envelopeCases } from './envelope-cases.js'
import { hostileCases } from './hostile-cases.js'
import { hostLoginCases } from './host-login-cases.js'
import { linkCases } from './link-cases.js'
import { limitCases } from './limit-cases.js'
import { invitationCases } from './invitation-cases.js'
import { memberCases } from './member-cases.js'
import { messengerCases } from './messenger-cases.js'
import { mfaCases } from './mfa-cases.js'
import { proofCases } from './proof-cases.js'
import { quotaCases } from './quota-cases.js'
import { readOnlyCases } from './read-only-cases.js'
import { responderCases } from './responder-cases.js'
import { scheduleCases } from './schedule-cases.js'
import { scopeCases } from './scope-cases.js'
import { sentenceCases } from './sentence-cases.js'
import { taskCases } from './task-cases.js'
import { taskFindCases } from './task-find-cases.js'
import { taskWorkCases } from './task-work-cases.js'
import { tenancyCases } from './tenancy-cases.js'
import { unknownFieldCases } from './unknown-field-cases.js'
import { usageCases } from './usage-cases.js'
import { webhookCases } from './webhook-cases.js'

/**
 * The promises of API v2, as cases for any test runner. Each case sends requests over a real socket, and compares each
 * response with the OpenAPI document that the host serves. No case depends on another, and none waits for time to pass.
 * @example
 * ```ts
 * import { taskboardPlugin } from '@taskboard/fastify'
 * import { memoryStorage } from '@taskboard/memory'
 * import { v2Conformance } from '@taskboard/testing'
 * import Fastify from 'fastify'
 *
 * const cases = v2Conformance({
 *   open: async () => ({ storage: memoryStorage(), close: async () => {} }),
 *   async mount(taskboard, { mountPath, notFound }) {
 *     const app = Fastify().register(taskboardPlugin, { taskboard, prefix: mountPath, notFound })
 *     return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
 *   },
 * })
 * await cases[0]?.run() // in a test file: for (const { name, run } of cases) it(name, run)
 * ```
 */
export function v2Conformance(options: V2ConformanceOptions): readonly V2Case[] {
  // To write the document takes longer than most cases.
  const documents: ServedDocuments = new Map()
  return [
    ...envelopeCases,
    ...accountCases,
    ...authCases,
    ...auditCases,
    ...messengerCases,
    ...mfaCases,
    ...proofCases,
    ...memberCases,
    ...invitationCases,
    ...apiKeyCases,
    ...taskCases,
    ...taskFindCases,
    ...taskWorkCases,
    ...conversationCases,
    ...responderCases,
    ...linkCases,
    ...usageCases,
    ...scheduleCases,
    ...agentCases,
    ...analyticsCases,
    ...webhookCases,
    ...channelCases,
    ...limitCases,
    ...quotaCases,
    ...readOnlyCases,
    ...tenancyCases,
    ...scopeCases,
    ...unknownFieldCases,
    ...hostLoginCases,
    ...sentenceCases,
    ...hostileCases,
  ].map((check) => toV2Case(options, check, documents))
}
