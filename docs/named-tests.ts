import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The cells of a row of a Markdown table. */
export const cellsOf = (row: string): readonly string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** Whether a file has the text as a whole string: the title of a test, or the ID of a case. */
export function hasTitle(file: string, title: string): boolean {
  const source = readFileSync(join(root, file), 'utf8')
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))
}
