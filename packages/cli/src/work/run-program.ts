import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { splitLines } from '../lines.js'

export interface ProgramOptions {
  /** For the shell. */
  readonly command: string
  readonly input: string
  readonly env: NodeJS.ProcessEnv
  /** Stops the program: SIGTERM for its process group, and SIGKILL after the grace. */
  readonly signal: AbortSignal
  readonly graceMs: number
  /** The program waits at its next report until it resolves. */
  readonly onReport: (line: string) => Promise<void>
  readonly onError: (chunk: Buffer) => void
}

export interface ProgramEnd {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  /** Its standard output was longer than a result can be. */
  readonly isCut: boolean
  /** The last line that isn't empty on standard error. */
  readonly lastError: string | null
}

const LONGEST_STDOUT = 1_048_576
const LONGEST_TAIL = 4_096
/** How long programs in the background may hold the pipes in silence after the end of the shell. */
const LINGER_MS = 500
const LONGEST_LINGER_MS = 30_000
const LONGEST_REPORT = 1_048_576

/** It doesn't hold this process: the pipes do. */
const sleep = (delayMs: number): Promise<void> => pause(delayMs, undefined, { ref: false })

/** Runs a command in its own process group, with the task on standard input and descriptor 3 for reports. */
export async function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { command, input, env, signal, graceMs, onReport, onError } = options
  const child = spawn(command, {
    shell: true,
    detached: process.platform !== 'win32',
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  const [stdin, stdout, stderr, reports] = child.stdio as unknown as [
    NodeJS.WritableStream,
    Readable,
    Readable,
    Readable,
  ]
  // A program that does not read its input closes it.
  stdin.on('error', () => undefined)
  stdin.end(input)
  const stopEnding = endOnAbort(child, options)
  const killAtExit = (): void => kill(child, 'SIGKILL')
  process.on('exit', killAtExit)
  let isCut = false
  let length = 0
  const chunks: Buffer[] = []
  let activity = 0
  stdout.on('data', (chunk: Buffer) => {
    activity += 1
    length += chunk.length
    if (length > LONGEST_STDOUT) isCut = true
    else chunks.push(chunk)
  })
  let tail = ''
  stderr.on('data', (chunk: Buffer) => {
    onError(chunk)
    tail = (tail + chunk.toString()).slice(-LONGEST_TAIL)
  })
  let isReporting = false
  const read = readReports(reports, async (line) => {
    isReporting = true
    await onReport(line)
    isReporting = false
    activity += 1
  })
  const closed = once(child, 'close')
  closed.catch(() => undefined)
  try {
    const [code, ended] = (await once(child, 'exit')) as [number | null, string | null]
    // What the shell has started has the grace, too.
    const patience = signal.aborted
      ? sleep(graceMs + LINGER_MS)
      : silence(() => (isReporting ? null : activity))
    await Promise.race([closed, patience])
    return {
      code,
      signal: ended,
      stdout: Buffer.concat(chunks).toString(),
      isCut,
      lastError: tail.trim().split('\n').at(-1)?.trim() || null,
    }
  } finally {
    stopEnding()
    process.off('exit', killAtExit)
    // What it left in the background.
    kill(child, 'SIGKILL')
    for (const stream of [stdout, stderr, reports]) stream.destroy()
    await read
    if (signal.aborted) await Promise.race([closed.catch(() => undefined), sleep(LINGER_MS)])
  }
}

/** Resolves when a count doesn't grow any more; it is null while something continues. */
async function silence(count: () => number | null): Promise<void> {
  const endsAt = performance.now() + LONGEST_LINGER_MS
  let seen: number | null = null
  while (performance.now() < endsAt) {
    const now = count()
    if (now !== null && now === seen) return
    seen = now
    await sleep(LINGER_MS)
  }
}

async function readReports(stream: Readable, onReport: (line: string) => Promise<void>): Promise<void> {
  try {
    for await (const line of splitLines(stream, LONGEST_REPORT)) await onReport(line)
  } catch {
    // The pipe was cut.
  }
}

/** Returns how to stop waiting for the signal. */
function endOnAbort(child: ChildProcess, { signal, graceMs }: ProgramOptions): () => void {
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    kill(child, 'SIGTERM')
    timer = setTimeout(() => kill(child, 'SIGKILL'), graceMs)
  }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** The whole group, so that also what the shell has started ends. */
function kill(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(name)
    else process.kill(-child.pid, name)
  } catch {
    // It has ended.
  }
}
