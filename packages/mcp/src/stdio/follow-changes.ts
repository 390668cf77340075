import { changedPlaces } from '../resources.js'
import type { BoardClient } from './board-client.js'

interface Following {
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  readonly changed: (uri: string) => void
}

/** The changes of the wanted tasks and boards, from the first `add`. */
export interface Changes {
  add(uris: Iterable<string>): void
  delete(uri: string): void
}

/** Follows the board by the client's realtime channel, which resumes after each lost connection. */
export function followChanges(client: BoardClient, { signal, onError, changed }: Following): Changes {
  const wanted = new Set<string>()
  let isStarted = false

  async function follow(): Promise<void> {
    const messages = client.realtime.subscribe('tasks')[Symbol.asyncIterator]()
    signal.addEventListener('abort', () => void messages.return?.(), { once: true })
    while (!signal.aborted) {
      const { done, value } = await messages.next()
      if (done === true) return
      for (const uri of changesOf(value, wanted)) changed(uri)
    }
  }

  return {
    add(uris) {
      for (const uri of uris) wanted.add(uri)
      if (isStarted || wanted.size === 0) return
      isStarted = true
      follow().catch((error: unknown) => (signal.aborted ? undefined : onError(error)))
    },
    delete: (uri) => void wanted.delete(uri),
  }
}

/** What of the wanted addresses a message changes. Each may have changed before the channel was connected, and in a gap. */
function changesOf(message: unknown, wanted: ReadonlySet<string>): readonly string[] {
  const {
    type,
    resumed,
    workspace_id: workspaceId,
    data,
    ...own
  } = message as Readonly<Record<string, unknown>>
  if (type === 'gap' || (type === 'subscribed' && resumed !== true)) return [...wanted]
  if (type === 'subscribed' || type === 'task.log' || typeof workspaceId !== 'string') return []
  const taskId = ((data as Readonly<Record<string, unknown>> | undefined) ?? own)['task_id']
  const places = changedPlaces(workspaceId, typeof taskId === 'string' ? taskId : undefined)
  return places.filter((uri) => wanted.has(uri))
}
