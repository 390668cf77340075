import { asObject, type GraphqlError, graphqlErrorOf } from './api-error.js'
import type { CallOptions } from './client-options.js'
import { type Connection, notTaskboard, send } from './send.js'

/**
 * Sends one document, and returns its data. A document with a mutation is sent again after a lost response only with an
 * `idempotencyKey`: a second one must be known to the server.
 * @throws TaskboardGraphqlError when the answer has errors.
 */
export type Graphql = <Data = Readonly<Record<string, unknown>>>(
  query: string,
  variables?: Readonly<Record<string, unknown>>,
  options?: CallOptions,
) => Promise<Data>

export function graphqlCaller(connection: Connection): Graphql {
  return async function graphql<Data>(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Data> {
    const request = {
      method: 'POST',
      path: `${connection.paths.v2}/graphql`,
      body: { query, variables },
      accept: 'application/graphql-response+json, application/json',
      isRepeatable: !/\bmutation\b/.test(query),
      key: 'given' as const,
    }
    const { body, status, headers } = await send(connection, request, options)
    const title = `POST ${request.path}`
    const { data, errors } = asObject(body)
    if (Array.isArray(errors) && errors.length > 0) {
      throw graphqlErrorOf(title, { status, headers }, errors as GraphqlError[], data)
    }
    if (data === undefined || data === null) throw notTaskboard(title, { status })
    return data as Data
  }
}
