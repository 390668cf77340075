import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Order, ProcessOptions, Report, Role } from './messages.js'
import type { Journal } from './observations.js'

/** One of the processes of a run, which lives several times. */
export interface ProcessUnderTest {
  readonly name: string
  readonly kind: Role['kind']
  start(): void
  /** Resolves when the present life works; rejects after `withinMs`. */
  ready(withinMs: number): Promise<void>
  /** Kills it immediately, also when it is paused. */
  kill(): Promise<void>
  pause(): void
  resume(): void
  jump(aheadMs: number): void
  /** Asks it to end, and kills it when it does not. */
  close(withinMs: number): Promise<void>
}

export interface ProcessParts {
  readonly name: string
  readonly role: Role
  readonly databaseUrl: string
  /** The folder with the compiled programs. */
  readonly programs: URL
  readonly journal: Journal
}

export function processUnderTest(parts: ProcessParts): ProcessUnderTest {
  const { name, role, databaseUrl, programs, journal } = parts
  let child: ChildProcess | undefined
  let isWanted = false
  let isReady = false
  let lives = 0

  function ended(how: string, isExpected: boolean): void {
    journal.record({ kind: 'ended', process: `${name}.${lives}`, how, isExpected })
  }

  function start(): void {
    isWanted = true
    isReady = false
    lives += 1
    const options: ProcessOptions = { name: `${name}.${lives}`, databaseUrl, role }
    const program = new URL(role.kind === 'worker' ? 'worker-process.js' : 'board-process.js', programs)
    const started = fork(fileURLToPath(program), [JSON.stringify(options)], {
      execArgv: ['--enable-source-maps', '--import', new URL('jumping-date.js', programs).href],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    child = started
    // A message to a process that has just ended.
    started.on('error', () => undefined)
    started.on('message', (report: Report) => {
      if (report.kind === 'ready') isReady = true
      else journal.record(report.observation)
    })
    started.on('exit', (code, signal) => {
      if (!isWanted || child !== started) return
      ended(`on its own with ${code ?? signal}`, false)
      start()
    })
  }

  async function end(signal: NodeJS.Signals | null, withinMs: number): Promise<void> {
    isWanted = false
    const last = child
    if (last === undefined || last.exitCode !== null || last.signalCode !== null) return
    const gone = once(last, 'exit')
    if (signal !== null) last.kill(signal)
    else last.send({ kind: 'close' } satisfies Order, () => undefined)
    const timer = setTimeout(() => last.kill('SIGKILL'), withinMs)
    await gone
    clearTimeout(timer)
    if (signal === null)
      ended(
        last.exitCode === 0 ? 'as asked' : `with ${last.exitCode ?? last.signalCode}`,
        last.exitCode === 0,
      )
  }

  return {
    name,
    kind: role.kind,
    start,
    async ready(withinMs) {
      const signal = AbortSignal.timeout(withinMs)
      for (;;) {
        if (isReady) return
        if (child === undefined) throw new Error(`${name} was not started`)
        await once(child, 'message', { signal }).catch(() => {
          throw new Error(`${name} did not begin to work within ${withinMs} ms`)
        })
      }
    },
    kill: () => end('SIGKILL', 0),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    jump: (aheadMs) => void child?.send({ kind: 'jump', aheadMs } satisfies Order, () => undefined),
    close: (withinMs) => end(null, withinMs),
  }
}
