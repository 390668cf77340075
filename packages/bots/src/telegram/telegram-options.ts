import { TaskboardError } from '@taskboard/core'

export interface TelegramBotOptions {
  /** The token of the bot, which BotFather gives. */
  readonly token: string
  /**
   * Telegram sends it with each update, to prove that the update is genuine: 1 to 256 letters, digits, `_` and `-`. Telegram then calls your
   * host application, at `publicUrl` and `path`. Without it, one of your processes asks Telegram for updates.
   */
  readonly secretToken?: string | undefined
  /** Where Telegram sends updates, below the path of the mount. Default `/bots/telegram`. */
  readonly path?: string | undefined
  /** The bot's name without `@`, for addresses that open it with a code. */
  readonly username?: string | undefined
  /** The server of the Bot API. Default `https://api.telegram.org`. */
  readonly apiUrl?: string | undefined
  /** How long one request for updates waits for the next one, in seconds, from 0 to 50. Default 25. */
  readonly pollSeconds?: number | undefined
}

const SECRET = /^[\w-]{1,256}$/
const TOKEN = /^\d+:[\w-]{10,}$/
const USERNAME = /^\w{3,32}$/
const PATH = /^(\/[\w.~-]+)+$/

/** @throws TaskboardError `INVALID_CONFIG` naming the first option that is wrong. */
export function checkedOptions(options: TelegramBotOptions): TelegramBotOptions {
  const { token, secretToken, username, path, pollSeconds, apiUrl } = options
  const rules: readonly (readonly [keyof TelegramBotOptions, boolean, string])[] = [
    ['token', typeof token === 'string' && TOKEN.test(token), 'must be the token that @BotFather gives'],
    [
      'secretToken',
      secretToken === undefined || SECRET.test(secretToken),
      'must be 1 to 256 letters, digits, _ and -',
    ],
    ['username', username === undefined || USERNAME.test(username), 'must be the name of the bot without @'],
    ['path', path === undefined || PATH.test(path), 'must be a path such as /bots/telegram'],
    ['apiUrl', apiUrl === undefined || URL.canParse(apiUrl), 'must be a URL'],
    [
      'pollSeconds',
      pollSeconds === undefined || (Number.isInteger(pollSeconds) && pollSeconds >= 0 && pollSeconds <= 50),
      'must be a whole number from 0 to 50',
    ],
  ]
  for (const [field, holds, rule] of rules) {
    if (!holds) throw new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
  }
  return options
}
