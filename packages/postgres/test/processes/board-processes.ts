import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import type { Order, ProcessOptions, Report } from './messages.js'

const DEFAULTS = {
  agent: null,
  isStarted: false,
  held: null,
  clockAheadMs: 0,
  dateAheadMs: 0,
  pollIntervalMs: 50,
  telegram: null,
  isQuiet: false,
} as const

type ReportOf<Kind extends Report['kind']> = Extract<Report, { kind: Kind }>

/** A process of the board, as the test uses it. */
export interface BoardProcess {
  readonly pid: number
  /** The first report of a kind, past or future. Rejects when the process ends before. */
  reported<Kind extends Report['kind']>(kind: Kind): Promise<ReportOf<Kind>>
  has(kind: Report['kind']): boolean
  order(order: Order): void
  signal(signal: NodeJS.Signals): void
  /** Kills it immediately. */
  kill(): Promise<void>
  /** Lets it finish its work. @throws when it exits with an error. */
  close(): Promise<void>
}

const running = new Set<ChildProcess>()

const program = (name: string): URL => new URL(`${name}.js`, inject('programs'))

/** Starts a process; returns before it is ready. */
export function startProcess(options: Partial<ProcessOptions> & { databaseUrl: string }): BoardProcess {
  const all: ProcessOptions = { ...DEFAULTS, ...options }
  const child = fork(fileURLToPath(program('board-process')), [JSON.stringify(all)], {
    execArgv: ['--import', program('shift-date').href],
    env: { ...process.env, DATE_AHEAD_MS: String(all.dateAheadMs) },
  })
  running.add(child)
  const reports: Report[] = []
  child.on('message', (report: Report) => void reports.push(report))
  const ended = once(child, 'exit').finally(() => running.delete(child))

  async function reported<Kind extends Report['kind']>(kind: Kind): Promise<ReportOf<Kind>> {
    for (;;) {
      const found = reports.find((report): report is ReportOf<Kind> => report.kind === kind)
      if (found !== undefined) return found
      if (hasEnded(child)) throw new Error(`the process ended without "${kind}"`)
      await Promise.race([once(child, 'message'), ended])
    }
  }

  return {
    pid: child.pid ?? 0,
    reported,
    has: (kind) => reports.some((report) => report.kind === kind),
    order: (order) => void child.send(order),
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async close() {
      child.send({ kind: 'close' } satisfies Order)
      await ended
      if (child.exitCode !== 0)
        throw new Error(`the process ended with ${child.exitCode ?? child.signalCode}`)
    },
  }
}

/** Ends every process that a test left, including stopped ones. */
export async function endProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      if (!hasEnded(child)) await ended
    }),
  )
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
