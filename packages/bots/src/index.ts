// `@taskboard/bots`: bots in messengers that create tasks, and let people answer and approve.

export { telegramBot } from './telegram/telegram-bot.js'
export type { TelegramBotOptions } from './telegram/telegram-options.js'
export { slackBot } from './slack/slack-bot.js'
export type { SlackBotOptions } from './slack/slack-bot.js'
