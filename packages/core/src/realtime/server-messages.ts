import {
  eventKinds,
  renderPayload,
  type LoggedEvent,
  type RealtimeEventType,
  type WatchedLine,
} from '../events/index.js'

/** Messages of the server other than events. Wire names. */
export type ServerMessage =
  | { readonly type: 'auth.ok'; readonly connection_id: string; readonly scopes: readonly string[] }
  | {
      readonly type: 'subscribed'
      readonly channel: string
      /** Later events have a higher `seq`: a number for `workspace.…`, numbers by workspace for `tasks`. */
      readonly seq: number | Readonly<Record<string, number>>
    }
  | { readonly type: 'unsubscribed'; readonly channel: string }
  | { readonly type: 'pong' }
  | { readonly type: 'error'; readonly error: RealtimeError; readonly channel?: string }

/** Messages on a channel. Wire names. */
export type ChannelMessage = Beginning | ChannelGap | ChannelEvent | ChannelLine

type Beginning = Extract<ServerMessage, { type: 'subscribed' }>

interface ChannelGap {
  readonly type: 'gap'
  readonly channel: string
  readonly workspace_id: string
  readonly from: number
  readonly to: number
}

interface ChannelEvent {
  readonly type: RealtimeEventType
  readonly channel: string
  readonly workspace_id: string
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly timestamp: string
  /** `data`; the fields themselves of events that no webhook receives. */
  readonly [field: string]: unknown
}

/** A line of a task's log, next to the events: it has no `seq`, and isn't sent again. */
interface ChannelLine {
  readonly type: 'task.log'
  readonly channel: string
  readonly workspace_id: string
  readonly task_id: string
  readonly level: string
  readonly message: string
  /** ISO 8601, UTC. */
  readonly timestamp: string
}

/** An error in the form of API v2. */
export interface RealtimeError {
  readonly code: string
  readonly message: string
  readonly details: { readonly field: string; readonly issue: string }
  readonly request_id: string
  readonly timestamp: string
}

/** The text of an answer, with the `request_id` of its message if there was one. */
export function encodeAnswer(message: ServerMessage, requestId: string | undefined): string {
  return JSON.stringify(requestId === undefined ? message : { ...message, request_id: requestId })
}

/** The message that events from `from` to `to` are no longer available on a channel. */
export function encodeGap(channel: string, workspaceId: string, from: number, to: number): string {
  return JSON.stringify({ type: 'gap', channel, workspace_id: workspaceId, from, to })
}

/** How many characters of a line are sent. */
const LONGEST_LINE = 1_000

/** A line of a task's log on a channel: its first 1,000 characters. */
export function encodeLine(channel: string, line: WatchedLine): string {
  const { workspaceId, taskId, at, level, message } = line
  const text: ChannelLine = {
    type: 'task.log',
    channel,
    workspace_id: workspaceId,
    task_id: taskId,
    level,
    message: message.length <= LONGEST_LINE ? message : Array.from(message).slice(0, LONGEST_LINE).join(''),
    timestamp: new Date(at).toISOString(),
  }
  return JSON.stringify(text)
}

/** An event without its channel, serialized once for all channels. */
export type EncodedEvent = (channel: string) => string

/**
 * An event that webhooks receive has the `data` of its webhook; another, as `task.progress`, has its fields next to the type. An event
 * that this release can't render becomes a gap of one.
 */
export function encodeEvent(event: LoggedEvent): EncodedEvent {
  const { type, workspaceId, seq } = event
  let rest: string
  try {
    rest = JSON.stringify(eventFields(event)).slice(1)
  } catch {
    return (channel) => encodeGap(channel, workspaceId, seq, seq)
  }
  return (channel) => `{"type":"${type}","channel":${JSON.stringify(channel)},${rest}`
}

function eventFields(event: LoggedEvent): Readonly<Record<string, unknown>> {
  const { timestamp, data } = renderPayload(event)
  const place = { workspace_id: event.workspaceId, seq: event.seq, timestamp }
  return eventKinds[event.type].webhooks ? { ...place, data } : { ...data, ...place }
}
