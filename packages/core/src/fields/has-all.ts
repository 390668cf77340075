import { isDeepStrictEqual } from 'node:util'

/** Whether a change gives only present values, so that it changes and records nothing. */
export function hasAll<T extends object>(
  before: T,
  change: { readonly [Name in keyof T]?: unknown },
): boolean {
  return Object.entries(change).every(
    ([name, value]) => value === undefined || isDeepStrictEqual(value, before[name as keyof T]),
  )
}
