import { TaskboardError } from '@taskboard/core'
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
import { ErrorCode, WebClient, type WebAPIPlatformError, type WebAPIRateLimitedError } from '@slack/web-api'
import { cardMessage } from '../cards/card-message.js'
import { fittingBlocks, type SlackMessage } from '../cards/mrkdwn.js'
import type { BotMessage } from '../cards/rich-text.js'
import { pressText, REPEATED, REPLACED } from '../words/press-text.js'
import { respond } from '../words/respond.js'
import { isSignedBySlack } from './signature.js'
import { readSlackUpdate, type SlackUpdate } from './updates.js'

export interface SlackBotOptions {
  /** The signing secret of the app, which Slack signs its requests with. */
  readonly signingSecret: string
  /** The token of the bot in its Slack workspace: `xoxb-…`. */
  readonly botToken: string
  /** Where Slack sends commands, events and presses, below the path of the mount. Default `/bots/slack`. */
  readonly path?: string | undefined
  /** The server of the Web API. Default `https://slack.com/api/`. */
  readonly apiUrl?: string | undefined
}

const PATH = /^(\/[\w.~-]+)+$/
const SECOND_MS = 1_000
const DEFAULT_WAIT_S = 30

/**
 * A bot in Slack, for `bots` of `createTaskboard`. People whose accounts are linked add tasks by `/task` or a direct message, answer in the
 * thread of a card, and approve.
 * @throws TaskboardError `INVALID_CONFIG` naming the option.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { slackBot } from '@taskboard/bots'
 *
 * const taskboard = createTaskboard({
 *   storage: memoryStorage(),
 *   publicUrl: 'https://app.example',
 *   tokens: { secret: 'a secret of at least thirty-two bytes' },
 *   bots: [slackBot({ signingSecret: 'the signing secret', botToken: 'xoxb-the-token' })],
 * })
 * console.log(taskboard.services.bots.routes.map(({ path }) => path)) // [ '/bots/slack' ]
 * ```
 */
export function slackBot(options: SlackBotOptions): Bot {
  const { signingSecret, botToken, path = '/bots/slack' } = checked(options)
  const client = new WebClient(botToken, {
    ...(options.apiUrl === undefined ? {} : { slackApiUrl: options.apiUrl }),
    // The board keeps the waits itself, also over restarts.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 15_000,
  })
  return {
    name: 'slack',
    label: 'Slack',
    path,
    async handle(request, desk): Promise<BotResponse> {
      const { method, bytes } = request
      if (method !== 'POST') return { status: 405 }
      const timestamp = request.header('x-slack-request-timestamp') ?? ''
      const signature = request.header('x-slack-signature') ?? ''
      if (!isSignedBySlack({ bytes, timestamp, signature }, signingSecret, desk.now())) return { status: 401 }
      const update = readSlackUpdate(bytes, request.header('content-type') ?? '')
      return update === null ? { status: 400 } : handleUpdate(client, update, desk)
    },
    show: (card) => show(client, card),
  }
}

function checked(options: SlackBotOptions): SlackBotOptions {
  const { signingSecret, botToken, path, apiUrl } = options
  const rules: readonly (readonly [keyof SlackBotOptions, boolean, string])[] = [
    [
      'signingSecret',
      typeof signingSecret === 'string' && signingSecret !== '',
      'must be the signing secret of the app',
    ],
    ['botToken', typeof botToken === 'string' && botToken.startsWith('xoxb-'), 'must begin with xoxb-'],
    ['path', path === undefined || PATH.test(path), 'must be a path such as /bots/slack'],
    ['apiUrl', apiUrl === undefined || URL.canParse(apiUrl), 'must be a URL'],
  ]
  for (const [field, holds, rule] of rules) {
    if (!holds) throw new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
  }
  return options
}

async function handleUpdate(client: WebClient, update: SlackUpdate, desk: BotDesk): Promise<BotResponse> {
  switch (update.kind) {
    case 'challenge':
      return { status: 200, type: 'text/plain', body: update.challenge }
    case 'other':
      return { status: 200 }
    case 'command': {
      const { spoken, text } = update
      const said = await saidTo(() => respond(desk, spoken, { text, isCommand: true }))
      await desk.done(spoken)
      if (said === null) return { status: 200 }
      const message = { response_type: 'ephemeral', ...fittingBlocks(() => said) }
      return { status: 200, type: 'application/json', body: JSON.stringify(message) }
    }
    case 'message': {
      const { spoken, text, thread } = update
      const said = await saidTo(() => respond(desk, spoken, { text, isCommand: false }))
      if (said !== null) await sayTo(client, spoken, said, thread)
      await desk.done(spoken)
      return { status: 200 }
    }
    case 'press':
      await handlePress(client, update, desk)
      return { status: 200 }
  }
}

/** What people are to read, errors included. A sender of too many messages gets no response. */
async function saidTo(work: () => Promise<BotMessage | null>): Promise<BotMessage | null> {
  try {
    return await work()
  } catch (error) {
    if (isFlood(error)) return null
    if (!isForPeople(error)) throw error
    const { message } = error
    return line(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`)
  }
}

const line = (text: string): BotMessage => ({ text: [[text]], buttons: [] })

/** To this person alone, so that what a stranger writes makes no noise. */
async function sayTo(
  client: WebClient,
  { conversation, person }: Spoken,
  said: BotMessage,
  thread: string | null,
): Promise<void> {
  const { text, blocks } = fittingBlocks(() => said)
  const message = {
    channel: conversation.id,
    text,
    blocks: [...blocks] as never[],
    ...(thread === null ? {} : { thread_ts: thread }),
  }
  try {
    if (conversation.isDirect) await post(client, message)
    else await client.chat.postEphemeral({ ...message, user: person.id })
  } catch (error) {
    // Where the bot may not write, nobody waits for a response.
    if (platformError(error) === null) throw error
  }
}

async function handlePress(
  client: WebClient,
  { spoken, token, ref }: Extract<SlackUpdate, { readonly kind: 'press' }>,
  desk: BotDesk,
): Promise<void> {
  const said = await saidTo(async () => {
    const pressed = await desk.press(spoken, { token, ref })
    if (pressed === null) return line(REPEATED)
    if (pressed.kind === 'replaced') {
      await edit(
        client,
        spoken.conversation.id,
        ref,
        await orphaned(client, spoken.conversation.id, pressed.newer),
      )
      return line(REPLACED)
    }
    if (pressed.kind === 'linked' || pressed.kind === 'declined') {
      await edit(client, spoken.conversation.id, ref, line(pressText(pressed)))
    }
    return line(pressText(pressed))
  })
  if (said !== null)
    await sayTo(client, { ...spoken, conversation: { ...spoken.conversation, isDirect: false } }, said, null)
  await desk.done(spoken)
}

async function orphaned(client: WebClient, channel: string, newer: string | null): Promise<BotMessage> {
  const address = newer === null ? null : await addressOf(client, channel, newer)
  const where =
    address === null
      ? ['There is a newer card of this task in this conversation.']
      : [{ link: address, text: 'The newer card' }]
  return { text: [[{ bold: '↪️ No longer updated here' }], where], buttons: [] }
}

async function addressOf(client: WebClient, channel: string, ts: string): Promise<string | null> {
  try {
    return (await client.chat.getPermalink({ channel, message_ts: ts })).permalink ?? null
  } catch (error) {
    if (platformError(error) === null) throw error
    return null
  }
}

/** A message that only this person sees cannot be changed by its time. */
async function edit(client: WebClient, channel: string, ts: string, made: BotMessage): Promise<void> {
  try {
    await client.chat.update({ channel, ts, ...slackForm(fittingBlocks(() => made)) })
  } catch (error) {
    if (platformError(error) === null) throw error
  }
}

type Posted = Parameters<WebClient['chat']['postMessage']>[0]

/** Without pictures of what links lead to. */
function post(client: WebClient, message: Posted) {
  const quiet = { unfurl_links: false, unfurl_media: false }
  return client.apiCall('chat.postMessage', { ...message, ...quiet }) as ReturnType<
    WebClient['chat']['postMessage']
  >
}

const slackForm = ({ text, blocks }: SlackMessage) => ({ text, blocks: [...blocks] as never[] })

async function show(client: WebClient, card: Card): Promise<ShownCard> {
  const { conversationId: channel, ref, replyTo } = card
  try {
    const newerAddress = card.newer === null ? null : await addressOf(client, channel, card.newer)
    const message = slackForm(fittingBlocks((budget) => cardMessage(card, { budget, newerAddress })))
    if (ref !== null) {
      await client.chat.update({ channel, ts: ref, ...message })
      return { outcome: 'shown', ref }
    }
    const inThread = replyTo === null ? {} : { thread_ts: replyTo }
    const { ts } = await post(client, { channel, ...message, ...inThread })
    if (ts === undefined) throw new Error('Slack did not say which message it has posted')
    return { outcome: 'shown', ref: ts }
  } catch (error) {
    const known = shownDespite(error)
    if (known === null) throw error
    return known
  }
}

const LOST = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed', 'thread_not_found'])
const REMOVED = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'account_inactive',
  'token_revoked',
  'user_not_found',
  'restricted_action',
  'no_permission',
])

function platformError(error: unknown): string | null {
  const { code, data } = error as Partial<WebAPIPlatformError>
  return code === ErrorCode.PlatformError ? (data?.error ?? '') : null
}

/** The state of a card after an error from Slack; null for an error after which the bot retries. */
function shownDespite(error: unknown): ShownCard | null {
  const { code, retryAfter } = error as Partial<WebAPIRateLimitedError>
  if (code === ErrorCode.RateLimitedError) {
    return { outcome: 'later', waitMs: (retryAfter ?? DEFAULT_WAIT_S) * SECOND_MS }
  }
  const platform = platformError(error)
  if (platform === 'ratelimited') return { outcome: 'later', waitMs: DEFAULT_WAIT_S * SECOND_MS }
  if (platform !== null && LOST.has(platform)) return { outcome: 'gone' }
  if (platform !== null && REMOVED.has(platform)) {
    return { outcome: 'removed', reason: 'the bot of Slack may not write in a conversation any more' }
  }
  return null
}
