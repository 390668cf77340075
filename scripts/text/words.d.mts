export interface WordRule {
  readonly name: string
  readonly write: string
  readonly pattern: RegExp
  /** A text in which it finds something. */
  readonly finds: string
  /** A text in which it finds nothing. */
  readonly passes: string
}

export const words: readonly WordRule[]
export const counted: readonly WordRule[]
