import type { AuditActor, Instant } from '../environment/index.js'

/** What the audit records, with what it means. */
export const auditActions = {
  'account.created': 'The host made the account.',
  'account.changed': 'The name or the tier of the account changed, or whether another person has to decide.',
  'account.deleted': 'The deletion of the account began.',
  'workspace.created': 'A workspace was added.',
  'workspace.changed': 'A workspace got another name.',
  'workspace.deleted': 'The deletion of a workspace began. Its keys were revoked.',
  'member.added': 'A user was made without an invitation.',
  'member.joined': 'Someone accepted an invitation.',
  'member.changed':
    'A user got other scopes. The keys and invitations in the details ended, because they had more.',
  'member.deleted': 'A user was deleted, with the sessions, keys and invitations in the details.',
  'member.verified': 'Your code said whether an address is known to belong to its user.',
  'invitation.created': 'Someone was invited.',
  'invitation.withdrawn': 'An invitation was withdrawn.',
  'password.changed': 'A user got another password. The sessions in the details ended.',
  'mfa.enrolled': 'A user set up a second factor.',
  'mfa.removed': 'The second factor of a user ended.',
  'mfa.recovery_code_used': 'A recovery code was used up.',
  'session.began': 'A user logged in.',
  'session.proven': 'A user showed again who they are.',
  'session.ended': 'A session was ended.',
  'session.reused': 'A refresh token was used twice, so the session was revoked.',
  'login.failed': 'Logins with a wrong password or code, counted by the minute.',
  'login.locked': 'Logins rejected after too many wrong ones, counted by the minute.',
  'key.created': 'An API key was made.',
  'key.rotated': 'An API key was replaced by another one.',
  'key.revoked': 'An API key was revoked.',
  'webhook.created': 'A webhook was registered.',
  'webhook.changed': 'A webhook was changed, turned on or off, or got another secret.',
  'webhook.deleted': 'A webhook was deleted.',
  'webhook.resent': 'Finished deliveries of a webhook were sent again.',
  'channel.created': 'A notification channel was set up.',
  'channel.changed': 'A notification channel was changed.',
  'channel.deleted': 'A notification channel was deleted.',
  'messenger.linked': 'An account of a messenger was linked to a user.',
  'messenger.unlinked': 'An account of a messenger was unlinked.',
  'conversation.connected': 'A conversation of a messenger was connected with a workspace.',
  'conversation.disconnected': 'A conversation of a messenger was disconnected.',
  'conversation.disabled': 'A bot could not write in a conversation any more.',
  'schedule.created': 'A schedule was created.',
  'schedule.changed': 'A schedule was changed, turned on or off.',
  'schedule.deleted': 'A schedule was deleted.',
  'budget.changed': 'The monthly budget of a workspace or an agent was set or removed.',
  'usage.corrected': 'Someone corrected what a month has used, for the reason in the details.',
  'approval.decided': 'Someone approved or rejected what an agent asked for.',
  'link.created': 'A link was made that decides as the user in the details.',
  'access.refused':
    'Requests of a caller beyond its scopes, or without a fresh proof, counted by the minute.',
  'credential.refused':
    'Requests with a wrong credential, counted by the minute and the address. They belong to no account.',
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
