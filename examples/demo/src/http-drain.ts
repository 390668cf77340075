import type { Server, ServerResponse } from 'node:http'

/** A server that can be ended in two steps, since the board is to be closed in between. */
export interface DrainableServer {
  /**
   * Takes no more connections, and resolves when the requests in flight are answered. WebSockets stay open: the board tells its
   * clients what the last agents do, and ends their connections when it closes. `close` begins the end of the server and
   * resolves when no connection is left. What is still open after `drainMs` is cut off, WebSockets excepted.
   */
  drain(close: () => Promise<void>, drainMs: number): Promise<void>
  /** Resolves when no connection is left, WebSockets included. */
  ended(): Promise<void>
}

const IDLE_SWEEP_MS = 50

/** Follows the requests of a server from now on, so that it can be drained. */
export function drainable(server: Server): DrainableServer {
  const inFlight = new Set<ServerResponse>()
  let onAnswered: (() => void) | undefined
  let ending = Promise.resolve()
  server.on('request', (_request, response: ServerResponse) => {
    inFlight.add(response)
    response.once('close', () => {
      inFlight.delete(response)
      if (inFlight.size === 0) onAnswered?.()
    })
  })

  /** Kept-alive connections go once they are idle. */
  async function end(close: () => Promise<void>, drainMs: number): Promise<void> {
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
    const cut = setTimeout(() => {
      server.closeAllConnections()
      onAnswered?.()
    }, drainMs)
    try {
      await close()
    } finally {
      clearInterval(sweep)
      clearTimeout(cut)
    }
  }

  return {
    async drain(close, drainMs) {
      const answered = new Promise<void>((resolve) => (onAnswered = resolve))
      ending = end(close, drainMs)
      // Whoever awaits its end is told; until then it is nobody's.
      ending.catch(() => undefined)
      if (inFlight.size > 0) await Promise.race([answered, ending])
    },
    ended: () => ending,
  }
}
