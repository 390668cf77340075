import {
  ResourceNotFoundError,
  type Server,
  type Transport,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createServer } from '../mcp-server.js'
import { parsePlace, wantedPlaces } from '../resources.js'
import type { ToolSet } from '../tools/tool.js'
import type { BoardClient } from './board-client.js'
import { boardOverClient } from './board-over-client.js'
import { followChanges } from './follow-changes.js'

export interface StdioOptions {
  /** The sets of tools that are offered. Default `['worker']`. */
  readonly tools?: readonly ToolSet[] | undefined
  /**
   * The name or the id of the agent that claims tasks when a call of `claim_task` names none. Default: the only one within reach that
   * the host doesn't run.
   */
  readonly agent?: string | undefined
  /** Default: standard input and output of the process. No other code may write to that output. */
  readonly transport?: Transport | undefined
  /** Called with errors that no answer reports, such as a lost realtime connection that can't be made again. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** A served connection. */
export interface StdioServing {
  /** Resolves once the connection has closed, by either side. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/**
 * Serves the tools and resources of a board over standard input and output, for hosts of models that start their servers as
 * processes. It calls the board's HTTP API with a client; credential, limits and errors are the client's.
 * @example
 * ```ts
 * import { createClient } from '@taskboard/client'
 * import { serveMcpOverStdio } from '@taskboard/mcp'
 *
 * const client = createClient({ baseUrl: 'https://app.example', key: 'tb_…' })
 * const { ended, close } = serveMcpOverStdio(client, { tools: ['worker', 'planner'] })
 * await close()
 * await ended
 * ```
 */
export function serveMcpOverStdio(client: BoardClient, options: StdioOptions = {}): StdioServing {
  const {
    tools: sets = ['worker'],
    agent,
    transport = new StdioServerTransport(),
    onError = ignore,
  } = options
  const stop = new AbortController()
  const board = boardOverClient(client, stop.signal)
  let server: Server | null = null
  let end: () => void = ignore
  const ended = new Promise<void>((resolve) => (end = resolve))
  const changes = followChanges(client, {
    signal: stop.signal,
    onError,
    changed: (uri) => void server?.sendResourceUpdated({ uri }).catch(onError),
  })

  const handle = serveStdio(
    ({ era }) => {
      server = createServer({ board, sets, agent, follows: true })
      if (era === 'legacy') addSubscriptions(server, changes)
      return server
    },
    {
      onerror: onError,
      transport: observedTransport(transport, {
        received(message) {
          if ('method' in message && message.method === 'subscriptions/listen')
            changes.add(wantedPlaces(message))
        },
        closed() {
          stop.abort()
          end()
        },
      }),
    },
  )
  return { ended, close: () => handle.close() }
}

/** The subscriptions of the protocol's versions of 2025. */
function addSubscriptions(server: Server, changes: ReturnType<typeof followChanges>): void {
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (parsePlace(uri) === null) throw new ResourceNotFoundError(uri)
    changes.add([uri])
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    changes.delete(uri)
    return {}
  })
}

function ignore(): void {
  // Nothing waits for it.
}

/** The same transport, with a look at what comes in and at its end. */
function observedTransport(
  inner: Transport,
  watch: { readonly received: (message: JSONRPCMessage) => void; readonly closed: () => void },
): Transport {
  const outer: Transport = {
    async start() {
      const listeners: Pick<Transport, 'onmessage' | 'onclose' | 'onerror'> = {
        onmessage(message, extra) {
          watch.received(message)
          outer.onmessage?.(message, extra)
        },
        onclose() {
          watch.closed()
          outer.onclose?.()
        },
        onerror: (error) => outer.onerror?.(error),
      }
      Object.assign(inner, listeners)
      await inner.start()
    },
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  }
  return outer
}
