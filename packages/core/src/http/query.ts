/**
 * The first value of `name` in a raw query string, decoded as forms are (`+` is a space, broken escapes are kept); null
 * when it is absent.
 */
export function queryValue(query: string, name: string): string | null {
  if (query === '') return null
  if (query.includes('%') || query.includes('+')) return new URLSearchParams(`?${query}`).get(name)
  for (let start = 0; start <= query.length;) {
    const nextAmpersand = query.indexOf('&', start)
    const end = nextAmpersand === -1 ? query.length : nextAmpersand
    if (query.startsWith(name, start)) {
      const nameEnd = start + name.length
      if (nameEnd === end) return ''
      if (query[nameEnd] === '=') return query.slice(nameEnd + 1, end)
    }
    start = end + 1
  }
  return null
}

/** Splits the target of a request line into path and query; the query is without its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** All of a raw query string, the first value of each name, decoded as forms are. Own members only, whatever their names. */
export function queryRecord(query: string): Readonly<Record<string, string>> {
  const record = Object.create(null) as Record<string, string>
  if (query === '') return record
  for (const [name, value] of new URLSearchParams(`?${query}`)) record[name] ??= value
  return record
}
