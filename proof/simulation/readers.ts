import { realtimeEndpoint } from '@taskboard/core/transport'
import type { BoardProcess } from './processes.js'
import type { World } from './world.js'

type Endpoint = ReturnType<typeof realtimeEndpoint>
type Socket = Parameters<Endpoint['connect']>[0]
type SocketListener = ReturnType<Endpoint['connect']>

/** A client of the realtime channel that reconnects where it was. */
export interface Reader {
  readonly workspaceId: string
  /** The events that it saw, by their numbers, in the order of arrival. */
  readonly seen: readonly number[]
  /** The number behind which it began; null before it was subscribed. */
  readonly begin: number | null
  readonly faults: readonly string[]
  connect(process: BoardProcess): void
  disconnect(): void
}

export function createReader(world: World, workspaceId: string): Reader {
  const channel = `workspace.${workspaceId}`
  const seen: number[] = []
  const faults: string[] = []
  let begin: number | null = null
  let position: number | null = null
  let drop: () => void = () => undefined

  function receive(text: string, say: (message: object) => void): void {
    const message = JSON.parse(text) as { type: string; seq?: number; channel?: string }
    if (message.type === 'auth.ok') {
      const since = position === null ? {} : { since: { [channel]: position } }
      say({ type: 'subscribe', channels: [channel], ...since })
      return
    }
    if (message.type === 'gap') faults.push(text)
    if (message.channel !== channel || message.seq === undefined) return
    if (message.type === 'subscribed') {
      begin ??= message.seq
      position ??= message.seq
      return
    }
    seen.push(message.seq)
    position = message.seq
  }

  return {
    workspaceId,
    seen,
    get begin() {
      return begin
    },
    faults,
    connect(process) {
      drop()
      let isOpen = true
      let listener: SocketListener | null = null
      const queue: string[] = []
      /** In the order in which they were sent, as TCP does. */
      const arrive = (): void => {
        const text = queue.shift()
        if (text !== undefined && isOpen)
          receive(text, (answer) => listener?.received(JSON.stringify(answer)))
      }
      const close = (): void => {
        if (!isOpen) return
        isOpen = false
        listener?.gone()
      }
      const socket: Socket = {
        bufferedBytes: 0,
        send({ texts }, written) {
          for (const text of texts) {
            queue.push(text)
            world.push({
              process: process.state,
              label: `${process.state.name}: a message to a reader`,
              run: arrive,
            })
          }
          written?.()
        },
        ping: () => listener?.ponged(),
        close,
        terminate: close,
      }
      drop = close
      const endpoint = realtimeEndpoint(process.taskboard)
      const origin = { clientAddress: '203.0.113.1', header: () => undefined }
      try {
        listener = endpoint.connect(socket, origin, endpoint.channel)
      } catch {
        // The process has not started yet.
        isOpen = false
        return
      }
      listener.received(JSON.stringify({ type: 'auth', token: 'Bearer reader' }))
    },
    disconnect: () => drop(),
  }
}
