/** A one-line breakage of what the product promises. See `mutants.mjs`. */
export interface Mutant {
  readonly name: string
  readonly promise: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly caughtBy: readonly { readonly project: string; readonly file: string; readonly title: string }[]
  readonly hangs?: boolean
}

export const mutants: readonly Mutant[]
