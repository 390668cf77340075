import { changedPlaces } from '../resources.js'
import type { BoardClient } from './board-client.js'

interface Following {
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  readonly changed: (uri: string) => void
}

/** The changes of the board, from the first `start`. */
export interface Changes {
  start(): void
  /** Leaves out other addresses. */
  only(wanted: ReadonlySet<string>): void
}

/** Follows the board by the client's realtime channel, which resumes after each lost connection. */
export function followChanges(client: BoardClient, { signal, onError, changed }: Following): Changes {
  let wanted: ReadonlySet<string> | null = null
  let isStarted = false

  async function follow(): Promise<void> {
    const messages = client.realtime.subscribe('tasks')[Symbol.asyncIterator]()
    signal.addEventListener('abort', () => void messages.return?.(), { once: true })
    while (!signal.aborted) {
      const { done, value } = await messages.next()
      if (done === true) return
      for (const uri of changesOf(value)) if (wanted?.has(uri) ?? true) changed(uri)
    }
  }

  return {
    start() {
      if (isStarted) return
      isStarted = true
      follow().catch((error: unknown) => (signal.aborted ? undefined : onError(error)))
    },
    only: (addresses) => void (wanted = addresses),
  }
}

function changesOf(message: unknown): readonly string[] {
  const { type, workspace_id: workspaceId, data, ...own } = message as Readonly<Record<string, unknown>>
  if (type === 'subscribed' || type === 'task.log' || typeof workspaceId !== 'string') return []
  const taskId = ((data as Readonly<Record<string, unknown>> | undefined) ?? own)['task_id']
  return changedPlaces(workspaceId, typeof taskId === 'string' ? taskId : undefined)
}
