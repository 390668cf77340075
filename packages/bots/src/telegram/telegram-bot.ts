import { timingSafeEqual } from 'node:crypto'
import {
  type Bot,
  type BotDesk,
  type BotResponse,
  type Card,
  isFlood,
  isForPeople,
  type ShownCard,
  type Spoken,
} from '@taskboard/core/transport'
import { Api, GrammyError } from 'grammy'
import type { InlineKeyboardMarkup, Update } from 'grammy/types'
import { cardMessage } from '../cards/card-message.js'
import { fittingHtml } from '../cards/html.js'
import type { BotMessage } from '../cards/rich-text.js'
import { checkedOptions, type TelegramBotOptions } from './telegram-options.js'
import { pressText, REPEATED, REPLACED } from '../words/press-text.js'
import { respond } from '../words/respond.js'

const UPDATES = ['message', 'callback_query'] as const
const MAX_POLLED = 20
/** Then an update that cannot be handled is left out, so that others get through. */
const MOST_FAILURES = 5
const RETRY_MS = 1_000

/**
 * A bot in Telegram, for `bots` of `createTaskboard`. People whose accounts are linked add tasks by a message or `/task`, answer, and approve.
 * @throws TaskboardError `INVALID_CONFIG` naming the option.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { telegramBot } from '@taskboard/bots'
 *
 * const taskboard = createTaskboard({
 *   storage: memoryStorage(),
 *   publicUrl: 'https://app.example',
 *   tokens: { secret: 'a secret of at least thirty-two bytes' },
 *   bots: [telegramBot({ token: '123456:a-token-of-botfather', secretToken: 'another-secret' })],
 * })
 * console.log(taskboard.services.bots.routes.map(({ path }) => path)) // [ '/bots/telegram' ]
 * ```
 */
export function telegramBot(options: TelegramBotOptions): Bot {
  const { token, secretToken, username, path = '/bots/telegram', pollSeconds = 25 } = checkedOptions(options)
  const api = new Api(token, {
    ...(options.apiUrl === undefined ? {} : { apiRoot: options.apiUrl }),
    timeoutSeconds: 60,
  })
  const failures = new Map<number, number>()

  async function takePolled(update: Update, position: number, desk: BotDesk): Promise<void> {
    try {
      await handleUpdate(api, update, position, desk)
      failures.delete(update.update_id)
    } catch (error) {
      const count = (failures.get(update.update_id) ?? 0) + 1
      failures.set(update.update_id, count)
      if (count < MOST_FAILURES) throw error
      failures.delete(update.update_id)
      desk.logger.error({ updateId: update.update_id, err: error }, 'an update of Telegram was left out')
      await desk.done({ updateId: String(update.update_id), position })
    }
  }

  return {
    name: 'telegram',
    label: 'Telegram',
    path: secretToken === undefined ? null : path,
    async handle(request, desk): Promise<BotResponse> {
      const { method, bytes } = request
      if (method !== 'POST') return { status: 405 }
      const given = request.header('x-telegram-bot-api-secret-token') ?? ''
      if (secretToken === undefined || !isSame(given, secretToken)) return { status: 401 }
      const update = toUpdate(bytes)
      if (update === null) return { status: 400 }
      await handleUpdate(api, update, null, desk)
      return { status: 200 }
    },
    async open({ address, signal }) {
      if (address === null || secretToken === undefined) {
        await api.deleteWebhook({}, toSignal(signal))
        return
      }
      await api.setWebhook(address, { secret_token: secretToken, allowed_updates: UPDATES }, toSignal(signal))
    },
    ...(secretToken === undefined && {
      async poll({ position, signal }, desk) {
        const asked = { offset: position, timeout: pollSeconds, limit: MAX_POLLED, allowed_updates: UPDATES }
        const updates = await withWaits(() => api.getUpdates(asked, toSignal(signal)))
        if ('waitMs' in updates) return updates
        try {
          for (const update of updates) await takePolled(update, update.update_id + 1, desk)
        } catch (error) {
          // What is wrong with one update is no reason to leave those of others for minutes.
          desk.logger.warn({ err: error }, 'an update of Telegram failed; retrying')
          return { waitMs: RETRY_MS }
        }
        return { waitMs: updates.length === 0 && pollSeconds === 0 ? 1_000 : 0 }
      },
    }),
    show: (card, { signal }) => show(api, card, signal),
    linkAddress: (code) => (username === undefined ? null : `https://t.me/${username}?start=${code}`),
  }
}

type GrammySignal = NonNullable<Parameters<Api['getMe']>[0]>

/** grammY names the type of a package for old versions of Node.js. It is the same object. */
const toSignal = (signal: AbortSignal): GrammySignal => signal as unknown as GrammySignal

function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function toUpdate(bytes: Uint8Array): Update | null {
  try {
    const update = JSON.parse(new TextDecoder().decode(bytes)) as Update | null
    return typeof update?.update_id === 'number' ? update : null
  } catch {
    return null
  }
}

/** The result of a request, or the wait that Telegram wants before the next one. */
async function withWaits<T extends object>(ask: () => Promise<T>): Promise<T | { readonly waitMs: number }> {
  try {
    return await ask()
  } catch (error) {
    const seconds = error instanceof GrammyError ? error.parameters.retry_after : undefined
    if (seconds === undefined) throw error
    return { waitMs: seconds * 1_000 }
  }
}

const COMMAND = /^\/(\w+)(?:@\w+)?(?:\s+|$)/

async function handleUpdate(api: Api, update: Update, position: number | null, desk: BotDesk): Promise<void> {
  const updateId = String(update.update_id)
  const { message, callback_query: query } = update
  if (query !== undefined) return handlePress(api, query, { updateId, position }, desk)
  const { from, chat, text, reply_to_message: replied } = message ?? {}
  if (
    from === undefined ||
    from.is_bot ||
    chat === undefined ||
    text === undefined ||
    message === undefined
  ) {
    return desk.done({ updateId, position })
  }
  const [whole, command] = COMMAND.exec(text) ?? []
  const isDirect = chat.type === 'private'
  const isOurs =
    command === undefined
      ? isDirect || replied !== undefined
      : command === 'task' || command === 'start' || command === 'help'
  if (!isOurs) return desk.done({ updateId, position })
  const spoken: Spoken = {
    updateId,
    position,
    person: { id: String(from.id), name: nameOf(from) },
    conversation: { id: String(chat.id), title: chat.title ?? nameOf(from), isDirect },
    replyTo: replied === undefined ? null : String(replied.message_id),
    cardRepliesTo: isDirect ? null : String(message.message_id),
  }
  const rest = whole === undefined ? text : text.slice(whole.length)
  const written = { text: toWords(command, rest), isCommand: command !== undefined }
  const made = await saidTo(() => respond(desk, spoken, written))
  if (made !== null) await attempt(desk, () => send(api, chat.id, made, message.message_id))
  await desk.done({ updateId, position })
}

/** `/start` comes with the code of the address that opened the bot. */
function toWords(command: string | undefined, rest: string): string {
  if (command === 'help') return 'help'
  if (command !== 'start') return rest
  return rest.trim() === '' ? 'help' : `connect ${rest.trim()}`
}

const nameOf = ({
  first_name: first,
  last_name: last,
  username,
}: {
  first_name: string
  last_name?: string
  username?: string
}): string =>
  [first, last]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .slice(0, 200) ||
  (username ?? '')

/** What people are to read, errors included. A sender of too many messages gets no response. */
async function saidTo(work: () => Promise<BotMessage | null>): Promise<BotMessage | null> {
  try {
    return await work()
  } catch (error) {
    if (isFlood(error)) return null
    if (isForPeople(error)) return { text: [[sentence(error.message)]], buttons: [] }
    throw error
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

type Query = NonNullable<Update['callback_query']>

async function handlePress(
  api: Api,
  query: Query,
  { updateId, position }: Pick<Spoken, 'updateId' | 'position'>,
  desk: BotDesk,
): Promise<void> {
  const { from, message, data = '' } = query
  if (message === undefined) {
    await answer(api, query.id, 'This button does nothing.')
    return desk.done({ updateId, position })
  }
  const { chat } = message
  const spoken: Spoken = {
    updateId,
    position,
    person: { id: String(from.id), name: nameOf(from) },
    conversation: {
      id: String(chat.id),
      title: chat.title ?? nameOf(from),
      isDirect: chat.type === 'private',
    },
    replyTo: null,
    cardRepliesTo: null,
  }
  const ref = String(message.message_id)
  try {
    const pressed = await desk.press(spoken, { token: data, ref })
    if (pressed?.kind === 'replaced') {
      await answer(api, query.id, REPLACED)
      const address = newerAddress(String(chat.id), pressed.newer)
      await attempt(desk, () => replaceOrphan(api, chat.id, message.message_id, address))
    } else {
      const text = pressed === null ? REPEATED : pressText(pressed)
      await answer(api, query.id, text)
      if (pressed?.kind === 'linked' || pressed?.kind === 'declined') {
        const made = { text: [[text]], buttons: [] }
        await attempt(desk, () => edit(api, chat.id, message.message_id, made))
      }
    }
  } catch (error) {
    if (!isForPeople(error)) throw error
    await answer(api, query.id, sentence(error.message))
  }
  await desk.done({ updateId, position })
}

/** Telegram shows at most 200 characters. It accepts no response to a press that is too old. */
async function answer(api: Api, queryId: string, text: string): Promise<void> {
  try {
    await api.answerCallbackQuery(queryId, { text: text.slice(0, 200), show_alert: true })
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error
  }
}

async function replaceOrphan(
  api: Api,
  chatId: number,
  messageId: number,
  address: string | null,
): Promise<void> {
  const line =
    address === null
      ? ['There is a newer card of this task in this conversation.']
      : [{ link: address, text: 'The newer card' }]
  await edit(api, chatId, messageId, { text: [[{ bold: '↪️ No longer updated here' }], line], buttons: [] })
}

/** Writes a response. One that Telegram rejects, or wants to have later, is left out: it would hold up all updates. */
async function attempt({ logger }: BotDesk, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error
    logger.debug({ err: error }, 'Telegram has rejected a response')
  }
}

async function edit(api: Api, chatId: number, messageId: number, made: BotMessage): Promise<void> {
  const { html } = fittingHtml(() => made)
  await api.editMessageText(chatId, messageId, html, COMMON)
}

const COMMON = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } } as const

async function send(api: Api, chatId: number, made: BotMessage, replyTo: number): Promise<void> {
  const { html } = fittingHtml(() => made)
  await api.sendMessage(chatId, html, { ...COMMON, ...keyboard(made), ...replying(replyTo) })
}

const replying = (messageId: number) => ({
  reply_parameters: { message_id: messageId, allow_sending_without_reply: true },
})

function keyboard({ buttons }: BotMessage): { reply_markup?: InlineKeyboardMarkup } {
  if (buttons.length === 0) return {}
  return {
    reply_markup: {
      inline_keyboard: [buttons.map(({ label, token }) => ({ text: label, callback_data: token }))],
    },
  }
}

/** Only messages of supergroups have addresses. */
function newerAddress(conversationId: string, newer: string | null): string | null {
  const [, group] = /^-100(\d+)$/.exec(conversationId) ?? []
  return group === undefined || newer === null ? null : `https://t.me/c/${group}/${newer}`
}

async function show(api: Api, card: Card, signal: AbortSignal): Promise<ShownCard> {
  const address = newerAddress(card.conversationId, card.newer)
  const { html, message } = fittingHtml((budget) => cardMessage(card, { budget, newerAddress: address }))
  const { conversationId: chatId, ref, replyTo } = card
  try {
    if (ref === null) {
      const reply = replyTo === null ? {} : replying(Number(replyTo))
      const { message_id: id } = await api.sendMessage(
        chatId,
        html,
        { ...COMMON, ...keyboard(message), ...reply },
        toSignal(signal),
      )
      return { outcome: 'shown', ref: String(id) }
    }
    await api.editMessageText(
      chatId,
      Number(ref),
      html,
      { ...COMMON, ...keyboard(message) },
      toSignal(signal),
    )
    return { outcome: 'shown', ref }
  } catch (error) {
    const known = error instanceof GrammyError ? shownDespite(error, ref) : null
    if (known === null) throw error
    return known
  }
}

const REMOVED =
  /chat not found|bot was (blocked|kicked)|not a member|user is deactivated|not enough rights|upgraded to a supergroup|have no rights|CHAT_WRITE_FORBIDDEN/i
const LOST = /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i

/** The state of a card after an error from Telegram; null for an error after which the bot retries. */
function shownDespite(
  { description, error_code: code, parameters }: GrammyError,
  ref: string | null,
): ShownCard | null {
  if (parameters.retry_after !== undefined)
    return { outcome: 'later', waitMs: parameters.retry_after * 1_000 }
  if (ref !== null && /message is not modified/i.test(description)) return { outcome: 'shown', ref }
  if (ref !== null && LOST.test(description)) return { outcome: 'gone' }
  if (code === 403 || REMOVED.test(description)) {
    return { outcome: 'removed', reason: 'the bot of Telegram may not write in a conversation any more' }
  }
  return null
}
