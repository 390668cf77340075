import type { AuditRules } from './audit-note.js'

/** What of bots is on record. */
export const botRules: AuditRules['bots'] = {
  takeUpdate: 'what the update does is on its own record',
  holdPolling: 'background work',
  insertLinkCode: 'it links no account yet',
  offerLink: 'it links no account yet',
  settleLink: (_, link) =>
    link && {
      action: 'messenger.linked',
      by: { kind: 'user', id: link.userId },
      of: { accountId: link.accountId },
      target: { kind: 'user', id: link.userId },
      details: { bot: link.bot, link_id: link.id },
    },
  listLinks: 'reads',
  deleteLink: ({ accountId, userId, linkId }, isDeleted) =>
    isDeleted
      ? {
          action: 'messenger.unlinked',
          of: { accountId },
          target: { kind: 'user', id: userId },
          details: { link_id: linkId },
        }
      : null,
  connectConversation: ({ workspaceId, bot, connectedBy }, { id }) => ({
    action: 'conversation.connected',
    by: { kind: 'user', id: connectedBy },
    of: { workspaceId },
    target: { kind: 'conversation', id },
    details: { bot },
  }),
  listConversations: 'reads',
  deleteConversation: ({ within, conversationId }, isDeleted) =>
    isDeleted
      ? {
          action: 'conversation.disconnected',
          of: { accountId: within.accountId },
          target: { kind: 'conversation', id: conversationId },
        }
      : null,
  disableConversation: (_, disabled) =>
    disabled && {
      action: 'conversation.disabled',
      of: { workspaceId: disabled.workspaceId },
      target: { kind: 'conversation', id: disabled.id },
      details: { bot: disabled.bot },
    },
  placeMessage: 'shows a task that is in the event log',
  listMessages: 'reads',
  markMessages: 'background work',
  claimMessages: 'background work',
  offerButtons: 'background work',
  settleMessage: 'background work',
}
