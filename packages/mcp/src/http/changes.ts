import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import type { ChannelMessage, MessageStream } from '@taskboard/core/transport'
import { changedPlaces } from '../resources.js'

/** What of the wanted addresses a message changes. After a gap, each may have changed. */
export function changesOf(message: ChannelMessage, wanted: ReadonlySet<string>): readonly string[] {
  if (message.type === 'gap') return [...wanted]
  const { workspace_id: workspaceId, data, ...own } = message as Readonly<Record<string, unknown>>
  const taskId = ((data as Readonly<Record<string, unknown>> | undefined) ?? own)['task_id']
  const places = changedPlaces(String(workspaceId), typeof taskId === 'string' ? taskId : undefined)
  return places.filter((uri) => wanted.has(uri))
}

/** How many notifications may wait for a client that reads slowly. */
const MOST_UNREAD = 100

/** Publishes changes to one subscription. Changes beyond the limit are sent once for each address, when the client has read. */
export class ChangeFeed implements ServerEventBus {
  #listener: ((event: ServerEvent) => void) | null = null
  #unread = 0
  readonly #waiting = new Set<string>()

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listener = listener
    this.#flush()
    return () => (this.#listener = null)
  }

  publish(event: ServerEvent): void {
    if (event.kind !== 'resource_updated') return
    this.#waiting.add(event.uri)
    this.#flush()
  }

  /** The client has taken a chunk of the answer. */
  wasRead(): void {
    this.#unread = Math.max(0, this.#unread - 1)
    this.#flush()
  }

  async follow(events: MessageStream, wanted: ReadonlySet<string>): Promise<void> {
    for await (const message of events) {
      for (const uri of changesOf(message, wanted)) this.publish({ kind: 'resource_updated', uri })
    }
  }

  #flush(): void {
    for (const uri of this.#waiting) {
      if (this.#listener === null || this.#unread >= MOST_UNREAD) return
      this.#waiting.delete(uri)
      this.#unread += 1
      this.#listener({ kind: 'resource_updated', uri })
    }
  }
}
