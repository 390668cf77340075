import {
  createOperationCaller,
  type OperationCaller,
  servicesOf,
  type TransportServices,
} from '@taskboard/core/transport'
import type { GraphQLSchema } from 'graphql'
import { createDocuments, type Documents } from './documents.js'
import { createExecutor, type Executor } from './executor.js'
import { resolveOptions, type GraphqlOptions } from './graphql-options.js'
import { taskboardSchema } from './schema/schema.js'

/** What all operations on a task board share, over HTTP and WebSockets. */
export interface GraphqlEndpoint {
  readonly services: TransportServices
  readonly schema: GraphQLSchema
  readonly documents: Documents
  readonly caller: OperationCaller
  readonly suggests: boolean
  readonly execute: Executor
}

/** By settings: HTTP and WebSockets with equal settings share one cache of documents and plans. */
const endpoints = new WeakMap<TransportServices, Map<string, GraphqlEndpoint>>()

/** @throws TaskboardError `INVALID_CONFIG` for an invalid option. */
export function endpointOf(
  taskboard: { readonly services: TransportServices },
  options: GraphqlOptions,
): GraphqlEndpoint {
  const services = servicesOf(taskboard)
  const settings = resolveOptions(options)
  const name = JSON.stringify(settings)
  const known = endpoints.get(services) ?? new Map<string, GraphqlEndpoint>()
  endpoints.set(services, known)
  let endpoint = known.get(name)
  if (endpoint === undefined) {
    const schema = taskboardSchema(services)
    endpoint = {
      services,
      schema,
      documents: createDocuments(schema, settings),
      caller: createOperationCaller(taskboard),
      suggests: settings.introspection,
      execute: createExecutor(),
    }
    known.set(name, endpoint)
  }
  return endpoint
}
