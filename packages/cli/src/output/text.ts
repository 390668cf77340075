import type { Paint } from './colours.js'

/** Control characters but tab and line feed, and those that turn the direction of text. */
const harmful = /[^\P{Cc}\t\n]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** Text by others, without characters that move the cursor or change how the rest is shown. */
export function plain(text: string): string {
  return text.replaceAll(harmful, '\uFFFD')
}

/** JSON that means the same, without those characters: JSON itself escapes only some of them. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    harmful,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Characters that are invisible, look like a plain space, or change the direction. */
const unseen = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu

const unit = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Text that someone decides about: what can't be seen is escaped, so that two texts that differ look different. */
export function exact(text: string): string {
  return text.replaceAll(unseen, (character) => character.split('').map(unit).join(''))
}

/** JSON that someone decides about. */
export function exactJson(value: unknown, indent?: number): string {
  return exact(JSON.stringify(value, null, indent))
}

export function oneLine(text: string): string {
  return plain(text).replaceAll(/\s+/g, ' ').trim()
}

/** Columns of text. The last one is cut at the terminal's width, if there is one. */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  { paint, width }: { readonly paint: Paint; readonly width: number | null },
): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '-' : oneLine(String(cell)))))
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]): string => {
    const text = row.map((cell, column) =>
      column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
    )
    const joined = text.join('  ').trimEnd()
    if (width === null || joined.length <= width) return joined
    // Not in the middle of a character that is two.
    return `${joined.slice(0, Math.max(1, width - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`
  }
  return [paint('dim', line(headings)), ...cells.map(line)].join('\n')
}
