import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { newFolder, programPath } from './cli-process.js'

/** The program on a terminal. */
export interface Terminal {
  readonly ended: Promise<number>
  /** What the terminal has shown. */
  shown(): string
  /** Resolves when it shows a match that it did not show at the last call. */
  shows(pattern: RegExp): Promise<void>
  type(text: string): void
}

const WAIT_MS = 30_000
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Starts the program on a pseudo-terminal, by `script` of util-linux. */
export function startOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Terminal {
  const command = ['exec', process.execPath, programPath(), ...args]
    .map(quoted)
    .join(' ')
    .replace("'exec'", 'exec')
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], SHELL: '/bin/sh', TERM: 'xterm', HOME: newFolder(), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  let seen = 0
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    child.emit('text')
  })
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(([code]) => {
    child.emit('text')
    return code as number
  })
  return {
    ended,
    shown: () => shown,
    async shows(pattern) {
      const timeout = AbortSignal.timeout(WAIT_MS)
      for (;;) {
        const found = pattern.exec(shown.slice(seen))
        if (found !== null) {
          seen += found.index + found[0].length
          return
        }
        if (child.exitCode !== null || timeout.aborted)
          throw new Error(`${pattern} was not shown, but:\n${shown}`)
        await once(child, 'text', { signal: timeout }).catch(() => undefined)
      }
    },
    type: (text) => void child.stdin.write(text),
  }
}
