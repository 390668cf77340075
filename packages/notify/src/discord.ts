import type { NotificationType } from '@taskboard/core'
import { incomingWebhook, messageText, type IncomingWebhookConfig } from './incoming-webhook.js'

/** The flag `SUPPRESS_EMBEDS`: no link in the text is unfurled. */
const SUPPRESS_EMBEDS = 4

/**
 * Channels of Discord, by a webhook. A user sets one up with `type: 'discord'` and `config: { url }`. User text in tasks is shown as plain
 * text, and mentions no one.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { discord } from '@taskboard/notify'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage(), notifications: [discord()] })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const channel = await taskboard.channels.create(workspace.id, {
 *   type: 'discord',
 *   name: 'Operations',
 *   config: { url: 'https://discord.com/api/webhooks/1/secret' },
 *   events: ['task.completed', 'task.failed'],
 * })
 * console.log(channel.config) // { url: '********' }
 * ```
 */
export function discord(): NotificationType<IncomingWebhookConfig> {
  return incomingWebhook('discord', 'Discord', (notification) => ({
    content:
      escaped(messageText(notification)) + (notification.url === null ? '' : `\n<${notification.url}>`),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  }))
}

/** Without the meaning of Markdown, masked links, mentions and time stamps. */
function escaped(text: string): string {
  return text.replaceAll(/[\\*_~`|<>#[\]()@]/g, (character) => `\\${character}`)
}
