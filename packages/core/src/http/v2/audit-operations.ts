import { z } from 'zod'
import { auditActionNames, isRefusal, type AuditRecord } from '../../audit/index.js'
import type { InputOf } from '../../errors/index.js'
import { requireWholeAccount } from './account-operations.js'
import { operation } from './operation.js'
import { idText, instantText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const record = z
  .object({
    id: z.string(),
    at: timestamp,
    action: z.enum(auditActionNames),
    outcome: z
      .enum(['done', 'refused'])
      .meta({ description: 'Whether it was done, or rejected, so that nothing changed.' }),
    by: z.object({
      kind: z.enum(['user', 'api_key', 'host', 'system']),
      id: z.string().nullable(),
      name: z.string().nullable(),
      session_id: z.string().nullable(),
      client_address: z.string().nullable(),
      request_id: z.string().nullable(),
    }),
    target: z.object({ kind: z.string(), id: z.string() }).nullable(),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The details of the action, for instance the scopes of a new key.' }),
    count: z.int().meta({ description: 'The number of times within a minute, for counted actions; else 1.' }),
  })
  .meta({ id: 'AuditRecord' })

const listAudit = operation({
  id: 'listAudit',
  tag: 'account',
  summary: 'The audit records of the account, newest first',
  description:
    'Logins, sessions, keys, members, settings, webhooks, channels, budgets, decisions, and denied requests. Only for callers that reach the whole account. An API key has audit:read only when it was asked for.',
  method: 'GET',
  path: '/v2/account/audit',
  client: 'account.audit.list',
  scope: 'audit:read',
  query: z.object({
    ...pageQuery,
    action: z
      .enum(auditActionNames, { error: 'must be an action of the audit' })
      .optional()
      .meta({ description: 'Only this action.' }),
    actor_id: idText.optional().meta({ description: 'Only what this user or key did.' }),
    from: instantText.optional(),
    to: instantText.optional(),
  }),
  answer: { status: 200, schema: z.object({ records: z.array(record), next_cursor: nextCursor }) },
  async run({ services, principal, query }) {
    requireWholeAccount(principal)
    const { action, actor_id: actorId, ...page } = query
    const actions = action === undefined ? null : [action]
    const found = await services.audit.list(principal.accountId, { ...page, actions, actorId })
    return { records: found.records.map(toWireRecord), next_cursor: found.nextCursor }
  },
})

export const auditOperations = [listAudit]

function toWireRecord({ id, at, action, by, target, details, count }: AuditRecord): InputOf<typeof record> {
  const { kind, id: actorId, name, sessionId, clientAddress, requestId } = by
  return {
    id,
    at: toTimestamp(at),
    action,
    outcome: isRefusal(action) ? 'refused' : 'done',
    by: {
      kind,
      id: actorId,
      name,
      session_id: sessionId,
      client_address: clientAddress,
      request_id: requestId,
    },
    target,
    details,
    count,
  }
}
