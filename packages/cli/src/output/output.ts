import { withoutSecrets } from '../cli-error.js'
import { painter, type Paint } from './colours.js'
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
  /** For people next to the result. */
  note(text: string): void
  /** Text that a person must see before continuing, printed as it is, and not printed with `--json`. The caller escapes what others wrote. */
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

interface Progress {
  update(done: number, total: number): void
  /** Leaves the line. */
  end(): void
}

const WIDTH = 30

function progressBar(stream: TextStream, label: string, isShown: boolean): Progress {
  let shown = ''
  return {
    update(done, total) {
      if (!isShown) return
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH)
      const text = `${label} [${bar}] ${Math.floor(share * 100)} %  ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
      if (text === shown) return
      stream.write(`\r${text.padEnd(shown.length)}`)
      shown = text
    },
    end() {
      if (shown !== '') stream.write('\n')
      shown = ''
    },
  }
}
