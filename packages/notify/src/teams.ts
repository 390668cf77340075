import type { NotificationType } from '@taskboard/core'
import { incomingWebhook, messageText, type IncomingWebhookConfig } from './incoming-webhook.js'

/**
 * Channels of Microsoft Teams, through the webhook of a workflow. Use the template “Send webhook alerts to a channel”, or the trigger “When
 * a Teams webhook request is received”. A user sets one up with `type: 'teams'` and `config: { url }`. Each message is an Adaptive Card, in
 * which user text is plain text: it mentions no one, and contains no Markdown.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { teams } from '@taskboard/notify'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage(), notifications: [teams()] })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const channel = await taskboard.channels.create(workspace.id, {
 *   type: 'teams',
 *   name: 'Operations',
 *   config: { url: 'https://example.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=secret' },
 *   events: ['task.failed'],
 * })
 * console.log(channel.config) // { url: '********' }
 * ```
 */
export function teams(): NotificationType<IncomingWebhookConfig> {
  return incomingWebhook('teams', 'Microsoft Teams', (notification) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: cardOf(messageText(notification), notification.url),
      },
    ],
  }))
}

/** A `TextBlock` would read its text as Markdown, a `TextRun` doesn't. Both are in version 1.2, which Teams shows everywhere. */
function cardOf(text: string, url: string | null): object {
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] }],
    ...(url === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open task', url }] }),
    msteams: { width: 'Full' },
  }
}
