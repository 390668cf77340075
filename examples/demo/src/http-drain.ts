import type { Server } from 'node:http'

const IDLE_SWEEP_MS = 50

/**
 * Ends a server: it takes no more connections, requests in flight are answered, and kept-alive connections go once they are
 * idle. What is still open after `drainMs` is cut off. `close` begins the end and calls back when it is complete.
 */
export async function drainServer(
  server: Server,
  close: () => Promise<void>,
  drainMs: number,
): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
  const cut = setTimeout(() => server.closeAllConnections(), drainMs)
  try {
    await close()
  } finally {
    clearInterval(sweep)
    clearTimeout(cut)
  }
}
