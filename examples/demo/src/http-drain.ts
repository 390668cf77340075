import type { Server, ServerResponse } from 'node:http'

/** A server that exits in two steps, so that the board can be closed in between. */
export interface DrainableServer {
  /**
   * Stops accepting connections, and resolves when all requests in flight have their responses. WebSockets stay open: the board sends their
   * clients the last agents' events, and closes them when it closes. `close` starts to stop the server and resolves when no connection
   * is left. Connections that are still open after `drainMs` are cut off, except WebSockets.
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

  /** Keep-alive connections are closed once they are idle. */
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
      // `ended` reports a rejection; until then it must not count as unhandled.
      ending.catch(() => undefined)
      if (inFlight.size > 0) await Promise.race([answered, ending])
    },
    ended: () => ending,
  }
}
