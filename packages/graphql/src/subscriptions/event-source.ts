import type { ChannelMessage } from '@taskboard/core'
import { fromWire } from '../wire-names.js'

/** What stands behind a `BoardEvent`: members as they are named in the schema. */
export interface EventSource {
  readonly __typename: 'EventsBegin' | 'EventGap' | 'TaskEvent' | 'AgentEvent'
  readonly workspaceId: string
  readonly seq: number
  readonly [member: string]: unknown
}

/** What a subscriber wants to be told, of what its credential allows. */
export interface ToldFilter {
  /** As on the channel: `task.created`. */
  readonly types?: readonly string[] | null
  readonly taskId?: string | null
}

/** The types of events, by their names on the channel. */
export const eventTypes = [
  'task.created',
  'task.started',
  'task.progress',
  'task.completed',
  'task.failed',
  'task.moved',
  'agent.status',
] as const

/** Says of a message whether a subscriber wants it; where it begins, and what is missing, it always does. */
export function isTold({ types, taskId }: ToldFilter): (message: ChannelMessage) => boolean {
  const wanted = types == null ? null : new Set(types)
  return (message) => {
    if (message.type === 'subscribed' || message.type === 'gap') return true
    if (wanted?.has(message.type) === false) return false
    return taskId == null || taskIdOf(message) === taskId
  }
}

/** The events that a message of the channel comes to: one, or where it begins the places of all workspaces. */
export function toEvents(message: ChannelMessage): readonly EventSource[] {
  if (message.type === 'subscribed') return toBeginnings(message.channel, message.seq)
  const { workspace_id: workspaceId } = message
  if (message.type === 'gap') {
    return [{ __typename: 'EventGap', workspaceId, seq: message.to, firstSeq: message.from }]
  }
  const { data, seq, type, timestamp, ...own } = message
  const members = { ...own, ...(data as object | undefined) }
  const place = { workspaceId, seq, type, timestamp }
  if (type === 'agent.status') return [{ ...fromWire(members), ...place, __typename: 'AgentEvent' }]
  return [{ ...inSchema(fromWire(members)), ...place, __typename: 'TaskEvent' }]
}

function toBeginnings(
  channel: string,
  seq: number | Readonly<Record<string, number>>,
): readonly EventSource[] {
  const places =
    typeof seq === 'number' ? [[channel.slice('workspace.'.length), seq] as const] : Object.entries(seq)
  return places.map(([workspaceId, place]) => ({ __typename: 'EventsBegin', workspaceId, seq: place }))
}

/** Members that have another name, or another spelling, in payloads. */
function inSchema({ from, to, agentId, ...rest }: Readonly<Record<string, unknown>>): object {
  return { ...rest, fromColumn: lowerCase(from), toColumn: lowerCase(to), byAgentId: agentId }
}

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value
}

function taskIdOf(message: Readonly<Record<string, unknown>>): unknown {
  const { data } = message as { readonly data?: Readonly<Record<string, unknown>> }
  return (data ?? message)['task_id']
}
