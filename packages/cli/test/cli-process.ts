import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** What `--json` printed. */
  json(): unknown
}

/** The program in a process. */
export interface Running {
  readonly pid: number
  readonly ended: Promise<Ended>
  stdout(): string
  stderr(): string
  /** Resolves when the output has a match. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
  /** What the system shows of the process to everybody. */
  commandLine(): string
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

const WAIT_MS = 60_000
/** The optimizing compiler takes more time for PGlite than it saves in the second that a command runs. */
const QUICK_START = '--liftoff-only'

/** A folder for the settings of a test. It goes with the run. */
export const newFolder = (): string => mkdtempSync(join(inject('scratch'), 'home-'))

/** The compiled program. */
export const programPath = (): string => fileURLToPath(new URL('taskboard.js', inject('programs')))

/** Starts the program with nothing of the environment but the path and what is given. */
export function start(args: readonly string[], { env = {}, input = '' }: StartOptions = {}): Running {
  const child = spawn(process.execPath, [QUICK_START, programPath(), ...args], {
    env: { PATH: process.env['PATH'], HOME: newFolder(), ...env },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    child.emit('text')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    child.emit('text')
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const pid = child.pid ?? 0
  const ended = once(child, 'close').then(([code]) => {
    child.emit('text')
    return {
      code: code as number | null,
      stdout,
      stderr,
      json: () => JSON.parse(stdout) as unknown,
    }
  })
  return {
    pid,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    async printed(pattern) {
      const timeout = AbortSignal.timeout(WAIT_MS)
      for (;;) {
        const found = pattern.exec(stdout + stderr)
        if (found !== null) return found
        if (child.exitCode !== null || timeout.aborted) {
          throw new Error(`${pattern} was not printed, but:\n${stdout}\n${stderr}`)
        }
        await once(child, 'text', { signal: timeout }).catch(() => undefined)
      }
    },
    signal: (name) => void child.kill(name),
    commandLine: () => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
  }
}

export function run(args: readonly string[], options?: StartOptions): Promise<Ended> {
  return start(args, options).ended
}
