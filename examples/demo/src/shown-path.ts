import { relative } from 'node:path'

/** A path for people: relative to the working directory if it is below it. */
export function shownPath(path: string): string {
  const below = relative(process.cwd(), path)
  return below === '' || below.startsWith('..') ? path : below
}
