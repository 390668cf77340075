// `@taskboard/notify`: types of notification channels that users set up.

export { discord } from './discord.js'
export type { IncomingWebhookConfig } from './incoming-webhook.js'
export { email } from './email.js'
export type { EmailConfig, EmailOptions, MailAddress, MailTransport } from './email.js'
export { slack } from './slack.js'
export { teams } from './teams.js'
