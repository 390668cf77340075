import { isTaskboardError, TaskboardError, type MessageStream, type StreamRequest } from '@taskboard/core'
import type { GraphqlContext } from '../graphql-context.js'
import { toEvents, type EventSource } from './event-source.js'

/**
 * Opens the stream of events that a subscription tells. What is loaded for one event is forgotten at the next.
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

/** A name that no channel has is the id of no workspace. */
function isAboutChannel(error: unknown): boolean {
  return isTaskboardError(error) && error.field === 'channels'
}

const NONE: readonly EventSource[] = []

/** Not a generator: `return` has to end one that waits for its next message. */
class Events implements AsyncIterableIterator<EventSource> {
  readonly #stream: MessageStream
  readonly #context: Pick<GraphqlContext, 'forget'>
  /** Those of the message that was read last. */
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
