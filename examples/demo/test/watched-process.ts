import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** The output and the end of a process. */
export interface WatchedProcess {
  /** Everything printed so far. */
  output(): string
  /** Resolves when the output has a match; rejects after a minute of real time, or when the process ends without. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** How the process ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

const WAIT_MS = 60_000

export function watchProcess(child: ChildProcessByStdio<null, Readable, Readable>): WatchedProcess {
  let text = ''
  const add = (chunk: Buffer): void => {
    text += chunk.toString()
    child.emit('text')
  }
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  const ended = once(child, 'close').then(([code, signal]) => {
    child.emit('text')
    return { code: code as number | null, signal: signal as string | null }
  })
  return {
    output: () => text,
    ended,
    async printed(pattern) {
      const timeout = AbortSignal.timeout(WAIT_MS)
      for (;;) {
        const found = pattern.exec(text)
        if (found !== null) return found
        const isOver = child.exitCode !== null || child.signalCode !== null || timeout.aborted
        if (isOver) throw new Error(`${pattern} was not printed, but this:\n${text}`)
        await once(child, 'text', { signal: timeout }).catch(() => undefined)
      }
    },
  }
}
