import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message as the server has it. */
export interface SentMessage {
  readonly chatId: string
  readonly messageId: number
  readonly html: string
  /** What people read, without the characters that join words. */
  readonly text: string
  /** What each button carries, by its label. */
  readonly buttons: Readonly<Record<string, string>>
  readonly replyTo: number | null
  readonly edits: number
}

type Json = Readonly<Record<string, unknown>>

/** What the server answers instead, once. */
export type Fault =
  | {
      readonly method: string
      readonly code: number
      readonly description: string
      readonly retryAfter?: number
    }
  /** It does what it is asked for, and the connection is cut before the answer. */
  | { readonly method: string; readonly cut: true }

/**
 * A server that speaks the Bot API of Telegram, written from https://core.telegram.org/bots/api: getUpdates with offsets, setWebhook, sendMessage,
 * editMessageText and answerCallbackQuery, HTML as it parses it, and its errors.
 */
export interface TelegramServer {
  readonly url: string
  readonly token: string
  /** Everything that is shown, by chat and message. */
  messages(chatId?: number): readonly SentMessage[]
  /** What was shown to people who pressed. */
  readonly alerts: string[]
  /** How often each method was called. */
  readonly calls: Map<string, number>
  readonly webhook: { url: string; secretToken: string } | null
  readonly faults: Fault[]
  /** Adds an update for `getUpdates`; returns it. */
  push(update: Json): Json
  /** Updates that `getUpdates` would answer with. */
  waiting(): number
  nextMessageId(): number
  close(): Promise<void>
}

const TOKEN = '4839574812:AAFD39kkdpWt3ywyRZergyOLMaJhac60qcA'
const MOST_CHARACTERS = 4_096

class Refused extends Error {
  constructor(
    readonly code: number,
    readonly description: string,
    readonly parameters: Json = {},
  ) {
    super(description)
  }
}

interface ServerState {
  readonly messages: Map<string, SentMessage>
  readonly updates: (Json & { readonly update_id: number })[]
  readonly alerts: string[]
  readonly calls: Map<string, number>
  readonly faults: Fault[]
  webhook: TelegramServer['webhook']
  lastId: number
  lastUpdate: number
}

export async function telegramServer(): Promise<TelegramServer> {
  const state: ServerState = {
    messages: new Map(),
    updates: [],
    alerts: [],
    calls: new Map(),
    faults: [],
    webhook: null,
    lastId: 100,
    lastUpdate: 500,
  }
  const { messages, updates, alerts, calls, faults } = state
  const answer = createAnswers(state)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
      const text = Buffer.concat(chunks).toString()
      const { code, json, isCut } =
        token === TOKEN
          ? answer(method, text === '' ? {} : (JSON.parse(text) as Json))
          : { code: 401, json: { ok: false, error_code: 401, description: 'Unauthorized' }, isCut: false }
      if (isCut) request.socket.destroy()
      else response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: TOKEN,
    messages: (chatId) =>
      [...messages.values()].filter((message) => chatId === undefined || message.chatId === String(chatId)),
    alerts,
    calls,
    get webhook() {
      return state.webhook
    },
    faults,
    push(update) {
      state.lastUpdate += 1
      const whole = { update_id: state.lastUpdate, ...update }
      updates.push(whole)
      return whole
    },
    waiting: () => updates.length,
    nextMessageId: () => (state.lastId += 1),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

interface Answered {
  readonly code: number
  readonly json: Json
  readonly isCut: boolean
}

/** Answers each method, or with the fault that is next for it. */
function createAnswers(state: ServerState): (method: string, body: Json) => Answered {
  const { calls, faults } = state
  const methods = createMethods(state)
  return (method, body) => {
    calls.set(method, (calls.get(method) ?? 0) + 1)
    const place = faults.findIndex((fault) => fault.method === method)
    const [fault] = place === -1 ? [] : faults.splice(place, 1)
    try {
      if (fault !== undefined && !('cut' in fault)) {
        const { code, description, retryAfter } = fault
        throw new Refused(code, description, retryAfter === undefined ? {} : { retry_after: retryAfter })
      }
      const run = methods[method]
      if (run === undefined) throw new Refused(404, 'Not Found')
      return { code: 200, json: { ok: true, result: run(body) }, isCut: fault !== undefined }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { code, description, parameters } = error
      return { code, json: { ok: false, error_code: code, description, parameters }, isCut: false }
    }
  }
}

/** What the methods do with what is shown. */
function createMethods(state: ServerState): Readonly<Record<string, (body: Json) => unknown>> {
  const { messages, updates, alerts } = state

  function confirm(offset: number): void {
    while (updates[0] !== undefined && updates[0].update_id < offset) updates.shift()
  }

  function put(body: Json, messageId: number): SentMessage {
    const { html, text } = parsed(body)
    const key = `${String(body['chat_id'])} ${messageId}`
    const before = messages.get(key)
    const markup = body['reply_markup'] as
      | { readonly inline_keyboard: readonly (readonly Json[])[] }
      | undefined
    const buttons = (markup?.inline_keyboard ?? []).flat().map((button) => {
      const data = String(button['callback_data'])
      if (Buffer.byteLength(data) > 64) throw new Refused(400, 'Bad Request: BUTTON_DATA_INVALID')
      return [String(button['text']), data] as const
    })
    const reply = body['reply_parameters'] as { readonly message_id: number } | undefined
    const sent = {
      chatId: String(body['chat_id']),
      messageId,
      html,
      text,
      buttons: Object.fromEntries(buttons),
      replyTo: before?.replyTo ?? reply?.message_id ?? null,
      edits: before === undefined ? 0 : before.edits + 1,
    }
    if (before !== undefined && before.html === html && sameButtons(before, sent)) {
      throw new Refused(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same',
      )
    }
    messages.set(key, sent)
    return sent
  }

  return {
    getUpdates(body) {
      if (state.webhook !== null)
        throw new Refused(409, "Conflict: can't use getUpdates method while webhook is active")
      confirm(Number(body['offset'] ?? 0))
      return updates.slice(0, Number(body['limit'] ?? 100))
    },
    setWebhook(body) {
      state.webhook = { url: String(body['url']), secretToken: String(body['secret_token']) }
      return true
    },
    deleteWebhook() {
      state.webhook = null
      return true
    },
    sendMessage(body) {
      state.lastId += 1
      const { chatId, messageId } = put(body, state.lastId)
      return { message_id: messageId, date: 0, chat: { id: Number(chatId), type: 'private' } }
    },
    editMessageText(body) {
      const key = `${String(body['chat_id'])} ${Number(body['message_id'])}`
      if (!messages.has(key)) throw new Refused(400, 'Bad Request: message to edit not found')
      put(body, Number(body['message_id']))
      return true
    },
    answerCallbackQuery(body) {
      if (String(body['text']).length > 200) throw new Refused(400, 'Bad Request: MESSAGE_TOO_LONG')
      alerts.push(String(body['text']).replaceAll('\u2060', ''))
      return true
    },
  }
}

function sameButtons(before: SentMessage, after: SentMessage): boolean {
  return JSON.stringify(before.buttons) === JSON.stringify(after.buttons)
}

const TAG = /<(\/?)(b|pre|a)(?: href="([^"<>]*)")?>/g

/** HTML as Telegram parses it: known tags that are closed in order, four named entities, and nothing else that looks like either. */
function parsed(body: Json): { readonly html: string; readonly text: string } {
  const html = String(body['text'])
  if (body['parse_mode'] !== 'HTML') throw new Refused(400, 'Bad Request: this server expects HTML')
  const open: string[] = []
  const text = html.replaceAll(TAG, (_, slash: string, name: string) => {
    if (slash === '') open.push(name)
    else if (open.pop() !== name)
      throw new Refused(400, "Bad Request: can't parse entities: unexpected end tag")
    return ''
  })
  if (open.length > 0) throw new Refused(400, "Bad Request: can't parse entities: can't find end tag")
  if (/[<>]/.test(text) || /&(?!(amp|lt|gt|quot);)/.test(text)) {
    throw new Refused(400, "Bad Request: can't parse entities: unsupported start tag")
  }
  const plain = text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
  if (plain.trim() === '') throw new Refused(400, 'Bad Request: message text is empty')
  if (plain.length > MOST_CHARACTERS) throw new Refused(400, 'Bad Request: message is too long')
  return { html, text: plain.replaceAll('\u2060', '') }
}

/** What Telegram makes links and mentions of by itself, outside of code. */
export function foundEntities(html: string): readonly string[] {
  const text = html.replaceAll(/<pre>[\s\S]*?<\/pre>/g, '').replaceAll(/<[^>]*>/g, '')
  const plain = text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
  const kinds = [
    /(?<![\p{L}\p{N}_])@[a-z]\w{3,31}/giu,
    /(?<![\p{L}\p{N}_])\/[a-z]\w*/giu,
    /(?<![\p{L}\p{N}_])[#$][\p{L}\p{N}_]+/giu,
    /\b[a-z][a-z+]*:\/\/\S+/gi,
    /(?<![\p{L}\p{N}])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?![\p{L}\p{N}])/giu,
    /\+\d{6,}/g,
  ]
  return kinds.flatMap((kind) => plain.match(kind) ?? [])
}
