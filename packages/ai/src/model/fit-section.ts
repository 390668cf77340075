/** A record in the prompt: its fields, of which one may be long. */
export interface Entry {
  readonly fields: Readonly<Record<string, unknown>>
  /** The field that is cut off when there isn't enough room. */
  readonly long?: string
}

/** Entries are cut off to this many characters before whole ones are left out. */
const LEAST_ENTRY = 400

/**
 * Entries as JSON, one per line, in at most `most` characters. Long ones are cut off first, all to the same length. Then the oldest are
 * left out. The text says how much is missing.
 */
export function fitSection(entries: readonly Entry[], most: number): string {
  const full = entries.map(({ fields }) => JSON.stringify(fields))
  if (lengthOf(full) <= most) return full.join('\n')
  const each = Math.max(
    LEAST_ENTRY,
    evenLength(
      full.map(({ length }) => length + 1),
      most,
    ),
  )
  const cut = entries.map((entry, index) => cutOff(entry, full[index] ?? '', each))
  let first = 0
  let length = lengthOf(cut)
  while (length > most && first < cut.length) length -= (cut[first++] ?? '').length + 1
  const kept = cut.slice(first)
  return first === 0 ? kept.join('\n') : [`(${first} older ones are left out)`, ...kept].join('\n')
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length + 1, 0)
}

/** The length to which the longest must be cut off so that all have room. */
function evenLength(lengths: readonly number[], most: number): number {
  let left = most
  const sorted = lengths.toSorted((a, b) => a - b)
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index))
    if (length > share) return share
    left -= length
  }
  return left
}

function cutOff({ fields, long }: Entry, line: string, most: number): string {
  const text = long === undefined ? null : fields[long]
  if (line.length <= most || long === undefined || typeof text !== 'string') return line
  // Escapes make JSON longer than the text: what is too much of the line is too much of the text, in proportion.
  const around = line.length - JSON.stringify(text).length
  const room = Math.max(0, most - around - 60)
  const kept = clipped(text, Math.floor((room * text.length) / JSON.stringify(text).length))
  return JSON.stringify({ ...fields, [long]: kept })
}

/** The beginning of a text, and how much is missing. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most).toWellFormed()} [… ${text.length - most} characters left out]`
}
