import {
  TaskboardError,
  type ChannelNotification,
  type ConfigTools,
  type DeliveryTools,
  type NotificationType,
} from '@taskboard/core'

/** The configuration of a channel that is an incoming webhook of a chat. */
export interface IncomingWebhookConfig {
  /** Secret: who has it can post. */
  readonly url: string
}

/** A type whose channels take JSON over HTTP POST, at a URL that is their secret. */
export function incomingWebhook(
  name: string,
  label: string,
  messageOf: (notification: ChannelNotification) => object,
): NotificationType<IncomingWebhookConfig> {
  return {
    name,
    label,
    secrets: ['url'],
    fields: { url: { label: 'URL of the incoming webhook', kind: 'url' } },
    parseConfig: parseUrl,
    async deliver(notification, { url }, tools) {
      await postMessage(url, messageOf(notification), tools)
    },
  }
}

function parseUrl(
  config: Readonly<Record<string, unknown>>,
  { refuseUrl }: ConfigTools,
): IncomingWebhookConfig {
  const { url, ...others } = config
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw refused(unknown, 'is not known: the configuration has url only')
  if (url === undefined || url === null) throw refused('url', 'is required')
  if (typeof url !== 'string') throw refused('url', 'must be text')
  const reason = refuseUrl(url)
  if (reason !== null) throw refused('url', reason)
  return { url }
}

/** An invalid member of a configuration. */
export function refused(field: string, rule: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `${field} ${rule}`, { field })
}

async function postMessage(url: string, message: object, { post }: DeliveryTools): Promise<void> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Taskboard-Notify/1' }
  const sent = await post({ url, headers, body: JSON.stringify(message) })
  if (sent.kind === 'aborted') throw new Error('the delivery was aborted')
  if (sent.kind === 'unanswered') throw new Error(`${sent.error}: ${sent.detail}`)
  if (sent.status < 200 || sent.status > 299) throw new Error(`HTTP ${sent.status} ${sent.excerpt}`.trim())
}

/** The text of a notification, which says so when it is a test. */
export function messageText({ text, isTest, channel }: ChannelNotification): string {
  return isTest ? `Test of the channel “${oneLine(channel.name)}”: ${text}` : text
}

/** Without line breaks and other control characters, each run of them a space. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
