import { withoutSecrets } from '../cli-error.js'
import { painter, type Paint } from './colours.js'
import { progressBar, type Progress } from './progress-bar.js'
import { plain, plainJson } from './text.js'
import type { TextStream } from './text-stream.js'

/** Where commands write. Results go to standard output, all else to standard error. */
export interface Output {
  readonly isJson: boolean
  readonly paint: Paint
  /** The width of the terminal; null without one. */
  readonly width: number | null
  /** A result: as JSON with `--json`, else the text. */
  result(value: unknown, text: string | (() => string)): void
  /** For people beside the result. */
  note(text: string): void
  /** What a person has to see before they go on, as it is; nothing with `--json`. The caller escapes what others wrote. */
  show(text: string): void
  /** Bytes as they are: the SQL of migrations, an export to standard output. */
  write(text: string): void
  /** A bar for long work, shown in a terminal only. */
  progress(label: string): Progress
}

export function createOutput(parts: {
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly isJson: boolean
  readonly isColoured: boolean
}): Output {
  const { stdout, stderr, isJson, isColoured } = parts
  const print = (text: string): void => void stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  return {
    isJson,
    paint: painter(isColoured && !isJson && stdout.isTTY === true),
    width: stdout.isTTY === true ? stdout.columns || 80 : null,
    result(value, text) {
      if (isJson) print(plainJson(value, stdout.isTTY === true ? 2 : undefined))
      else print(typeof text === 'string' ? text : text())
    },
    note: (text) => void stderr.write(`${withoutSecrets(plain(text))}\n`),
    show: (text) => void (isJson || stderr.write(`${text}\n`)),
    write: (text) => void stdout.write(text),
    progress: (label) => progressBar(stderr, label, !isJson && stderr.isTTY === true),
  }
}
