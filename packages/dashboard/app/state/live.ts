import { effect, signal } from '@preact/signals'
import type { RealtimeMessage } from '@taskboard/client'
import { client, workspace } from './api.js'
import { phase } from './start.js'

export type Connection = 'connecting' | 'open' | 'offline'
const NOTICE_MS = 500

/** Whether the page hears of changes as they happen. */
export const connection = signal<Connection>('connecting')

/** Resolves to true once the server answers again, to false when it has not within a time. */
export async function isBack(withinMs: number): Promise<boolean> {
  // The socket may not have noticed yet that the server was away.
  await new Promise((resolve) => setTimeout(resolve, NOTICE_MS))
  if (connection.peek() === 'open') return true
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(false), withinMs)
    const stop = connection.subscribe((state) => state === 'open' && end(true))
    function end(isOpen: boolean): void {
      clearTimeout(timer)
      stop()
      resolve(isOpen)
    }
  })
}

type Listener = (message: RealtimeMessage) => void
const listeners = new Set<Listener>()

/** Calls `listener` for each message of the workspace that is shown, until the returned function is called. */
export function onMessage(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whether messages may be missing before this one: what is shown has to be read again. */
export function isLoss(message: RealtimeMessage): boolean {
  return message.type === 'gap' || (message.type === 'subscribed' && !message.resumed)
}

/** The id of the task that a message is about; null for others. */
export function taskIdOf(message: RealtimeMessage): string | null {
  if ('data' in message && 'task_id' in message.data) return message.data.task_id
  return 'task_id' in message ? message.task_id : null
}

async function follow(workspaceId: string, abort: AbortSignal): Promise<void> {
  const messages = client.realtime.subscribe([`workspace.${workspaceId}`], {
    signal: abort,
    onState(state) {
      if (!abort.aborted && state !== 'closed') connection.value = state
    },
  })
  for await (const message of messages) for (const listener of listeners) listener(message)
}

effect(() => {
  const id = workspace.value?.id
  if (phase.value !== 'ready' || id === undefined) return undefined
  const abort = new AbortController()
  follow(id, abort.signal).catch(() => {
    if (!abort.signal.aborted) connection.value = 'offline'
  })
  return () => abort.abort()
})

/**
 * Calls `run` a moment after the first of several calls, and again after later ones: many changes at once cost one request.
 */
export function coalesce(run: () => void, delayMs = 400): (() => void) & { cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  const call = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      run()
    }, delayMs)
  }
  return Object.assign(call, {
    cancel() {
      clearTimeout(timer)
      timer = undefined
    },
  })
}
