import type { AuditActor, Instant } from '../environment/index.js'

/** What the audit records, with what it means. */
export const auditActions = {
  'account.created': 'The host application created the account.',
  'account.changed': 'The account got another name, tier or setting.',
  'account.deleted': 'The deletion of the account began.',
  'workspace.created': 'A workspace was created.',
  'workspace.changed': 'A workspace was renamed.',
  'workspace.deleted': 'The deletion of a workspace began, and its keys were revoked.',
  'member.added': 'A user was created without an invitation.',
  'member.joined': 'Someone accepted an invitation.',
  'member.changed':
    'The scopes of a user changed. The keys and invitations in the details were revoked because they had more scopes.',
  'member.deleted': 'A user was deleted, together with the sessions, keys and invitations in the details.',
  'member.verified': 'The host application set whether the email address of a user is verified.',
  'invitation.created': 'Someone was invited.',
  'invitation.withdrawn': 'An invitation was withdrawn.',
  'password.changed': 'The password of a user changed. The sessions in the details were revoked.',
  'mfa.enrolled': 'A user set up a second factor.',
  'mfa.removed': 'The second factor of a user was removed.',
  'mfa.recovery_code_used': 'A recovery code was used up.',
  'session.began': 'A user logged in.',
  'session.proven': 'A user proved their identity again.',
  'session.ended': 'A session was revoked, or its user logged out.',
  'session.reused': 'A refresh token was used twice, so the session was revoked.',
  'login.failed': 'Logins failed because of a wrong password or code. One record covers one minute.',
  'login.locked': 'Logins were rejected after too many failures. One record covers one minute.',
  'key.created': 'An API key was created.',
  'key.rotated': 'An API key was replaced by another one.',
  'key.revoked': 'An API key was revoked.',
  'webhook.created': 'A webhook was registered.',
  'webhook.changed': 'A webhook was changed, paused or resumed, or got another secret.',
  'webhook.deleted': 'A webhook was deleted.',
  'webhook.resent': 'Deliveries of a webhook were sent again.',
  'channel.created': 'A notification channel was created.',
  'channel.changed': 'A notification channel was changed.',
  'channel.deleted': 'A notification channel was deleted.',
  'messenger.linked': 'A messenger account was linked to a user.',
  'messenger.unlinked': 'A messenger account was unlinked.',
  'conversation.connected': 'A messenger conversation was connected to a workspace.',
  'conversation.disconnected': 'A messenger conversation was disconnected.',
  'conversation.disabled': 'A bot could no longer write in a conversation.',
  'schedule.created': 'A schedule was created.',
  'schedule.changed': 'A schedule was changed, paused or resumed.',
  'schedule.deleted': 'A schedule was deleted.',
  'budget.changed': 'The monthly budget of a workspace or an agent was set or removed.',
  'usage.corrected': 'Someone corrected the usage of a month, for the reason in the details.',
  'approval.decided': 'Someone approved or rejected a request of an agent.',
  'link.created': 'A decision link was created for the user in the details.',
  'access.refused':
    'Requests were rejected because the caller lacked the scope or a fresh proof. One record covers one minute.',
  'credential.refused':
    'Requests were rejected because of a wrong credential. One record covers one minute per address, and belongs to no account.',
} as const satisfies Record<string, string>

export type AuditAction = keyof typeof auditActions

export const auditActionNames = Object.keys(auditActions) as [AuditAction, ...AuditAction[]]

/** The actions of which a record counts many. They changed nothing. */
const failures: ReadonlySet<AuditAction> = new Set([
  'login.failed',
  'login.locked',
  'access.refused',
  'credential.refused',
])

/** Whether the recorded action was rejected, so that nothing changed. */
export const isRefusal = (action: AuditAction): boolean => failures.has(action)

/** The kinds of thing that actions are done to. */
export type AuditTargetKind =
  | 'account'
  | 'workspace'
  | 'user'
  | 'invitation'
  | 'session'
  | 'api_key'
  | 'webhook'
  | 'channel'
  | 'agent'
  | 'schedule'
  | 'approval'
  | 'link'
  | 'conversation'

/** Never a secret, and never the text of a task. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** One entry of the audit. */
export interface AuditRecord {
  /** `aud_…`; later ones of a process sort later. */
  readonly id: string
  /** Null for an action outside of accounts. */
  readonly accountId: string | null
  readonly at: Instant
  readonly action: AuditAction
  readonly by: StoredActor
  /** The target of the action; null without one, such as for a wrong credential. */
  readonly target: { readonly kind: AuditTargetKind; readonly id: string } | null
  readonly details: AuditDetails
  /** The number of times in a minute; 1 for actions that are recorded one by one. */
  readonly count: number
}

/** With a value for each member. */
export type StoredActor = {
  readonly [K in keyof AuditActor]-?: NonNullable<AuditActor[K]> | (K extends 'kind' ? never : null)
}

/**
 * An actor with all members, as it is stored.
 * @example
 * ```ts
 * import { storedActor } from '@taskboard/core/storage'
 *
 * console.log(storedActor(undefined).kind) // host
 * ```
 */
export function storedActor(by: AuditActor | undefined): StoredActor {
  return {
    kind: by?.kind ?? 'host',
    id: by?.id ?? null,
    name: by?.name ?? null,
    sessionId: by?.sessionId ?? null,
    clientAddress: by?.clientAddress ?? null,
    requestId: by?.requestId ?? null,
  }
}
