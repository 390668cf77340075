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

/** Before a document is parsed. @throws GraphQLError for one with too many characters. */
export function checkLength(text: string, { characters }: DocumentLimits): void {
  if (text.length <= characters) return
  throw new GraphQLError(`the document is too long: at most ${characters} characters; use variables`)
}

/** @throws GraphQLError for the first limit that is passed, with the limit. */
export function checkSize(size: DocumentSize, limits: DocumentLimits): void {
  for (const [name, message] of Object.entries(rules) as [keyof DocumentSize, string][]) {
    if (size[name] > limits[name]) throw new GraphQLError(`${message}: at most ${limits[name]}`)
  }
}
