import type { TextStream } from './text-stream.js'

export interface Progress {
  update(done: number, total: number): void
  /** Leaves the line. */
  end(): void
}

const WIDTH = 30

export function progressBar(stream: TextStream, label: string, isShown: boolean): Progress {
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
