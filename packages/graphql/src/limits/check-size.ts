import { GraphQLError } from 'graphql'
import type { DocumentLimits } from './document-limits.js'
import type { DocumentSize } from './measure-document.js'

const rules: Readonly<Record<keyof DocumentSize, string>> = {
  depth: 'selections nest too deep',
  cost: 'the document may cost too much',
  fields: 'too many fields are selected',
  aliases: 'too many fields have an alias',
  directives: 'there are too many directives',
}

/** Lines beyond two for each token of a document, for comments and blank lines. */
const SPARE_LINES = 1_000
const LINE_END = /\r\n|[\n\r]/

/**
 * Runs before a document is parsed. Lines are limited because each error has its line, and graphql counts lines again for each.
 * @throws GraphQLError for a document with too many characters or lines.
 */
export function checkLength(text: string, { characters, tokens }: DocumentLimits): void {
  if (text.length > characters)
    throw new GraphQLError(`the document is too long: at most ${characters} characters; use variables`)
  const lines = 2 * tokens + SPARE_LINES
  if (text.length > lines && text.split(LINE_END, lines + 1).length > lines)
    throw new GraphQLError(`the document is too long: at most ${lines} lines`)
}

/** @throws GraphQLError for the first limit that is exceeded; the message has the limit. */
export function checkSize(size: DocumentSize, limits: DocumentLimits): void {
  for (const [name, message] of Object.entries(rules) as [keyof DocumentSize, string][]) {
    if (size[name] > limits[name]) throw new GraphQLError(`${message}: at most ${limits[name]}`)
  }
}
