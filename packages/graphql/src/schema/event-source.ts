import { isTaskboardError, TaskboardError } from '@taskboard/core'
import type { ChannelMessage, MessageStream, StreamRequest } from '@taskboard/core/transport'
import type { GraphqlContext } from '../graphql-context.js'
import { fromWire } from '../wire-names.js'

/** The source of a `BoardEvent`, with the schema's names. */
export interface EventSource {
  readonly __typename: 'EventsBegin' | 'EventGap' | 'TaskEvent' | 'AgentEvent'
  readonly workspaceId: string
  readonly seq: number
  readonly [member: string]: unknown
}

/** The events that a subscriber wants, of those that its credential allows. */
export interface EventFilter {
  /** With the names of the channel: `task.created`. */
  readonly types?: readonly string[] | null
  readonly taskId?: string | null
}

/** Returns whether a subscriber wants a message. Beginnings and gaps always pass. */
export function isSelected({ types, taskId }: EventFilter): (message: ChannelMessage) => boolean {
  const wanted = types == null ? null : new Set(types)
  return (message) => {
    if (message.type === 'subscribed' || message.type === 'gap') return true
    // Lines of logs have no place in the log of events.
    if (message.type === 'task.log') return false
    if (wanted?.has(message.type) === false) return false
    return taskId == null || taskIdOf(message) === taskId
  }
}

/** The events of a channel message: one, or for `subscribed` one for each workspace. */
function toEvents(message: ChannelMessage): readonly EventSource[] {
  if (message.type === 'task.log') return NONE
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

/** Renames the members that payloads name or spell differently. */
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

/**
 * Opens the stream of a subscription's events. The loaders' caches are cleared before each event.
 * @throws TaskboardError `NOT_FOUND` (`workspaceId`), `INVALID_FIELD` (`since`).
 */
export async function openEvents(
  context: Pick<GraphqlContext, 'openStream' | 'forget'>,
  request: StreamRequest,
): Promise<AsyncIterableIterator<EventSource>> {
  try {
    return new Events(await context.openStream(request), context)
  } catch (error) {
    throw isAboutChannel(error)
      ? new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
      : error
  }
}

/** An unknown channel means an unknown workspace id. */
function isAboutChannel(error: unknown): boolean {
  return isTaskboardError(error) && error.field === 'channels'
}

const NONE: readonly EventSource[] = []

/** Not a generator, because `return` must end it while it waits for a message. */
class Events implements AsyncIterableIterator<EventSource> {
  readonly #stream: MessageStream
  readonly #context: Pick<GraphqlContext, 'forget'>
  /** The events of the last message. */
  #ready: Iterator<EventSource, undefined> = NONE.values()

  constructor(stream: MessageStream, context: Pick<GraphqlContext, 'forget'>) {
    this.#stream = stream
    this.#context = context
  }

  async next(): Promise<IteratorResult<EventSource>> {
    for (;;) {
      const event = this.#ready.next()
      if (event.done !== true) {
        this.#context.forget()
        return event
      }
      const { value, done } = await this.#stream.next()
      if (done === true) return { value, done }
      this.#ready = toEvents(value).values()
    }
  }

  async return(): Promise<IteratorResult<EventSource>> {
    this.#ready = NONE.values()
    await this.#stream.return()
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
