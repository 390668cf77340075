import type { NotificationType } from '@taskboard/core'
import { incomingWebhook, messageText, type IncomingWebhookConfig } from './incoming-webhook.js'

/**
 * Channels of Slack, by an incoming webhook. A user sets one up with `type: 'slack'` and `config: { url }`. User text in tasks is shown as
 * plain text: it mentions no one, and no link in it is unfurled. Servers with Slack-compatible webhooks work too.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { slack } from '@taskboard/notify'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage(), notifications: [slack()] })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const channel = await taskboard.channels.create(workspace.id, {
 *   type: 'slack',
 *   name: 'Operations',
 *   config: { url: 'https://hooks.slack.com/services/T0/B0/secret' },
 *   events: ['task.failed'],
 * })
 * console.log(channel.config) // { url: '********' }
 * ```
 */
export function slack(): NotificationType<IncomingWebhookConfig> {
  return incomingWebhook('slack', 'Slack', (notification) => ({
    text:
      escaped(messageText(notification)) +
      (notification.url === null ? '' : `\n<${escaped(notification.url)}>`),
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  }))
}

/** Slack's three control characters: without them nothing is a mention, a link or a command such as `<!channel>`. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
