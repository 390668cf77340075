import { TaskboardError, type Principal } from '@taskboard/core'
import type {
  HttpRequest,
  MessageStream,
  OperationCaller,
  StreamRequest,
  TransportServices,
} from '@taskboard/core/transport'
import { createLoaders, type Loaders } from './loaders.js'
import { fromWire, toWire, type WireObject } from './wire-names.js'

/** The caller and its request. */
export interface ContextRequest {
  readonly services: TransportServices
  readonly principal: Principal
  readonly request: HttpRequest
  /** Opens the stream of a subscription; without it subscriptions are rejected. */
  readonly openStream?: OpenStream | undefined
}

type OpenStream = (request: StreamRequest) => Promise<MessageStream>

/** What the resolvers of one request share. */
export interface GraphqlContext extends Pick<ContextRequest, 'services' | 'principal'> {
  readonly loaders: Loaders
  readonly openStream: OpenStream
  /** Runs an operation of API v2 for the caller; members are in camelCase here, on both sides. */
  readonly call: (operationId: string, input?: CallInput) => Promise<WireObject>
  /** Like `call`, for an operation that changes something. Clears the loaders' caches. */
  readonly write: (operationId: string, input?: CallInput) => Promise<WireObject>
  /** Clears the loaders' caches. */
  readonly forget: () => void
}

interface CallInput {
  readonly params?: WireObject
  readonly query?: WireObject
  readonly body?: WireObject
  /** As in `OperationRequest`. */
  readonly unread?: readonly string[]
}

/** The context of one request. */
export function createContext(
  { services, principal, request, openStream = noStreams }: ContextRequest,
  caller: OperationCaller,
): GraphqlContext {
  let loaders: Loaders | undefined
  const forget = (): void => void (loaders = undefined)
  async function call(
    operationId: string,
    { params, query, body, unread }: CallInput = {},
  ): Promise<WireObject> {
    const answer = await caller(operationId, {
      principal,
      request,
      params: params && toWire(params),
      query: query && toWire(query),
      body: body && toWire(body),
      unread,
    })
    return fromWire(answer ?? {})
  }
  return {
    services,
    principal,
    get loaders() {
      return (loaders ??= createLoaders(services, principal))
    },
    call,
    async write(operationId, input) {
      try {
        return await call(operationId, input)
      } finally {
        forget()
      }
    },
    forget,
    openStream,
  }
}

async function noStreams(): Promise<never> {
  throw new TaskboardError('INVALID_FIELD', 'subscriptions are served over WebSockets')
}
