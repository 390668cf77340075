import type { Ending } from './exit-codes.js'

/** A fault of the program itself, for people; `ending` gives the exit code. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly ending: Ending

  constructor(ending: Ending, message: string, options?: ErrorOptions) {
    super(message, options)
    this.ending = ending
  }
}

/** A message without the secrets that it may quote. */
export function withoutSecrets(message: string): string {
  return message
    .replaceAll(/\b(tb|tbr|whsec)_[\w-]{6,}/g, '$1_…')
    .replaceAll(/\beyJ[\w-]+\.[\w.-]+/g, 'eyJ…')
    .replaceAll(/(:\/\/[^\s:/@]*):[^\s/@]+@/g, '$1:…@')
}
