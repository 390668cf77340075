/** A breakage of what the product promises, and the tests that notice it. See `mutants.txt`. */
export interface Mutant {
  readonly name: string
  readonly promise: string
  /** Its package, and the end of the path of its source there. */
  readonly path: string
  readonly within: string
  readonly change: string
  readonly caughtBy: readonly { readonly project: string; readonly path: string; readonly title: string }[]
  readonly hangs: boolean
}

export interface LocatedMutant extends Omit<Mutant, 'path' | 'caughtBy'> {
  readonly file: string
  readonly caughtBy: readonly { readonly project: string; readonly file: string; readonly title: string }[]
}

export const mutants: readonly Mutant[]
export function located(mutant: Mutant): LocatedMutant
