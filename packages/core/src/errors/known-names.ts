import { shownName } from './parse-input.js'
import { suggestName } from './suggest-name.js'
import { TaskboardError } from './taskboard-error.js'

/** Each member of an object: true, or the members of the object that it is. A missing one doesn't compile. */
export type NamesOf<T> = { readonly [K in keyof Required<T>]: true | NamesOf<NonNullable<T[K]>> }

interface Names {
  readonly [name: string]: true | Names
}

/**
 * Checks that the options of a host have no other names than these, so that a typing error doesn't leave an option out. Members
 * that are undefined count as absent.
 * @throws TaskboardError `INVALID_CONFIG` naming the first other one by its path.
 * @example
 * ```ts
 * import { requireOptionNames } from '@taskboard/core/transport'
 *
 * interface Options {
 *   readonly path?: string
 * }
 * const open = (options: Options = {}) => {
 *   requireOptionNames<Options>(options, { path: true })
 * }
 * open({ path: '/tools' })
 * ```
 */
export function requireOptionNames<T extends object>(options: unknown, names: NamesOf<T>): void {
  if (typeof options !== 'object' || options === null)
    throw new TaskboardError('INVALID_CONFIG', 'the options must be an object')
  visit(options, names, '')
}

function visit(options: object, names: Names, path: string): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    const known = Object.hasOwn(names, name) ? names[name] : undefined
    const field = path + shownName(name)
    if (known === undefined) {
      const meant = suggestName(name, Object.keys(names))
      const hint = meant === null ? '' : `; did you mean ${path}${meant}?`
      throw new TaskboardError('INVALID_CONFIG', `${field} is not an option${hint}`, { field })
    }
    if (known !== true && typeof value === 'object' && value !== null)
      visit(value as object, known, `${field}.`)
  }
}

/**
 * Checks that an input has no other fields than these.
 * @throws TaskboardError `INVALID_FIELD` naming the first other one.
 */
export function requireKnownFields(input: object, known: ReadonlySet<string>): void {
  for (const name in input) {
    if (known.has(name) || (input as Record<string, unknown>)[name] === undefined) continue
    const meant = suggestName(name, known)
    const hint = meant === null ? '' : `; did you mean ${meant}?`
    throw new TaskboardError('INVALID_FIELD', `${shownName(name)} is not a known field${hint}`, {
      field: shownName(name),
    })
  }
}
