/** How much a document may ask for; fragments count wherever they are spread. */
export interface DocumentLimits {
  /** UTF-16 units of the document's text; long values belong into variables. Default 100,000. */
  readonly characters: number
  /** Tokens of the document, as the parser counts them. Default 2,000. */
  readonly tokens: number
  /** How deep selections may nest. Default 12. */
  readonly depth: number
  /**
   * The objects that may be made: a field that gives objects costs 1, and what is selected of it as often as there may be of
   * them (`first`, or the most there are); a write costs 250. Default 5,000.
   */
  readonly cost: number
  /** Fields, aliased or not, before they are multiplied. Default 500. */
  readonly fields: number
  /** Fields under another name. Default 30. */
  readonly aliases: number
  /** Directives on whatever. Default 30. */
  readonly directives: number
}

export const defaultDocumentLimits: DocumentLimits = {
  characters: 100_000,
  tokens: 2_000,
  depth: 12,
  cost: 5_000,
  fields: 500,
  aliases: 30,
  directives: 30,
}
