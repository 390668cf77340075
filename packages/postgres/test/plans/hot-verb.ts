/** A frequent operation, and the bounds of its plans at any size of the board. */
export interface HotVerb {
  readonly name: string
  /** The verbs of a list run in order, and may rely on the results of earlier ones. */
  run(): Promise<unknown>
  /** Indexes that must be read, among others. */
  readonly indexes?: readonly string[]
  /** Tables that may be read completely, beside those with one row. */
  readonly scans?: readonly string[]
  /** The most rows and pages it may read, if not `FEW`. */
  readonly most?: { readonly rows: number; readonly pages: number }
}

/** For an operation on one thing or one page of a list. */
export const FEW = { rows: 300, pages: 1_500 }
