/** A promise that does not hold. */
export class Violation extends Error {
  /** Which promise: stays the same while a history shrinks. */
  readonly rule: string

  constructor(rule: string, detail: string) {
    super(`${rule}: ${detail}`)
    this.name = 'Violation'
    this.rule = rule
  }
}

/** @throws Violation */
export function require(holds: boolean, rule: string, detail: () => string): asserts holds {
  if (!holds) throw new Violation(rule, detail())
}
