import type { AccountUpdate, WorkspaceUpdate } from '../access/index.js'
import type { AuditDetails, AuditTargetKind } from '../audit/index.js'
import type { NamedActor, Schedule } from '../board/index.js'
import type { AuditActor } from '../environment/index.js'
import { wireName } from '../fields/index.js'
import { microsPerUsd, type UsageAmounts } from '../usage/index.js'
import type { AuditNote, AuditRules } from './audit-note.js'
import { botRules } from './bot-audit-rules.js'

const READS = 'reads'
const DELIVERS = 'background work, of which the delivery log tells'
const PASSES = 'counts, and lets in no one who may not'

const user = (id: string) => ({ of: { userId: id }, target: { kind: 'user', id } }) as const
const account = (id: string) => ({ of: { accountId: id }, target: { kind: 'account', id } }) as const
const workspace = (id: string) => ({ of: { workspaceId: id }, target: { kind: 'workspace', id } }) as const
const inWorkspace = (workspaceId: string, kind: AuditTargetKind, id: string) => ({
  of: { workspaceId },
  target: { kind, id },
})
const list = (texts: readonly string[] | null): readonly string[] | null => texts && [...texts]
const timeOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** The names of the fields that a change gives. */
const changedIn = (change: object): readonly string[] =>
  Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [wireName(name)]))

/** A change without fields changes nothing. */
const ifAny = (
  changed: readonly string[],
  note: (changed: readonly string[]) => AuditNote,
): AuditNote | null => (changed.length === 0 ? null : note(changed))

/** When a schedule makes tasks. */
const timesOf = ({ cron, timeZone, enabled }: Schedule): AuditDetails => ({
  cron,
  time_zone: timeZone,
  enabled,
})

/** The records by verb of the storage's port: a verb without a rule doesn't pass the type checker. */
export const auditRules: AuditRules = {
  tasks: 'the event log has what happens to tasks',
  comments: 'the event log has them',
  agents: 'the event log has their changes of status, and they may do nothing that their tasks do not say',
  analytics: READS,
  events: 'is itself a record',
  limits: 'counts',
  quotas: 'counts',
  realtime: 'connections, which read',
  schedules: {
    insertSchedule: ({ schedule: { workspaceId } }, { value, replayed }) =>
      replayed
        ? null
        : {
            action: 'schedule.created',
            ...inWorkspace(workspaceId, 'schedule', value.id),
            details: timesOf(value),
          },
    listSchedules: READS,
    updateSchedule: ({ workspaceId, scheduleId, change }, schedule) =>
      ifAny(changedIn(change), (changed) => ({
        action: 'schedule.changed',
        ...inWorkspace(workspaceId, 'schedule', scheduleId),
        details: { changed, ...timesOf(schedule) },
      })),
    deleteSchedule: ({ workspaceId, scheduleId }) => ({
      action: 'schedule.deleted',
      ...inWorkspace(workspaceId, 'schedule', scheduleId),
    }),
    makeOccurrence: 'the event log has the task',
  },
  audit: 'is itself the record',
  approvals: {
    requestApproval: 'the event log has approval.requested, and nothing is allowed by it',
    decideApproval: ({ workspaceId, verdict }, { id, taskId, inputDigest, decidedBy }) => ({
      action: 'approval.decided',
      by: personOf(decidedBy),
      ...inWorkspace(workspaceId, 'approval', id),
      details: { decision: verdict.decision, task_id: taskId, input_digest: inputDigest },
    }),
    listApprovals: READS,
  },
  links: {
    insertLink: ({ link: { workspaceId, taskId, about } }, { id, userId, expiresAt }) => ({
      action: 'link.created',
      ...inWorkspace(workspaceId, 'link', id),
      details: {
        user_id: userId,
        task_id: taskId,
        [`${about.kind}_id`]: about.id,
        expires_at: timeOf(expiresAt),
      },
    }),
    findLink: READS,
  },
  notifications: {
    setTarget: ({ workspaceId, channel, settings }) => ({
      action: settings === null ? 'channel.deleted' : 'channel.changed',
      ...inWorkspace(workspaceId, 'channel', channel),
    }),
    listTargets: READS,
    claimNotifications: DELIVERS,
    settleNotifications: DELIVERS,
  },
  channels: {
    insertChannel: ({ channel }, { value, replayed }) =>
      replayed
        ? null
        : {
            action: 'channel.created',
            ...inWorkspace(channel.workspaceId, 'channel', value.id),
            details: { type: channel.type },
          },
    listChannels: READS,
    updateChannel: ({ workspaceId, channelId, change }) =>
      ifAny(changedIn(change), (changed) => ({
        action: 'channel.changed',
        ...inWorkspace(workspaceId, 'channel', channelId),
        details: { changed },
      })),
    deleteChannel: ({ workspaceId, channelId }, isDeleted) =>
      isDeleted ? { action: 'channel.deleted', ...inWorkspace(workspaceId, 'channel', channelId) } : null,
  },
  bots: botRules,
  webhooks: {
    insertWebhook: ({ webhook }, { value, replayed }) =>
      replayed
        ? null
        : {
            action: 'webhook.created',
            ...inWorkspace(webhook.workspaceId, 'webhook', value.id),
            details: {
              host: hostOf(webhook.url),
              signed: webhook.secrets.length > 0,
              weak_secret: webhook.weakSecret,
            },
          },
    listWebhooks: READS,
    updateWebhook: ({ workspaceId, webhookId, change }, { url, weakSecret }) => {
      const isRotated = 'rotation' in change
      return ifAny(isRotated ? ['secret'] : changedIn(change), (changed) => ({
        action: 'webhook.changed',
        ...inWorkspace(workspaceId, 'webhook', webhookId),
        details: { changed, host: hostOf(url), ...(isRotated ? { weak_secret: weakSecret } : {}) },
      }))
    },
    deleteWebhook: ({ workspaceId, webhookId }, isDeleted) =>
      isDeleted ? { action: 'webhook.deleted', ...inWorkspace(workspaceId, 'webhook', webhookId) } : null,
    resendDeliveries: ({ workspaceId, webhookId }, deliveries) =>
      deliveries === 0
        ? null
        : {
            action: 'webhook.resent',
            ...inWorkspace(workspaceId, 'webhook', webhookId),
            details: { deliveries },
          },
    insertTestDelivery: 'sends a sample to an address that is on record',
    claimDueDeliveries: DELIVERS,
    claimNewDeliveries: DELIVERS,
    readTargets: DELIVERS,
    recordDeliveryResults: DELIVERS,
    listDeliveries: READS,
  },
  usage: {
    recordUsage: 'the sums of usage have it',
    enterUsage: ({ workspaceId, agentId, report, correction }, { replayed }) =>
      correction === null || replayed || isNothing(report)
        ? null
        : {
            action: 'usage.corrected',
            ...(agentId === null ? workspace(workspaceId) : inWorkspace(workspaceId, 'agent', agentId)),
            details: {
              reason: correction.reason,
              month: timeOf(correction.month),
              input_tokens: report.inputTokens,
              output_tokens: report.outputTokens,
              cached_input_tokens: report.cachedInputTokens,
              cost_usd: report.costMicros / microsPerUsd,
            },
          },
    sumUsage: READS,
    setBudget: ({ workspaceId, agentId, budget }) => ({
      action: 'budget.changed',
      ...(agentId === null ? workspace(workspaceId) : inWorkspace(workspaceId, 'agent', agentId)),
      details: { tokens: budget?.tokens ?? null, cost_usd: budget?.costUsd ?? null },
    }),
    listBudgets: READS,
  },
  access: {
    insertAccount: ({ tier, owner }, made) => ({
      action: 'account.created',
      ...account(made.account.id),
      details: {
        tier,
        workspace_id: made.workspace.id,
        owner: made.user?.id ?? null,
        scopes: list(owner?.scopes ?? null),
      },
    }),
    listAccounts: READS,
    update: (given: AccountUpdate | WorkspaceUpdate) =>
      'workspaceId' in given
        ? { action: 'workspace.changed', ...workspace(given.workspaceId), details: { name: given.name } }
        : { action: 'account.changed', ...account(given.accountId), details: changeOf(given) },
    insertWorkspace: ({ accountId }, { id }) => ({
      action: 'workspace.created',
      of: { accountId },
      target: { kind: 'workspace', id },
    }),
    listWorkspaces: READS,
    beginDeletion: (target, { accountId }) =>
      'workspaceId' in target
        ? {
            action: 'workspace.deleted',
            of: { accountId },
            target: { kind: 'workspace', id: target.workspaceId },
          }
        : { action: 'account.deleted', ...account(accountId) },
    continueDeletion: 'continues with a deletion that is on record',
    insertUser: ({ scopes }, { id }) => ({
      action: 'member.added',
      ...user(id),
      details: { scopes: list(scopes) },
    }),
    setUserScopes: ({ scopes }, { user: { id }, keys, invitations }) => ({
      action: 'member.changed',
      ...user(id),
      details: { scopes: list(scopes), keys: list(keys), invitations: list(invitations) },
    }),
    insertInvitation: ({ accountId, scopes }, { invitation: { id, expiresAt }, replacedId }) => ({
      action: 'invitation.created',
      of: { accountId },
      target: { kind: 'invitation', id },
      details: { scopes: list(scopes), expires_at: timeOf(expiresAt), replaces: replacedId },
    }),
    listInvitations: READS,
    deleteInvitation: ({ accountId, invitationId: id }, isDeleted) =>
      isDeleted
        ? { action: 'invitation.withdrawn', of: { accountId }, target: { kind: 'invitation', id } }
        : null,
    acceptInvitation: (_, { user: { id, scopes }, invitationId }) => ({
      action: 'member.joined',
      by: { id },
      ...user(id),
      details: { scopes: list(scopes), invitation: invitationId },
    }),
    listUsers: READS,
    setPassword: ({ userId }, sessions) => ({
      action: 'password.changed',
      ...user(userId),
      details: { sessions: list(sessions) },
    }),
    setEmailVerified: ({ userId, isEmailVerified }) => ({
      action: 'member.verified',
      ...user(userId),
      details: { email_verified: isEmailVerified },
    }),
    deleteUser: ({ userId, keepKeys }, { accountId, sessions, keys, invitations }) => ({
      action: 'member.deleted',
      of: { accountId },
      target: { kind: 'user', id: userId },
      details: {
        sessions: list(sessions),
        keys: list(keys),
        keys_kept: keepKeys,
        invitations: list(invitations),
      },
    }),
    insertApiKey: ({ key }, { id }) => ({
      action: 'key.created',
      of: { accountId: key.accountId },
      target: { kind: 'api_key', id },
      details: { scopes: list(key.scopes), workspace_id: key.workspaceId, expires_at: timeOf(key.expiresAt) },
    }),
    listApiKeys: READS,
    revokeApiKey: (_, { key: { accountId, id }, isNew }) =>
      isNew ? { action: 'key.revoked', of: { accountId }, target: { kind: 'api_key', id } } : null,
    rotateApiKey: (_, { added, replaced }) => ({
      action: 'key.rotated',
      of: { accountId: added.accountId },
      target: { kind: 'api_key', id: replaced.id },
      details: {
        key: added.id,
        scopes: list(added.scopes),
        workspace_id: added.workspaceId,
        expires_at: timeOf(added.expiresAt),
        old_expires_at: timeOf(replaced.expiresAt),
      },
    }),
    findPrincipal: READS,
    listSealed: READS,
    replaceSealed: 'the secrets stay the same, sealed with another key of the host',
    noteKeyUse: 'is shown with the key',
  },
  sessions: {
    findSignIn: READS,
    takeLoginAttempt: PASSES,
    clearLoginAttempts: PASSES,
    insertSession: ({ userId }, { id }) => ({
      action: 'session.began',
      of: { userId },
      target: { kind: 'session', id },
    }),
    consumeRefreshToken: (_, found) =>
      found?.outcome === 'ended'
        ? {
            action: 'session.reused',
            of: { userId: found.session.userId },
            target: { kind: 'session', id: found.session.id },
          }
        : null,
    endSession: (_, ended) =>
      ended && {
        action: 'session.ended',
        by: { id: ended.userId },
        of: { userId: ended.userId },
        target: { kind: 'session', id: ended.id },
      },
    listSessions: READS,
    endSessions: ({ userId }, sessions) =>
      sessions.length === 0
        ? null
        : { action: 'session.ended', ...user(userId), details: { sessions: list(sessions) } },
    proveSession: ({ id, userId }, isProven) =>
      isProven ? { action: 'session.proven', of: { userId }, target: { kind: 'session', id } } : null,
    renewPasswordHash: 'is the same password',
    changeMfa: ({ userId, change: { kind } }, isDone) =>
      !isDone || kind === 'offer'
        ? null
        : { action: kind === 'enrol' ? 'mfa.enrolled' : 'mfa.removed', ...user(userId) },
    redeemMfa: (code, isRedeemed) =>
      isRedeemed && 'recoveryHash' in code
        ? { action: 'mfa.recovery_code_used', ...user(code.userId) }
        : null,
  },
}

/** Whether a report takes and gives back nothing. */
const isNothing = ({ inputTokens, outputTokens, cachedInputTokens, costMicros }: UsageAmounts): boolean =>
  [inputTokens, outputTokens, cachedInputTokens, costMicros].every((amount) => amount === 0)

/** Who decided: the host's code may name a person. */
function personOf(actor: NamedActor | null): AuditActor {
  if (actor === null) return {}
  const { kind, id, name } = actor
  return kind === 'user' || kind === 'api_key' ? { kind, id, name } : { id, name }
}

/** The host name alone: the rest of an address can be a secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}

function changeOf({ change: { name, tier, requireOtherPerson, readOnly } }: AccountUpdate): AuditDetails {
  return {
    ...(name === undefined ? {} : { name }),
    ...(tier === undefined ? {} : { tier }),
    ...(requireOtherPerson === undefined ? {} : { require_other_person: requireOtherPerson }),
    ...(readOnly === undefined ? {} : { read_only: readOnly }),
  }
}
