import type { Paint } from './colours.js'

/** Control characters but tab and line feed, and those that turn the direction of text. */
const harmful = /[^\P{Cc}\t\n]|[\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** What others wrote, without characters that move the cursor, or change how the rest is shown. */
export function plain(text: string): string {
  return text.replaceAll(harmful, '\uFFFD')
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
    return width === null || joined.length <= width ? joined : `${joined.slice(0, Math.max(1, width - 1))}…`
  }
  return [paint('dim', line(headings)), ...cells.map(line)].join('\n')
}
