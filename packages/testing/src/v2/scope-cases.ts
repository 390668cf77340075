import assert from 'node:assert/strict'
import { scopes } from '@taskboard/core'
import { createTenantFixture } from './tenant-fixture.js'
import { documentedOperations } from './documented-operations.js'
import type { V2Check } from './v2-case.js'

/** The scope of each operation, written by hand: the document is made from the operations, so it can't check them. */
const needed: Readonly<Record<string, string>> = {
  login: 'none',
  refreshTokens: 'none',
  logout: 'none',
  showInvitation: 'none',
  acceptInvitation: 'none',
  stepUp: 'any by a user',
  listSessions: 'any by a user',
  endSession: 'any by a user',
  endOtherSessions: 'any by a user',
  getOpenApi: 'none',
  getReference: 'none',
  beginMfa: 'any by a user',
  confirmMfa: 'any by a user',
  removeMfa: 'any by a user',
  listMembers: 'account:read',
  createMember: 'account:write by a user',
  updateMember: 'account:write by a user',
  deleteMember: 'account:write by a user',
  listInvitations: 'account:read',
  deleteInvitation: 'account:write by a user',
  changePassword: 'any by a user',
  sendChatMessage: 'chat:write',
  getTaskScore: 'tasks:read',
  getAccount: 'account:read',
  listAudit: 'audit:read',
  createWorkspace: 'account:write',
  getWorkspace: 'account:read',
  updateWorkspace: 'account:write',
  deleteWorkspace: 'account:write',
  createApiKey: 'account:write by a user',
  listApiKeys: 'account:read',
  revokeApiKey: 'account:write',
  revokeCurrentApiKey: 'any',
  rotateApiKey: 'account:write by a user',
  createTask: 'tasks:write',
  createTasks: 'tasks:write',
  listTasks: 'tasks:read',
  getTask: 'tasks:read',
  listTaskLogLines: 'tasks:read',
  listAttempts: 'tasks:read',
  updateTask: 'tasks:write',
  deleteTask: 'tasks:write',
  moveTask: 'tasks:write',
  cancelTask: 'tasks:write',
  releaseTask: 'tasks:write',
  claimTask: 'tasks:write',
  heartbeatTask: 'tasks:write',
  reportTaskProgress: 'tasks:write',
  addTaskLogLine: 'tasks:write',
  addTaskOutput: 'tasks:write',
  delegateTask: 'tasks:write',
  completeTask: 'tasks:write',
  failTask: 'tasks:write',
  listComments: 'tasks:read',
  createComment: 'tasks:write',
  answerTask: 'tasks:write',
  holdTask: 'tasks:write',
  requestApproval: 'tasks:write',
  listApprovals: 'tasks:read',
  getApproval: 'tasks:read',
  decideApproval: 'approvals:write',
  sendApprovalLink: 'tasks:write',
  sendQuestionLink: 'tasks:write',
  reportTaskUsage: 'tasks:write',
  createSchedule: 'tasks:write',
  listSchedules: 'tasks:read',
  getSchedule: 'tasks:read',
  updateSchedule: 'tasks:write',
  deleteSchedule: 'tasks:write',
  listAgents: 'agents:read',
  createAgent: 'agents:write',
  getAgent: 'agents:read',
  updateAgent: 'agents:write',
  deleteAgent: 'agents:write',
  listBudgets: 'agents:read',
  setAgentBudget: 'account:write',
  setWorkspaceBudget: 'account:write',
  correctUsage: 'account:write by a user',
  getTaskAnalytics: 'analytics:read',
  getUsage: 'analytics:read',
  createWebhook: 'webhooks:write',
  listWebhooks: 'webhooks:read',
  getWebhook: 'webhooks:read',
  updateWebhook: 'webhooks:write',
  deleteWebhook: 'webhooks:write',
  rotateWebhookSecret: 'webhooks:write',
  testWebhook: 'webhooks:write',
  listDeliveries: 'webhooks:read',
  resendDeliveries: 'webhooks:write',
  listMessengers: 'any by a user',
  createMessengerCode: 'any by a user',
  deleteMessengerLink: 'any by a user',
  listMessengerConversations: 'account:read',
  deleteMessengerConversation: 'account:write',
  createNotificationChannel: 'webhooks:write',
  listNotificationChannels: 'webhooks:read',
  listNotificationChannelTypes: 'webhooks:read',
  getNotificationChannel: 'webhooks:read',
  updateNotificationChannel: 'webhooks:write',
  deleteNotificationChannel: 'webhooks:write',
  testNotificationChannel: 'webhooks:write',
}

/** Every route with every scope. */
export const scopeCases: readonly V2Check[] = [
  {
    id: 'scopes.pinned',
    name: 'each operation of API v2 needs the scope that it has always needed',
    check(session) {
      const documented = documentedOperations(session.openApi)
        .filter(({ path }) => path.startsWith('/v2/'))
        .map(({ id, scope, userOnly }) => [id, userOnly ? `${scope} by a user` : scope])
      assert.deepEqual(Object.fromEntries(documented), needed)
      return Promise.resolve()
    },
  },
  {
    id: 'scopes.matrix',
    name: 'a key passes where it has the scope that is documented, and is refused with 403 everywhere else',
    // The keys and sessions that are tried must outlast the trial.
    options: { limits: { failedCredentialsPerMinute: 100_000 } },
    async check(session) {
      const ours = await createTenantFixture(session, session)
      const keys = await Promise.all(
        scopes.map(async (scope) => ({ scope, ...(await session.makeKey([scope])) })),
      )
      const last = ['deleteWorkspace', 'revokeCurrentApiKey']
      const operations = documentedOperations(session.openApi)
        .filter(({ scope }) => scope !== 'none')
        // Last, as nothing of what the others name, or of the keys, is left after them.
        .toSorted((one, other) => last.indexOf(one.id) - last.indexOf(other.id))
      for (const { method, path, body, scope: required, userOnly } of operations) {
        const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ours.ids[name] ?? name)
        // Those that are refused first: what passes may change what the path names.
        const ordered = keys.toSorted(
          (one, other) => Number(one.scope === required) - Number(other.scope === required),
        )
        for (const { scope, key } of ordered) {
          const { status, text } = await session.send(method, at, { as: key, body })
          const passes = !userOnly && (required === 'any' || required === scope)
          assert.equal(status !== 403, passes, `${method} ${path} with ${scope}: ${status} ${text}`)
          assert.notEqual(status, 401)
          assert.ok(status < 500, text)
        }
      }
      assert.ok(operations.length > 10)
    },
  },
]
