import type { EnterpriseErrorBody, ErrorEnvelope } from '@taskboard/core'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { fromWireName } from './wire-names.js'

type Explain = (error: unknown) => Pick<ErrorEnvelope<EnterpriseErrorBody>, 'body'>

const SUGGESTION = ' Did you mean '
/** How much of a message is told. Those about variables repeat the whole of these, once for each thing that is wrong. */
const TOLD_OF_BEGINNING = 600
const TOLD_OF_END = 400

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
  const message = suggests ? error.message : withoutSuggestion(error.message)
  return { message: shortened(message), ...placeOf(error), extensions: { code: 'INVALID_REQUEST' } }
}

/** Looked for from the end, and once: a message may repeat what the client has sent, which may look like anything. */
function withoutSuggestion(message: string): string {
  const start = message.endsWith('?') ? message.lastIndexOf(SUGGESTION) : -1
  return start === -1 ? message : message.slice(0, start)
}

function shortened(message: string): string {
  if (message.length <= TOLD_OF_BEGINNING + TOLD_OF_END) return message
  return `${message.slice(0, TOLD_OF_BEGINNING)} … ${message.slice(-TOLD_OF_END)}`
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
