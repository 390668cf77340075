const IS_ANOTHER_SEED = /[-.][2-9]$/

/** The cases of a suite without those that repeat another one with another seed. */
export function oneSeedEach<Case extends { readonly id: string }>(cases: readonly Case[]): readonly Case[] {
  return cases.filter(({ id }) => !IS_ANOTHER_SEED.test(id))
}
