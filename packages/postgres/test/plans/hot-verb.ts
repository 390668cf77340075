/** Something that is done all the time, and what its plans have to be like however large the board is. */
export interface HotVerb {
  readonly name: string
  /** Verbs of one list are run in its order, and may rely on what those before have left. */
  run(): Promise<unknown>
  /** Indexes that have to be read, among others. */
  readonly indexes?: readonly string[]
  /** Tables that may be read from end to end, beside those of one row. */
  readonly scans?: readonly string[]
  /** The most rows and pages it may read, where they are not those of `FEW`. */
  readonly most?: { readonly rows: number; readonly pages: number }
}

/** For whatever is done with one thing or one page of a list. */
export const FEW = { rows: 300, pages: 1_500 }
