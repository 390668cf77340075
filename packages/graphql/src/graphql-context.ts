import type { OperationCaller, ProtectedCall } from '@taskboard/core'
import { createLoaders, type Loaders } from './loaders.js'
import { fromWire, toWire, type WireObject } from './wire-names.js'

/** What the resolvers of one request share. */
export interface GraphqlContext extends Pick<ProtectedCall, 'surface' | 'principal'> {
  readonly loaders: Loaders
  /** Runs an operation of the enterprise API for the caller; members are in camelCase here, on both sides. */
  readonly call: (operationId: string, input?: CallInput) => Promise<WireObject>
  /** As `call`, for an operation that changes something: what was loaded before is forgotten. */
  readonly write: (operationId: string, input?: CallInput) => Promise<WireObject>
}

interface CallInput {
  readonly params?: WireObject
  readonly query?: WireObject
  readonly body?: WireObject
}

/** The context of one request. */
export function createContext(
  { surface, principal, request }: Pick<ProtectedCall, 'surface' | 'principal' | 'request'>,
  caller: OperationCaller,
): GraphqlContext {
  let loaders: Loaders | undefined
  async function call(operationId: string, { params, query, body }: CallInput = {}): Promise<WireObject> {
    const answer = await caller(operationId, {
      principal,
      request,
      params: params && toWire(params),
      query: query && toWire(query),
      body: body && toWire(body),
    })
    return fromWire(answer ?? {})
  }
  return {
    surface,
    principal,
    get loaders() {
      return (loaders ??= createLoaders(surface, principal))
    },
    call,
    async write(operationId, input) {
      try {
        return await call(operationId, input)
      } finally {
        loaders = undefined
      }
    },
  }
}
