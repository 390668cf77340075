import type { Cli } from './cli.js'

export interface Argument {
  readonly name: string
  readonly summary: string
  readonly isOptional?: boolean
}

/** As a usage line has it. */
export function argumentText({ name, isOptional }: Argument): string {
  return isOptional === true ? `[${name}]` : `<${name}>`
}

export interface Option {
  /** As commander reads them: `--tag <tag>`. */
  readonly flags: string
  readonly summary: string
  /** It can be repeated; its value is a list. */
  readonly isList?: boolean
  readonly isRequired?: boolean
  readonly choices?: readonly string[]
}

/** The values of options by their names in camel case. */
export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** One command of the program. */
export interface Command {
  /** The words that call it: `keys create`. */
  readonly name: string
  readonly summary: string
  readonly arguments?: readonly Argument[]
  readonly options?: readonly Option[]
  /** The scopes that the key requires; for users, those that they require. */
  readonly scopes: readonly string[]
  /** The output of `--json`: the response of this API operation, or another object. */
  readonly json: { readonly operation: string } | { readonly shape: string }
  /** Whether it works on a database instead of a server. */
  readonly isLocal?: boolean
  run(call: Call): Promise<void>
}

/** A command as it was called. */
export interface Call {
  readonly cli: Cli
  readonly args: readonly string[]
  readonly options: Options
}

/** What was given for an option. @throws TypeError for one that the command doesn't declare. */
function valueOf(options: Options, name: string): Options[string] {
  if (name in options) return options[name]
  throw new TypeError(`the command declares no option ${name}`)
}

/** An option's text, if it was given. */
export function textOf(options: Options, name: string): string | undefined {
  const value = valueOf(options, name)
  return typeof value === 'string' ? value : undefined
}

/** The values of an option that can be repeated; undefined without one. */
export function listOf(options: Options, name: string): readonly string[] | undefined {
  const value = valueOf(options, name)
  return Array.isArray(value) ? (value as readonly string[]) : undefined
}
