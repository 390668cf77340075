import { TaskboardError } from '../errors/index.js'

/** A query string, parsed and decoded like a form: `+` is a space, broken escapes are kept. */
export interface Query {
  /** The first value of each name, as own members, whatever the names. */
  readonly values: Readonly<Record<string, string>>
  /** The names that occur more than once. */
  readonly repeated: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()
const NO_QUERY: Query = {
  values: Object.freeze(Object.create(null) as Record<string, string>),
  repeated: NONE,
}

/** Short queries often repeat: `action=done`. */
const remembered = new Map<string, Query>()
const MOST_REMEMBERED = 200
const LONGEST_REMEMBERED = 40
const MOST_PARAMETERS = 1_000
/** Four times as much as Node.js accepts by default. */
const LONGEST = 65_536

/** Parses a raw query string, without its question mark. @throws TaskboardError `INVALID_FIELD` above 65,536 characters. */
export function parseQuery(text: string): Query {
  if (text === '') return NO_QUERY
  if (text.length > LONGEST) {
    throw new TaskboardError('INVALID_FIELD', `the query must have at most ${LONGEST} characters`)
  }
  if (text.length > LONGEST_REMEMBERED) return takeApart(text)
  const known = remembered.get(text)
  if (known !== undefined) return known
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  const query = takeApart(text)
  Object.freeze(query.values)
  remembered.set(text, query)
  return query
}

function takeApart(text: string): Query {
  const values = Object.create(null) as Record<string, string>
  let repeated: Set<string> | undefined
  for (const [name, value] of entriesOf(beginningOf(text))) {
    if (values[name] === undefined) values[name] = value
    else repeated = (repeated ?? new Set()).add(name)
  }
  return { values, repeated: repeated ?? NONE }
}

/**
 * The query's first thousand parameters. No operation has so many, so one of them is unknown or repeated, which rejects the request.
 */
function beginningOf(text: string): string {
  if (text.length <= 2 * MOST_PARAMETERS) return text
  let start = 0
  for (let count = 0; count < MOST_PARAMETERS;) {
    const end = text.indexOf('&', start)
    if (end === -1) return text
    if (end > start) count += 1
    start = end + 1
  }
  return text.slice(0, start - 1)
}

/** As in `URLSearchParams`, which is slow, and not needed for a query without escapes. */
function entriesOf(text: string): Iterable<readonly [name: string, value: string]> {
  if (text.includes('%') || text.includes('+')) return new URLSearchParams(`?${text}`)
  const entries: (readonly [string, string])[] = []
  for (const piece of text.split('&')) {
    if (piece === '') continue
    const mark = piece.indexOf('=')
    entries.push(mark === -1 ? [piece, ''] : [piece.slice(0, mark), piece.slice(mark + 1)])
  }
  return entries
}

/** Splits the target of a request line into path and query; the query is without its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}
