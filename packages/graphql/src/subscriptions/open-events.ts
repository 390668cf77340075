import { isTaskboardError, TaskboardError } from '@taskboard/core'
import type { MessageStream, StreamRequest } from '@taskboard/core/transport'
import type { GraphqlContext } from '../graphql-context.js'
import { toEvents, type EventSource } from './event-source.js'

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
