import type { SentMessage, TelegramServer } from '@taskboard/kit/messengers/telegram-server'
import type { BotBoard } from './bot-board.js'

/** Somebody with an account of Telegram. */
export interface TelegramPerson {
  readonly id: number
  /** Sends a message in the person's own conversation with the bot, or in a group. */
  write(text: string, options?: { readonly chatId?: number; readonly replyTo?: number }): Promise<void>
  press(message: SentMessage, label: string): Promise<void>
  pressToken(token: string, message: Pick<SentMessage, 'chatId' | 'messageId'>): Promise<void>
  /** The newest message of the bot in the conversation. */
  last(chatId?: number): SentMessage
  /** The card with that title. */
  card(title: string, chatId?: number): SentMessage
}

const SECONDS = { seconds: 2 }

/** A person of a server, whose bot polls on the clock of the board. */
export function telegramPerson(
  server: TelegramServer,
  { clock, handle }: Pick<BotBoard, 'clock' | 'handle'>,
  id: number,
  name = 'Ada',
): TelegramPerson {
  const from = { id, is_bot: false, first_name: name }
  const chatOf = (chatId: number) =>
    chatId === id
      ? { id, type: 'private', first_name: name }
      : { id: chatId, type: 'supergroup', title: 'Operations' }

  const settled = () => clock.advance(SECONDS)

  /** As Telegram does it: by the webhook if one is set. */
  async function deliver(update: Readonly<Record<string, unknown>>): Promise<void> {
    const whole = server.push(update)
    if (server.webhook === null) return
    const { url, secretToken } = server.webhook
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secretToken }
    await handle(new Request(url, { method: 'POST', headers, body: JSON.stringify(whole) }))
  }

  const person: TelegramPerson = {
    id,
    async write(text, { chatId = id, replyTo } = {}) {
      const reply =
        replyTo === undefined
          ? {}
          : { reply_to_message: { message_id: replyTo, date: 0, chat: chatOf(chatId) } }
      const message = {
        message_id: server.nextMessageId(),
        date: 0,
        from,
        chat: chatOf(chatId),
        text,
        ...reply,
      }
      await deliver({ message })
      await settled()
    },
    press(message, label) {
      const token = message.buttons[label]
      if (token === undefined) throw new Error(`no button ${label} in ${message.text}`)
      return person.pressToken(token, message)
    },
    async pressToken(token, { chatId, messageId }) {
      const message = { message_id: messageId, date: 0, chat: chatOf(Number(chatId)) }
      await deliver({
        callback_query: {
          id: `query-${server.alerts.length}`,
          from,
          message,
          chat_instance: '1',
          data: token,
        },
      })
      await settled()
    },
    last(chatId = id) {
      const found = server.messages(chatId).at(-1)
      if (found === undefined) throw new Error('the bot said nothing')
      return found
    },
    card(title, chatId = id) {
      const found = server.messages(chatId).findLast(({ text }) => text.includes(title) && text.includes('#'))
      if (found === undefined)
        throw new Error(
          `no card of ${title}: ${server
            .messages(chatId)
            .map(({ text }) => text)
            .join(' | ')}`,
        )
      return found
    },
  }
  return person
}

/** Links somebody to a user of the board, as a person does it. */
export async function linked(
  server: TelegramServer,
  board: BotBoard,
  id: number,
  user = board.ada,
): Promise<TelegramPerson> {
  const person = telegramPerson(server, board, id, user.id)
  await person.write(`/start ${await board.codeFor(user)}`)
  await person.press(person.last(), 'Link')
  return person
}
