import type { EnterpriseErrorBody, ErrorEnvelope } from '@taskboard/core'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { fromWireName } from './wire-names.js'

type Explain = (error: unknown) => Pick<ErrorEnvelope<EnterpriseErrorBody>, 'body'>

const SUGGESTION = / Did you mean [^]*\?$/

/**
 * An error of a GraphQL answer: what is wrong with the document or its variables as `INVALID_REQUEST`, and what a resolver threw
 * as REST would tell it. The members of the enterprise API's errors are in `extensions`.
 */
export function formatError(
  error: Readonly<Error>,
  { explain, suggests }: { readonly explain: Explain; readonly suggests: boolean },
): GraphQLFormattedError {
  const cause = causeOf(error)
  if (cause !== null) return { ...placeOf(error), ...fromEnvelope(explain(cause)) }
  const message = suggests ? error.message : error.message.replace(SUGGESTION, '')
  return { message, ...placeOf(error), extensions: { code: 'INVALID_REQUEST' } }
}

/** An error that answers the request as a whole. */
export function fromEnvelope({
  body: { error },
}: Pick<ErrorEnvelope<EnterpriseErrorBody>, 'body'>): GraphQLFormattedError {
  const { code, message, request_id, timestamp } = error
  const { field, issue } = error.details
  const name = fromWireName(field)
  return {
    message: field !== '' && message.startsWith(field) ? name + message.slice(field.length) : message,
    extensions: { code, details: { field: name, issue }, request_id, timestamp },
  }
}

/** What a resolver threw; null for an error that graphql itself made of the request. */
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
