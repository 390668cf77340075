import type { Spoken } from '@taskboard/core/transport'
import { fromSlack } from '../cards/mrkdwn.js'

/** An update from Slack, with the parts that a bot handles. */
export type SlackUpdate =
  | { readonly kind: 'challenge'; readonly challenge: string }
  | { readonly kind: 'command'; readonly spoken: Spoken; readonly text: string }
  | {
      readonly kind: 'message'
      readonly spoken: Spoken
      readonly text: string
      readonly thread: string | null
    }
  | { readonly kind: 'press'; readonly spoken: Spoken; readonly token: string; readonly ref: string }
  /** An update that a bot doesn't handle. */
  | { readonly kind: 'other' }

type Json = Readonly<Record<string, unknown>>

const OTHER: SlackUpdate = { kind: 'other' }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}

/** The update in a request whose signature is valid; null when the request isn't a Slack update. */
export function readSlackUpdate(bytes: Uint8Array, type: string): SlackUpdate | null {
  const text = new TextDecoder().decode(bytes)
  try {
    if (type.startsWith('application/json')) return eventOf(objectOf(JSON.parse(text)))
    const form = new URLSearchParams(text)
    const payload = form.get('payload')
    return payload === null ? commandOf(form) : pressOf(objectOf(JSON.parse(payload)))
  } catch {
    return null
  }
}

function commandOf(form: URLSearchParams): SlackUpdate | null {
  const of = (name: string): string => form.get(name) ?? ''
  if (of('command') === '' || of('user_id') === '' || of('channel_id') === '') return null
  const spoken: Spoken = {
    updateId: `command ${of('trigger_id')}`,
    position: null,
    person: { id: of('user_id'), name: of('user_name') },
    // Nobody but this person reads the response, nor what was written.
    conversation: { id: of('channel_id'), title: of('channel_name'), isDirect: isDirect(of('channel_id')) },
    replyTo: null,
    cardRepliesTo: null,
  }
  return { kind: 'command', spoken, text: fromSlack(of('text')) }
}

const isDirect = (channelId: string): boolean => channelId.startsWith('D')

function eventOf(body: Json): SlackUpdate | null {
  if (body['type'] === 'url_verification') return { kind: 'challenge', challenge: textOf(body['challenge']) }
  if (body['type'] !== 'event_callback') return OTHER
  const event = objectOf(body['event'])
  const [user, channel, thread] = ['user', 'channel', 'thread_ts'].map((name) => textOf(event[name]))
  const isWritten =
    event['type'] === 'message' && event['subtype'] === undefined && event['bot_id'] === undefined
  const eventId = textOf(body['event_id'])
  if (!isWritten || !user || !channel || eventId === '') return OTHER
  const isReply = thread !== '' && thread !== undefined && thread !== event['ts']
  const spoken: Spoken = {
    updateId: `event ${eventId}`,
    position: null,
    person: { id: user, name: user },
    conversation: { id: channel, title: channel, isDirect: event['channel_type'] === 'im' },
    replyTo: isReply ? thread : null,
    cardRepliesTo: null,
  }
  return { kind: 'message', spoken, text: fromSlack(textOf(event['text'])), thread: isReply ? thread : null }
}

function pressOf(payload: Json): SlackUpdate | null {
  if (payload['type'] !== 'block_actions') return OTHER
  const [action] = Array.isArray(payload['actions']) ? payload['actions'] : []
  const { value, action_ts: at, action_id: id } = objectOf(action)
  const [user, channel, message] = ['user', 'channel', 'message'].map((name) => objectOf(payload[name]))
  const [userId, channelId, ref] = [textOf(user?.['id']), textOf(channel?.['id']), textOf(message?.['ts'])]
  // A link that is shown as a button has no value.
  if (userId === '' || channelId === '' || ref === '' || typeof value !== 'string') return OTHER
  const spoken: Spoken = {
    updateId: `press ${userId} ${ref} ${textOf(id)} ${textOf(at)}`,
    position: null,
    person: { id: userId, name: textOf(user?.['username']) || textOf(user?.['name']) || userId },
    conversation: {
      id: channelId,
      title: textOf(channel?.['name']) || channelId,
      isDirect: isDirect(channelId),
    },
    replyTo: null,
    cardRepliesTo: null,
  }
  return { kind: 'press', spoken, token: value, ref }
}
