import type { ErrorEnvelope } from '@taskboard/core'
import type { V2ErrorBody } from '@taskboard/core/transport'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { fromWireName } from './wire-names.js'

type Explain = (error: unknown) => Pick<ErrorEnvelope<V2ErrorBody>, 'body'>

const SUGGESTION = ' Did you mean '
/** How much of a message is returned, in characters. A message about variables repeats all of them for each error. */
const KEPT_AT_START = 600
const KEPT_AT_END = 400

/**
 * An error of a GraphQL response: `INVALID_REQUEST` for an error in the document or its variables. For an error of a resolver, the error
 * that REST would return. The members of API v2's errors are in `extensions`.
 */
export function formatError(
  error: Readonly<Error>,
  { explain, suggests }: { readonly explain: Explain; readonly suggests: boolean },
): GraphQLFormattedError {
  const cause = causeOf(error)
  if (cause !== null) return { ...placeOf(error), ...fromEnvelope(explain(cause)) }
  const message = suggests ? error.message : withoutSuggestion(error.message)
  return { message: shortened(message), ...placeOf(error), extensions: { code: 'INVALID_REQUEST' } }
}

/** Searches once, from the end: a message may repeat arbitrary text that the client sent. */
function withoutSuggestion(message: string): string {
  const start = message.endsWith('?') ? message.lastIndexOf(SUGGESTION) : -1
  return start === -1 ? message : message.slice(0, start)
}

function shortened(message: string): string {
  if (message.length <= KEPT_AT_START + KEPT_AT_END) return message
  return `${message.slice(0, KEPT_AT_START)} … ${message.slice(-KEPT_AT_END)}`
}

/** An error for the whole request. */
export function fromEnvelope({
  body: { error },
}: Pick<ErrorEnvelope<V2ErrorBody>, 'body'>): GraphQLFormattedError {
  const { code, message, request_id, timestamp } = error
  const { field, issue } = error.details
  const name = fromWireName(field)
  return {
    message: field !== '' && message.startsWith(field) ? name + message.slice(field.length) : message,
    extensions: { code, details: { field: name, issue }, request_id, timestamp },
  }
}

/** What a resolver threw; null for an error that graphql itself raised. */
function causeOf(error: Readonly<Error>): unknown {
  if (!(error instanceof GraphQLError)) return null
  const { originalError } = error
  if (originalError === undefined || originalError instanceof GraphQLError) return null
  return originalError
}

function placeOf(error: Readonly<Error>): Pick<GraphQLFormattedError, 'locations' | 'path'> {
  if (!(error instanceof GraphQLError)) return {}
  const { locations, path } = error
  return { ...(locations && { locations }), ...(path && { path }) }
}
