import { TaskboardError } from '@taskboard/core'
import {
  closeCodes,
  type CloseCodes,
  type Conversation,
  encodeFrames,
  type RealtimeConnection,
  type RealtimeProtocol,
  type TransportServices,
} from '@taskboard/core/transport'
import type { ExecutionArgs } from 'graphql'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer, type Server } from 'graphql-ws'
import { endpointOf, type GraphqlEndpoint } from '../endpoint.js'
import { formatError } from '../errors.js'
import type { GraphqlOptions } from '../graphql-options.js'
import { beginOperation, OperationOutcome } from './operation.js'

/**
 * Why a connection is closed: by the codes of graphql-transport-ws, and by others where it has none. Its clients reconnect on their
 * own, except after codes for a client's fault. So an ended credential is 4403 here, and 4409 and 4429 keep their meaning there.
 */
const graphqlCloseCodes: CloseCodes = {
  ...closeCodes,
  unsupportedData: 4400,
  internalError: 1013,
  unauthenticated: 4403,
  forbidden: 4403,
  unsupportedSubprotocol: 4406,
  tooSlow: 4410,
  tooManyConnections: 4431,
}

/**
 * Admits a connection by the payload of its `connection_init`: `{"authorization": "Bearer …"}`, the name in any case. Returns false
 * when the connection was rejected and closed.
 */
async function admitConnection(
  connection: RealtimeConnection,
  parameters: Readonly<Record<string, unknown>> | undefined,
): Promise<boolean> {
  try {
    await connection.admit(authorizationOf(parameters ?? {}))
    return connection.isOpen
  } catch (error) {
    connection.refuse(error, connection.describe(error).message)
    return false
  }
}

function authorizationOf(parameters: Readonly<Record<string, unknown>>): string {
  const [, value] = Object.entries(parameters).find(([name]) => name.toLowerCase() === 'authorization') ?? []
  if (typeof value === 'string') return value
  throw new TaskboardError('UNAUTHORIZED', 'connection_init must carry an authorization')
}

/**
 * Subscriptions over WebSockets, for the `protocols` of `attachRealtime`: graphql-transport-ws at the path of the HTTP endpoint. It serves
 * queries and mutations too. Credentials, scopes, limits and the rules for documents are the same as over HTTP, and with the same options
 * both share one cache of documents. Connections count together with realtime connections.
 * @throws TypeError for an invalid option.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createTaskboard } from '@taskboard/core'
 * import { graphqlSubscriptions } from '@taskboard/graphql'
 * import { memoryStorage } from '@taskboard/memory'
 * import { attachRealtime } from '@taskboard/ws'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const subscriptions = graphqlSubscriptions(taskboard)
 * console.log(subscriptions.path, subscriptions.subprotocols) // /v2/graphql [ 'graphql-transport-ws' ]
 * attachRealtime(createServer(), taskboard, { protocols: [subscriptions] })
 * ```
 */
export function graphqlSubscriptions(
  taskboard: { readonly services: TransportServices },
  options: GraphqlOptions = {},
): RealtimeProtocol {
  const server = createServer(endpointOf(taskboard, options))
  return {
    path: `${taskboard.services.paths.v2}/graphql`,
    subprotocols: [GRAPHQL_TRANSPORT_WS_PROTOCOL],
    closeCodes: graphqlCloseCodes,
    open: (connection) => new GraphqlConversation(server, connection),
  }
}

type GraphqlServer = Server<RealtimeConnection>

function createServer(endpoint: GraphqlEndpoint): GraphqlServer {
  const format = (connection: RealtimeConnection, error: Readonly<Error>) =>
    formatError(error, {
      suggests: endpoint.suggests,
      explain: (cause) => ({ body: { error: connection.describe(cause) } }),
    })
  const outcomes = new WeakMap<ExecutionArgs, OperationOutcome>()
  return makeServer<Record<string, unknown>, RealtimeConnection>({
    // The connection enforces the time limit itself.
    connectionInitWaitTimeout: 0,
    onConnect: ({ extra, connectionParams }) => admitConnection(extra, connectionParams),
    async onSubscribe({ extra, subscriptions }, id, payload) {
      const outcome = new OperationOutcome(subscriptions, id)
      const underWay = Object.keys(subscriptions).length
      const begun = await outcome.unlessCompleted(beginOperation(endpoint, extra, payload, underWay))
      if ('document' in begun) outcomes.set(begun, outcome)
      return begun
    },
    execute: endpoint.execute,
    onOperation: async (_, __, ___, args, result) => outcomes.get(args)?.take(await result),
    onNext: ({ extra }, _, __, ___, { errors, data }) => ({
      ...(data !== undefined && { data }),
      ...(errors && { errors: errors.map((error) => format(extra, error)) }),
    }),
    onError: ({ extra }, _, __, errors) => errors.map((error) => format(extra, error)),
  })
}

class GraphqlConversation implements Conversation {
  #hear: ((text: string) => Promise<void>) | null = null
  readonly #close: () => Promise<void>

  constructor(server: GraphqlServer, connection: RealtimeConnection) {
    this.#close = server.opened(
      {
        protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL,
        send: (text) => connection.send(encodeFrames([text])),
        close: (code = graphqlCloseCodes.internalError, reason = '') => connection.end(code, reason),
        onMessage: (listener) => void (this.#hear = listener),
      },
      connection,
    )
  }

  received(text: string): Promise<void> | undefined {
    return this.#hear?.(text)
  }

  ended(): Promise<void> {
    return this.#close()
  }
}
