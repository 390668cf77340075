/** The limits of one document. Fragments count wherever they are spread. */
export interface DocumentLimits {
  /** UTF-16 units of the document's text; put long values in variables. Default 100,000. */
  readonly characters: number
  /** Tokens of the document, as the parser counts them. Default 2,000. */
  readonly tokens: number
  /** How deep selections may nest. Default 12. */
  readonly depth: number
  /**
   * The total cost. A field that returns objects costs 1, and its selection counts once per object that it may return (`first`, or
   * the most there can be). A write costs 250. Default 5,000.
   */
  readonly cost: number
  /** Fields, with or without alias, each counted once. Default 500. */
  readonly fields: number
  /** Aliased fields. Default 30. */
  readonly aliases: number
  /** Directives at any place. Default 30. */
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
